// Runs the C++ tests: `braggbench_tests [part …] [-part …] [--shard=K/N]`, those whose names have one of the
// parts in them and none of the parts after a minus; of these, with a shard, every N-th from the K-th on
// (K from 1), so that N processes share them. One line per test (`ok`, `FAIL`, or `skip` and why), then
// `N passed, N failed`. Exit code 1 if any failed or none ran.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "check.hpp"

namespace bb::test {
namespace {

struct Case {
  std::string_view file;
  int line;
  std::string_view name;
  std::function<void()> body;
};

// Function-local, because registrations in other files run before this file's own globals.
std::vector<Case>& cases() {
  static std::vector<Case> all;
  return all;
}

int failures_of_case = 0;

std::string_view base_name(std::string_view path) { return path.substr(path.find_last_of("/\\") + 1); }

bool selected(const Case& c, const std::vector<std::string_view>& parts) {
  bool asked_for = false;
  bool any_asked_for = false;
  for (const std::string_view part : parts) {
    const bool without = part.starts_with('-');
    const bool has = c.name.find(part.substr(without ? 1 : 0)) != c.name.npos;
    if (without && has) return false;
    any_asked_for |= !without;
    asked_for |= !without && has;
  }
  return asked_for || !any_asked_for;
}

/// Which of the selected tests this process runs: those whose place is `index` modulo `count`.
struct Shard {
  std::size_t index = 0;
  std::size_t count = 1;
};

/// Takes `--shard=K/N` out of the words.
Shard take_shard(std::vector<std::string_view>& words) {
  constexpr std::string_view kFlag = "--shard=";
  const auto found = std::find_if(words.begin(), words.end(), [&](auto word) { return word.starts_with(kFlag); });
  if (found == words.end()) return {};
  const std::string value(found->substr(kFlag.size()));
  words.erase(found);
  unsigned k = 0, n = 0;
  if (std::sscanf(value.c_str(), "%u/%u", &k, &n) != 2 || k < 1 || k > n) {
    throw std::invalid_argument("--shard=" + value + ": expected K/N with 1 <= K <= N");
  }
  return {k - 1, n};
}

}  // namespace

Registration::Registration(const char* file, int line, std::string_view name, std::function<void()> body) {
  cases().push_back({file, line, name, std::move(body)});
}

void fail(const char* file, int line, const std::string& message) {
  ++failures_of_case;
  const std::string_view short_file = base_name(file);
  std::printf("    %.*s:%d: %s\n", static_cast<int>(short_file.size()), short_file.data(), line, message.c_str());
}

int run(std::vector<std::string_view> parts) {
  const Shard shard = take_shard(parts);
  std::size_t place = 0;
  // The order of initialisation across files is the linker's; sort so that every build prints alike.
  std::sort(cases().begin(), cases().end(),
            [](const Case& a, const Case& b) { return a.file != b.file ? a.file < b.file : a.line < b.line; });
  int passed = 0;
  int failed = 0;
  for (const Case& c : cases()) {
    if (!selected(c, parts) || place++ % shard.count != shard.index) continue;
    failures_of_case = 0;
    const auto start = std::chrono::steady_clock::now();
    try {
      c.body();
    } catch (const Skipped& skipped) {
      std::printf("skip %.*s\t%s\n", static_cast<int>(c.name.size()), c.name.data(), skipped.reason.c_str());
      continue;
    } catch (const std::exception& error) {
      fail(c.file.data(), c.line, std::string("exception: ") + error.what());
    } catch (...) {
      fail(c.file.data(), c.line, "an exception that is no std::exception");
    }
    const double ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    std::printf("%s %.*s (%.0f ms)\n", failures_of_case == 0 ? "ok  " : "FAIL", static_cast<int>(c.name.size()),
                c.name.data(), ms);
    std::fflush(stdout);
    ++(failures_of_case == 0 ? passed : failed);
  }
  std::printf("%d passed, %d failed\n", passed, failed);
  return failed == 0 && passed > 0 ? 0 : 1;
}

}  // namespace bb::test

int main(int argc, char** argv) {
  try {
    return bb::test::run({argv + 1, argv + argc});
  } catch (const std::invalid_argument& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
