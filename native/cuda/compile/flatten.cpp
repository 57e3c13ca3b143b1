#include "flatten.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string_view>

#include "files.hpp"

namespace bb::cuda {
namespace {

namespace fs = std::filesystem;

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r");
  return begin == text.npos ? std::string_view{} : text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

/// Text after `#<word>`; empty if the line is not such a directive.
std::optional<std::string_view> directive(std::string_view line, std::string_view word) {
  line = trimmed(line);
  if (!line.starts_with('#')) return std::nullopt;
  line = trimmed(line.substr(1));
  if (!line.starts_with(word)) return std::nullopt;
  return trimmed(line.substr(word.size()));
}

/// `hd.hpp` of `#include "hd.hpp"`, or nothing.
std::optional<std::string_view> quoted_include(std::string_view line) {
  const auto rest = directive(line, "include");
  if (!rest || !rest->starts_with('"')) return std::nullopt;
  const std::size_t end = rest->find('"', 1);
  return end == rest->npos ? std::nullopt : std::optional(rest->substr(1, end - 1));
}

class Flattener {
 public:
  Flattener(const fs::path& root, const Replacement* replaced) : root_(root), replaced_(replaced) {
    std::error_code missing;
    if (replaced != nullptr) replaced_file_ = fs::canonical(replaced->file, missing);
  }

  void add(const fs::path& file, const fs::path& includer) {
    std::error_code missing;
    const fs::path canonical = fs::canonical(file, missing);
    if (missing) fail(file, includer);
    if (std::find(source_.files.begin(), source_.files.end(), canonical) != source_.files.end()) return;
    source_.files.push_back(canonical);
    const bool own = replaced_ != nullptr && canonical == replaced_file_;
    const auto text = own ? std::optional(replaced_->text) : read_file(canonical);
    if (!text) fail(file, includer);
    const std::string shown = own ? replaced_->name : fs::relative(canonical, root_, missing).generic_string();

    mark(1, shown);
    int line_number = 0;
    for (std::size_t begin = 0; begin < text->size();) {
      const std::size_t end = std::min(text->find('\n', begin), text->size());
      const std::string_view line = std::string_view(*text).substr(begin, end - begin);
      ++line_number;
      if (const auto name = quoted_include(line)) {
        const fs::path beside = canonical.parent_path() / *name;
        add(fs::exists(beside) ? beside : root_ / *name, canonical);
        mark(line_number + 1, shown);
      } else if (directive(line, "pragma") == "once") {
        source_.text += '\n';
      } else {
        source_.text.append(line).append("\n");
      }
      begin = end + 1;
    }
  }

  FlatSource take() { return std::move(source_); }

 private:
  void mark(int line, const std::string& file) {
    source_.text += "#line " + std::to_string(line) + " \"" + file + "\"\n";
  }
  [[noreturn]] static void fail(const fs::path& file, const fs::path& includer) {
    throw std::runtime_error("The kernel source " + file.string() + " cannot be read" +
                             (includer.empty() ? "" : ", which " + includer.string() + " includes") + ".");
  }

  fs::path root_;
  const Replacement* replaced_;
  fs::path replaced_file_;
  FlatSource source_;
};

}  // namespace

FlatSource flatten(const fs::path& main, const fs::path& root, const Replacement* replaced) {
  std::error_code missing;
  const fs::path canonical_root = fs::canonical(root, missing);
  Flattener flattener(missing ? root : canonical_root, replaced);
  flattener.add(main, {});
  return flattener.take();
}

}  // namespace bb::cuda
