#include "kernel_pieces.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <set>
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

/// Returns `hd.hpp` for `#include "hd.hpp"`, or nothing for other lines.
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

namespace {

bool in_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::size_t end_of_word(std::string_view text, std::size_t at) {
  while (at < text.size() && in_word(text[at])) ++at;
  return at;
}

std::size_t after_spaces(std::string_view text, std::size_t at) {
  while (at < text.size() && std::isspace(static_cast<unsigned char>(text[at])) != 0) ++at;
  return at;
}

std::string_view trimmed_spaces(std::string_view text) {
  text.remove_prefix(after_spaces(text, 0));
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0) text.remove_suffix(1);
  return text;
}

/// Position after the parenthesis that closes the one at `open`, or npos.
std::size_t behind_closing(std::string_view text, std::size_t open) {
  int depth = 0;
  for (std::size_t at = open; at < text.size(); ++at) {
    if (text[at] == '(') ++depth;
    if (text[at] == ')' && --depth == 0) return at + 1;
  }
  return std::string_view::npos;
}

/// Splits at commas outside parentheses and template brackets.
std::vector<std::string> arguments_in(std::string_view text) {
  std::vector<std::string> out;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t at = 0; at <= text.size(); ++at) {
    if (at < text.size() && text[at] == '(') ++depth;
    if (at < text.size() && text[at] == ')') --depth;
    if (at < text.size() && (text[at] != ',' || depth > 0)) continue;
    out.emplace_back(trimmed_spaces(text.substr(begin, at - begin)));
    begin = at + 1;
  }
  return out;
}

struct Macro {
  std::vector<std::string> parameters;
  std::string body;
};

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> out;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    out.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return out;
}

bool continues(std::string_view line) { return !line.empty() && line.back() == '\\'; }

constexpr std::string_view kDefine = "#define BB_";

/// The function-like BB_… macros of a source text, and that text without definitions and comments.
struct MacroText {
  std::map<std::string, Macro, std::less<>> macros;
  std::string rest;
};

std::string_view without_comment(std::string_view line) { return line.substr(0, line.find("//")); }

MacroText read(std::string_view text) {
  MacroText out;
  const std::vector<std::string_view> lines = lines_of(text);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::string whole(lines[i]);
    if (!whole.starts_with('#')) {
      out.rest.append(without_comment(lines[i])).append("\n");
      continue;
    }
    while (continues(whole) && i + 1 < lines.size()) {
      whole.back() = ' ';
      whole.append(lines[++i]);
    }
    if (!whole.starts_with(kDefine)) continue;
    const std::size_t begin = kDefine.size() - 3, end = end_of_word(whole, begin);
    if (end == whole.size() || whole[end] != '(') continue;
    const std::size_t behind = behind_closing(whole, end);
    if (behind == std::string::npos) continue;
    out.macros[whole.substr(begin, end - begin)] = {
        arguments_in(std::string_view(whole).substr(end + 1, behind - end - 2)), whole.substr(behind)};
  }
  return out;
}

/// Body of a macro with parameters replaced and pasted tokens joined.
std::string substitute_arguments(const Macro& macro, const std::vector<std::string>& arguments) {
  std::string out;
  for (std::size_t at = 0; at < macro.body.size();) {
    if (!in_word(macro.body[at])) {
      out += macro.body[at++];
      continue;
    }
    const std::size_t end = end_of_word(macro.body, at);
    const std::string word = macro.body.substr(at, end - at);
    const auto found = std::ranges::find(macro.parameters, word);
    const auto index = static_cast<std::size_t>(found - macro.parameters.begin());
    out += found != macro.parameters.end() && index < arguments.size() ? arguments[index] : word;
    at = end;
  }
  for (std::size_t at = out.find("##"); at != std::string::npos; at = out.find("##", at)) {
    std::size_t begin = at, end = at + 2;
    while (begin > 0 && out[begin - 1] == ' ') --begin;
    end = std::min(after_spaces(out, end), out.size());
    out.erase(begin, end - begin);
    at = begin;
  }
  return out;
}

/// Returns `text` with all uses of the macros expanded. The body of a macro may use other macros.
std::string expand_macros(std::string_view text, const std::map<std::string, Macro, std::less<>>& macros,
                          int depth = 0) {
  constexpr int kDeepest = 8;
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    if (!in_word(text[at])) {
      out += text[at++];
      continue;
    }
    const std::size_t end = end_of_word(text, at);
    const auto macro = macros.find(text.substr(at, end - at));
    const std::size_t open = after_spaces(text, end);
    const std::size_t behind = macro != macros.end() && open < text.size() && text[open] == '(' && depth < kDeepest
                                   ? behind_closing(text, open)
                                   : std::string_view::npos;
    if (behind == std::string_view::npos) {
      out.append(text.substr(at, end - at));
      at = end;
      continue;
    }
    const auto arguments = arguments_in(text.substr(open + 1, behind - open - 2));
    out += expand_macros(substitute_arguments(macro->second, arguments), macros, depth + 1);
    at = behind;
  }
  return out;
}

/// Name of the function after `__global__` at `at`, skipping `void` and attributes with parentheses.
std::optional<std::string> global_name(std::string_view text, std::size_t at) {
  while (true) {
    at = after_spaces(text, at);
    const std::size_t end = end_of_word(text, at);
    if (end == at) return std::nullopt;
    const std::string_view word = text.substr(at, end - at);
    const std::size_t next = after_spaces(text, end);
    if (word == "void") {
      at = end;
    } else if (word.starts_with("__") && next < text.size() && text[next] == '(') {
      at = behind_closing(text, next);
      if (at == std::string_view::npos) return std::nullopt;
    } else {
      return std::string(word);
    }
  }
}

bool is_entry(std::string_view line) {
  if (!line.starts_with("BB_")) return false;
  const std::size_t end = end_of_word(line, 0);
  return end < line.size() && line[end] == '(' && line.substr(0, end).ends_with("ENTRY") && line.ends_with(')');
}

std::vector<std::string> tunables_in(std::string_view text) {
  std::vector<std::string> out;
  for (const std::string_view line : lines_of(text)) {
    if (!line.starts_with("BB_TUNABLE")) continue;
    const std::size_t open = line.find('(');
    const std::size_t behind = open == line.npos ? line.npos : behind_closing(line, open);
    if (behind == line.npos) continue;
    const auto arguments = arguments_in(line.substr(open + 1, behind - open - 2));
    if (arguments.size() > 1) out.push_back(arguments[1]);
  }
  return out;
}

/// Returns `text` with all entry lines blanked, except the one with index `kept`.
std::string with_entry(std::string_view text, std::optional<std::size_t> kept) {
  std::string out;
  const std::vector<std::string_view> lines = lines_of(text);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (i == kept || !is_entry(lines[i])) out.append(lines[i]);
    out += '\n';
  }
  return out;
}

void add_pieces(const fs::path& file, const fs::path& root, std::vector<KernelPiece>& out) {
  const std::string text = flatten(file, root).text;
  const std::string name = file.filename().string();
  const auto tunables = tunables_in(text);
  const std::string rest = with_entry(text, std::nullopt);
  const std::vector<std::string> others = kernels_defined(rest);
  out.push_back({name, rest, others, tunables});
  const std::vector<std::string_view> lines = lines_of(text);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (!is_entry(lines[i])) continue;
    std::string with = with_entry(text, i);
    std::vector<std::string> kernels;
    for (std::string& kernel : kernels_defined(with)) {
      if (std::ranges::find(others, kernel) == others.end()) kernels.push_back(std::move(kernel));
    }
    out.push_back({name + ", " + std::string(lines[i]), std::move(with), std::move(kernels), tunables});
  }
}

}  // namespace

std::vector<std::string> kernels_defined(std::string_view text) {
  constexpr std::string_view kGlobal = "__global__";
  const MacroText source = read(text);
  const std::string all = expand_macros(source.rest, source.macros);
  std::vector<std::string> out;
  for (std::size_t at = all.find(kGlobal); at != std::string::npos; at = all.find(kGlobal, at + 1)) {
    if (auto name = global_name(all, at + kGlobal.size())) out.push_back(std::move(*name));
  }
  return out;
}

std::vector<KernelPiece> kernel_pieces(const fs::path& main, const fs::path& root) {
  const auto text = read_file(main);
  if (!text) throw std::runtime_error("The kernel source " + main.string() + " cannot be read.");
  std::vector<KernelPiece> out;
  for (const std::string_view line : lines_of(*text)) {
    constexpr std::string_view kInclude = "#include \"";
    if (!line.starts_with(kInclude)) continue;
    const std::string_view name = line.substr(kInclude.size(), line.rfind('"') - kInclude.size());
    if (!name.ends_with(".cu")) continue;
    const fs::path beside = main.parent_path() / name;
    add_pieces(fs::exists(beside) ? beside : root / name, root, out);
  }
  std::set<std::string> known;
  for (const KernelPiece& piece : out) {
    for (const std::string& kernel : piece.kernels) {
      if (!known.insert(kernel).second) {
        throw std::runtime_error("Two kernels in " + main.filename().string() + " are named " + kernel + ".");
      }
    }
  }
  return out;
}

}  // namespace bb::cuda
