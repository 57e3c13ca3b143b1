// Runs the C++ tests: `braggbench_tests [part …] [-part …] [--shared=FOLDER]`. Selects tests whose names contain one of
// the parts and none of the parts after a minus. Processes with the same empty FOLDER share the tests: each takes the
// next file that no other process has taken. The gates come first, because they are the longest. Prints one line per
// test (`ok`, `FAIL`, or `skip` and the reason), then `N passed, N failed`. Exit code 1 if a test failed or, without
// --shared, if none ran.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <map>
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

/// Distributes test files over several processes. A process takes a file by creating a folder for it. Tests of one file
/// share their solved problems.
class TestSharing {
 public:
  /// Removes `--shared=FOLDER` from the words.
  explicit TestSharing(std::vector<std::string_view>& words) {
    constexpr std::string_view kFlag = "--shared=";
    const auto found = std::ranges::find_if(words, [&](auto word) { return word.starts_with(kFlag); });
    if (found == words.end()) return;
    folder_ = found->substr(kFlag.size());
    words.erase(found);
    if (!std::filesystem::is_directory(folder_)) {
      throw std::invalid_argument("--shared=" + folder_.string() + ": not a folder");
    }
  }
  bool on() const { return !folder_.empty(); }
  /// Returns whether this process runs the tests of that file.
  bool take(std::string_view file) {
    if (!on()) return true;
    const auto [found, asked_first] = taken_.try_emplace(file, false);
    if (asked_first) found->second = std::filesystem::create_directory(folder_ / std::to_string(taken_.size()));
    return found->second;
  }

 private:
  std::filesystem::path folder_;
  std::map<std::string_view, bool> taken_;
};

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
  TestSharing shared(parts);
  // The linker decides the order of initialisation across files. Sorting makes every build print the same order.
  std::sort(cases().begin(), cases().end(),
            [](const Case& a, const Case& b) { return a.file != b.file ? a.file < b.file : a.line < b.line; });
  if (shared.on()) std::ranges::reverse(cases());
  int passed = 0;
  int failed = 0;
  for (const Case& c : cases()) {
    if (!selected(c, parts) || !shared.take(c.file)) continue;
    failures_of_case = 0;
    const auto start = std::chrono::steady_clock::now();
    try {
      c.body();
    } catch (const SkippedTest& skipped) {
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
  return failed == 0 && (passed > 0 || shared.on()) ? 0 : 1;
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
