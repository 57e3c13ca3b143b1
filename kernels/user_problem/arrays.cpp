#include "arrays.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <numbers>
#include <numeric>
#include <sstream>
#include <string_view>
#include <utility>

#include "cuda/compile/files.hpp"
#include "number_types.hpp"

namespace bb::user_problem {
namespace {

[[noreturn]] void refuse(const std::string& line) {
  throw ProblemError("invalid", "problem: \"" + line + "\" describes no array");
}

template <typename T, std::size_t kCount>
T value_named(const std::string& word, const std::pair<const char*, T> (&all)[kCount], const std::string& line) {
  for (const auto& [name, value] : all) {
    if (word == name) return value;
  }
  refuse(line);
}

constexpr std::pair<const char*, Role> kRoles[] = {
    {"in", Role::kInput}, {"out", Role::kOutput}, {"zeroed", Role::kZeroed}, {"inout", Role::kInPlace}};
constexpr std::pair<const char*, Fill> kFills[] = {{"uniform", Fill::kUniform},
                                                   {"normal", Fill::kNormal},
                                                   {"integers", Fill::kIntegers},
                                                   {"sorted", Fill::kSorted},
                                                   {"permutation", Fill::kPermutation},
                                                   {"range", Fill::kRange},
                                                   {"constant", Fill::kConstant},
                                                   {"file", Fill::kFile},
                                                   {"none", Fill::kNone}};
constexpr std::pair<const char*, TaskArray::Type> kTypes[] = {
    {"fp64", TaskArray::Type::kDouble},      {"fp32", TaskArray::Type::kFloat}, {"tf32", TaskArray::Type::kFloat},
    {"fp16", TaskArray::Type::kHalf},        {"bf16", TaskArray::Type::kBf16},  {"int32", TaskArray::Type::kInt},
    {"int8", TaskArray::Type::kInt8},        {"bool", TaskArray::Type::kBool},  {"complex64", TaskArray::Type::kFloat},
    {"complex128", TaskArray::Type::kDouble}};

/// Format of a line: `role name type dims grain absolute relative largest fill a b diagonal file`; dims are joined by
/// commas, `-` for one value.
Array array_of(const std::string& line) {
  std::istringstream in(line);
  std::string role, dims, fill;
  Array out{};
  in >> role >> out.name >> out.type >> dims >> out.grain >> out.absolute >> out.relative >> out.largest >> fill >>
      out.a >> out.b >> out.diagonal;
  if (!in) refuse(line);
  out.role = value_named(role, kRoles, line);
  out.fill = value_named(fill, kFills, line);
  value_named(out.type, kTypes, line);
  std::getline(in >> std::ws, out.file);
  std::istringstream each(dims == "-" ? "" : dims);
  for (std::string dim; std::getline(each, dim, ',');) {
    std::size_t used = 0;
    const unsigned long long size = std::stoull(dim, &used);
    if (used != dim.size()) refuse(line);
    out.shape.push_back(static_cast<std::size_t>(size));
  }
  return out;
}

/// An independent stream of random numbers for each array of a problem.
class RandomStream {
 public:
  RandomStream(std::uint64_t seed, std::size_t place)
      : stream_(engine::scrambled(seed) ^ engine::scrambled(0x517cc1b727220a95ull + place)) {}
  std::uint64_t bits(std::uint64_t i) const { return engine::scrambled(stream_ + i); }
  /// Uniform number in [0, 1).
  double unit(std::uint64_t i) const { return static_cast<double>(bits(i) >> 11) * 0x1p-53; }
  /// Integer from `low` to `high`, both included.
  double integer(std::uint64_t i, double low, double high) const {
    return low + std::min(std::floor(unit(i) * (high - low + 1.0)), high - low);
  }
  double normal(std::uint64_t i) const {
    return std::sqrt(-2.0 * std::log1p(-unit(2 * i))) * std::cos(2.0 * std::numbers::pi * unit(2 * i + 1));
  }

 private:
  std::uint64_t stream_;
};

void add_diagonal(std::vector<double>& values, const Array& array) {
  if (array.diagonal == 0.0 || array.shape.size() < 2) return;
  const std::size_t columns = array.shape.back(), rows = array.shape[array.shape.size() - 2];
  const std::size_t each = rows * columns;
  for (std::size_t first = 0; each > 0 && first < values.size(); first += each) {
    for (std::size_t i = 0; i < std::min(rows, columns); ++i) values[first + i * columns + i] += array.diagonal;
  }
}

std::vector<double> read_doubles(const std::string& file, std::size_t count) {
  const auto bytes = cuda::read_file(file);
  if (!bytes || bytes->size() != count * sizeof(double)) {
    throw ProblemError("invalid", file + " does not contain the expected " + std::to_string(count) + " values");
  }
  std::vector<double> out(count);
  std::memcpy(out.data(), bytes->data(), bytes->size());
  return out;
}

/// Fills uniform and normal arrays with the edge values that the problem requests, equal for every seed. Returns false
/// if it requests none.
bool edge_values(const TaskProblem& problem, const Array& array, std::vector<double>& values) {
  const auto found = problem.words.find("edge");
  if (found == problem.words.end() || found->second.empty()) return false;
  if (array.fill != Fill::kUniform && array.fill != Fill::kNormal) return false;
  const std::string& edge = found->second;
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = edge == "zeros" ? 0 : edge == "ones" || i % 2 == 0 ? 1 : -1;
  if (array.fill == Fill::kUniform) {
    for (double& value : values) value = std::clamp(value, array.a, array.b);
  }
  return true;
}

std::vector<double> random_values(const TaskProblem& problem, const Array& array, std::size_t place) {
  if (array.fill == Fill::kFile) return read_doubles(array.file, array.count());
  const RandomStream draws(problem.seed, place);
  std::vector<double> values(array.count());
  if (edge_values(problem, array, values)) {
    add_diagonal(values, array);
    return values;
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    switch (array.fill) {
      case Fill::kUniform:
        values[i] = array.a + draws.unit(i) * (array.b - array.a);
        break;
      case Fill::kNormal:
        values[i] = array.a + draws.normal(i) * array.b;
        break;
      case Fill::kIntegers:
      case Fill::kSorted:
        values[i] = draws.integer(i, array.a, array.b);
        break;
      case Fill::kPermutation:
        values[i] = static_cast<double>(i);
        break;
      case Fill::kRange:
        values[i] = array.a + array.b * static_cast<double>(i);
        break;
      default:
        values[i] = array.a;
    }
  }
  if (array.fill == Fill::kSorted) std::ranges::sort(values);
  if (array.fill == Fill::kPermutation) {
    for (std::size_t i = values.size(); i > 1; --i) {
      std::swap(values[i - 1], values[static_cast<std::size_t>(draws.integer(i, 0, static_cast<double>(i - 1)))]);
    }
  }
  add_diagonal(values, array);
  return values;
}

template <typename T, typename Convert>
void store(const std::vector<double>& values, std::vector<std::byte>& out, Convert convert) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const T one = convert(values[i]);
    std::memcpy(out.data() + i * sizeof one, &one, sizeof one);
  }
}

/// Position of an element as text, such as `y[3, 17]`.
std::string position_text(const Array& array, std::size_t at) {
  std::string text;
  const bool complex = array.count() != array.elements();
  std::size_t rest = complex ? at / 2 : at;
  for (std::size_t k = array.shape.size(); k-- > 0;) {
    text = std::to_string(rest % array.shape[k]) + (text.empty() ? "" : ", ") + text;
    rest /= array.shape[k];
  }
  const char* part = !complex ? "" : at % 2 == 0 ? ".real" : ".imag";
  return array.name + (text.empty() ? "" : "[" + text + "]") + part;
}

double largest_of(const std::vector<double>& wanted) {
  double size = 0;
  for (const double want : wanted) {
    if (std::isfinite(want)) size = std::max(size, std::abs(want));
  }
  return size;
}

/// Unit roundoff: half the distance from 1 to the next number; 0 for integers.
double rounding_of(const std::string& type) {
  if (type == "fp64" || type == "complex128") return 0x1p-53;
  if (type == "fp32" || type == "complex64") return 0x1p-24;
  if (type == "tf32" || type == "fp16") return 0x1p-11;
  return type == "bf16" ? 0x1p-8 : 0.0;
}

/// Tolerance as text: "y may be off by 1024 roundings × 5.96e-08 × 3.46 (the largest expected) = 0.000211"; "" if
/// values must be equal.
std::string allowed_text(const Array& array, const std::vector<double>& wanted) {
  std::string text;
  char part[120];
  if (array.largest > 0) {
    const double size = largest_of(wanted), rounding = rounding_of(array.type);
    std::snprintf(part, sizeof part, "%.6g roundings \u00d7 %.3g \u00d7 %.3g (the largest expected) = %.3g",
                  array.largest / rounding, rounding, size, array.largest * size);
    text += part;
  }
  const auto add = [&](const char* words) { text += (text.empty() ? "" : " + ") + std::string(words); };
  if (array.absolute > 0) {
    std::snprintf(part, sizeof part, "%.3g", array.absolute);
    add(part);
  }
  if (array.relative > 0) {
    std::snprintf(part, sizeof part, "%.3g of the value", array.relative);
    add(part);
  }
  return text.empty() ? "" : array.name + " may be off by " + text;
}

/// Largest error of an array's values relative to the tolerance of each.
engine::Check check_array(const Array& array, const std::vector<double>& wanted, const engine::TaskResult& result) {
  double worst = 0;
  const double always = array.absolute + array.largest * largest_of(wanted);
  std::size_t first = wanted.size(), wrong = 0;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const double want = wanted[i], got = result.at(i);
    const bool same = got == want || (std::isnan(got) && std::isnan(want) && i < result.count);
    if (same) continue;
    const double off = std::abs(got - want), allowed = always + array.relative * std::abs(want);
    // A non-finite value must equal the expected one exactly, as checked above.
    const double share = !std::isfinite(want) || !std::isfinite(got) ? INFINITY
                         : allowed > 0                               ? off / allowed
                                                                     : INFINITY;
    worst = std::max(worst, share);
    if (share <= 1.0) continue;
    if (wrong++ == 0) first = i;
  }
  std::string where;
  if (result.count != wanted.size()) {
    worst = INFINITY;
    where = array.name + " has " + std::to_string(result.count) + " values, expected " + std::to_string(wanted.size());
  } else if (wrong > 0) {
    char text[160];
    std::snprintf(text, sizeof text, " is %.9g, expected %.9g; %zu of %zu values are wrong", result.at(first),
                  wanted[first], wrong, wanted.size());
    where = position_text(array, first) + text;
  }
  return {"tolerance:" + array.name, "Largest error of " + array.name + " relative to its tolerance", worst, 1.0,
          where};
}

}  // namespace

std::size_t Array::elements() const {
  return std::accumulate(shape.begin(), shape.end(), std::size_t{1}, std::multiplies<>());
}

std::size_t Array::count() const { return elements() * (type.starts_with("complex") ? 2 : 1); }

TaskArray::Type Array::storage() const { return value_named(type, kTypes, type); }

std::vector<Array> arrays_of(const TaskProblem& problem) {
  std::vector<Array> out;
  std::istringstream lines(problem.word("arrays"));
  for (std::string line; std::getline(lines, line);) out.push_back(array_of(line));
  return out;
}

std::vector<int> axes_of(const TaskProblem& problem) {
  std::vector<int> out;
  std::istringstream names(problem.word("axes"));
  for (std::string name; names >> name;) out.push_back(static_cast<int>(problem.count(name)));
  return out;
}

std::vector<std::byte> values_of(const TaskProblem& problem, const Array& array, std::size_t place) {
  const std::vector<double> values = random_values(problem, array, place);
  std::vector<std::byte> out(array.bytes());
  const auto as_float = [](double v) { return static_cast<float>(v); };
  switch (array.storage()) {
    case TaskArray::Type::kDouble:
      store<double>(values, out, [](double v) { return v; });
      break;
    case TaskArray::Type::kFloat:
      if (array.type == "tf32") {
        store<float>(values, out, [&](double v) { return tf32_value(as_float(v)); });
      } else {
        store<float>(values, out, as_float);
      }
      break;
    case TaskArray::Type::kHalf:
      store<std::uint16_t>(values, out, [&](double v) { return fp16_bits(as_float(v)); });
      break;
    case TaskArray::Type::kBf16:
      store<std::uint16_t>(values, out, [&](double v) { return bf16_bits(as_float(v)); });
      break;
    case TaskArray::Type::kInt:
    case TaskArray::Type::kUnsigned:
      store<std::int32_t>(values, out, [](double v) { return static_cast<std::int32_t>(v); });
      break;
    case TaskArray::Type::kInt8:
      store<std::int8_t>(values, out, [](double v) { return static_cast<std::int8_t>(v); });
      break;
    case TaskArray::Type::kBool:
      store<std::uint8_t>(values, out, [](double v) { return static_cast<std::uint8_t>(v != 0.0); });
      break;
  }
  return out;
}

std::vector<std::vector<double>> answer_of(const TaskProblem& problem, const std::vector<Array>& arrays) {
  const auto file = problem.words.find("answer");
  if (file == problem.words.end() || file->second.empty()) {
    throw ProblemError("invalid", "problem: no reference is given, so results cannot be compared");
  }
  std::size_t all = 0;
  for (const Array& array : arrays) all += array.returned() ? array.count() : 0;
  const std::vector<double> values = read_doubles(file->second, all);
  std::vector<std::vector<double>> out;
  auto at = values.begin();
  for (const Array& array : arrays) {
    if (!array.returned()) continue;
    const auto end = at + static_cast<std::ptrdiff_t>(array.count());
    out.emplace_back(at, end);
    at = end;
  }
  return out;
}

engine::CheckReport compare(const std::vector<Array>& arrays, const std::vector<std::vector<double>>& wanted,
                            const engine::TaskResults& results) {
  engine::CheckReport out;
  std::size_t k = 0, values = 0;
  std::string allowed;
  for (const Array& array : arrays) {
    if (!array.returned()) continue;
    static const engine::TaskResult kNothing{};
    out.checks.push_back(check_array(array, wanted[k], k < results.size() ? results[k] : kNothing));
    if (const std::string text = allowed_text(array, wanted[k]); !text.empty()) allowed += "; " + text;
    values += wanted[k].size();
    k += 1;
  }
  out.compared = "all " + std::to_string(values) + " results with the reference" + allowed;
  return out;
}

}  // namespace bb::user_problem
