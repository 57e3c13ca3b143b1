#include "value.hpp"

#include <charconv>
#include <stdexcept>

namespace bb::reproduce {
namespace {

/// Limit on the depth of nested lists and objects, ten times that of documents written by this program. Each level uses
/// stack.
constexpr int kMaxLevels = 64;

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Value whole() {
    Value value = next();
    skip();
    if (at_ != text_.size()) fail("the end");
    return value;
  }

 private:
  [[noreturn]] void fail(const char* wanted) const {
    throw std::runtime_error("byte " + std::to_string(at_) + ": expected " + wanted);
  }

  void skip() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos) ++at_;
  }

  bool take(char one) {
    skip();
    if (at_ >= text_.size() || text_[at_] != one) return false;
    ++at_;
    return true;
  }

  bool take(std::string_view word) {
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }

  void append_code_point(std::string& out, unsigned code) {
    if (code < 0x80) {
      out += static_cast<char>(code);
    } else if (code < 0x800) {
      out += {static_cast<char>(0xc0 | (code >> 6)), static_cast<char>(0x80 | (code & 0x3f))};
    } else {
      out += {static_cast<char>(0xe0 | (code >> 12)), static_cast<char>(0x80 | ((code >> 6) & 0x3f)),
              static_cast<char>(0x80 | (code & 0x3f))};
    }
  }

  std::string string() {
    if (!take('"')) fail("a string");
    std::string out;
    while (at_ < text_.size() && text_[at_] != '"') {
      if (text_[at_] != '\\') {
        out += text_[at_++];
        continue;
      }
      ++at_;
      const char kind = at_ < text_.size() ? text_[at_++] : '\0';
      constexpr std::string_view kFrom = "\"\\/bfnrt", kTo = "\"\\/\b\f\n\r\t";
      const std::size_t known = kFrom.find(kind);
      if (known != std::string_view::npos) {
        out += kTo[known];
      } else if (kind == 'u' && at_ + 4 <= text_.size()) {
        unsigned code = 0;
        const char* const digits = text_.data() + at_;
        const auto [end, error] = std::from_chars(digits, digits + 4, code, 16);
        if (error != std::errc() || end != digits + 4) fail("four hexadecimal digits");
        append_code_point(out, code);
        at_ += 4;
      } else {
        fail("an escape");
      }
    }
    if (!take('"')) fail("the end of a string");
    return out;
  }

  Value object() {
    Value value{.kind = Value::Kind::kObject};
    if (take('}')) return value;
    do {
      std::string name = string();
      if (!take(':')) fail("':'");
      value.fields.emplace_back(std::move(name), next());
    } while (take(','));
    if (!take('}')) fail("'}'");
    return value;
  }

  Value list() {
    Value value{.kind = Value::Kind::kNumbers};
    if (take(']')) return value;
    do {
      Value item = next();
      if (value.kind == Value::Kind::kNumbers && item.kind == Value::Kind::kNumber) {
        value.numbers.push_back(item.number);
        continue;
      }
      if (!value.numbers.empty()) fail("a number like the previous ones");
      value.kind = Value::Kind::kList;
      value.items.push_back(std::move(item));
    } while (take(','));
    if (!take(']')) fail("']'");
    return value;
  }

  Value next() {
    skip();
    if (at_ < text_.size() && (text_[at_] == '{' || text_[at_] == '[')) {
      if (levels_ == kMaxLevels) fail("at most 64 levels of lists and objects");
      ++levels_;
      Value value = text_[at_++] == '{' ? object() : list();
      --levels_;
      return value;
    }
    if (take("null")) return {};
    if (take("true")) return {.kind = Value::Kind::kFlag, .number = 1};
    if (take("false")) return {.kind = Value::Kind::kFlag, .number = 0};
    if (at_ < text_.size() && text_[at_] == '"') return {.kind = Value::Kind::kText, .text = string()};
    // JSON has no infinities or NaN, but from_chars would accept their names.
    const char first = at_ < text_.size() ? text_[at_] : '\0';
    const char second = at_ + 1 < text_.size() ? text_[at_ + 1] : '\0';
    const auto digit = [](char one) { return one >= '0' && one <= '9'; };
    double number = 0;
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), number);
    if (error != std::errc() || !(digit(first) || (first == '-' && digit(second)))) fail("a value");
    at_ = static_cast<std::size_t>(end - text_.data());
    return {.kind = Value::Kind::kNumber, .number = number};
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int levels_ = 0;
};

}  // namespace

const Value* Value::find(std::string_view name) const {
  for (const auto& [known, value] : fields) {
    if (known == name && value.kind != Kind::kNull) return &value;
  }
  return nullptr;
}

Value parse(std::string_view text) { return Parser(text).whole(); }

}  // namespace bb::reproduce
