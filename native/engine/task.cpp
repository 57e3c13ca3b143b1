#include "task.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "half.hpp"

namespace bb::engine {
namespace {

[[noreturn]] void missing(const TaskProblem& problem, const std::string& key, const char* wanted) {
  throw ProblemError("invalid", problem.workload + (problem.bench.empty() ? "" : " " + problem.bench) + ": " + key +
                                    " is missing; it must be " + wanted);
}

}  // namespace

std::uint64_t scrambled(std::uint64_t x) {
  x += kScrambledStep;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

double TaskProblem::number(const std::string& key) const {
  const auto found = numbers.find(key);
  if (found == numbers.end()) missing(*this, key, "a number");
  return found->second;
}

std::size_t TaskProblem::count(const std::string& key) const {
  const double value = number(key);
  if (!(value >= 0.0) || value != std::floor(value) || value > 9e15) {
    throw ProblemError("invalid",
                       key + " = " + std::to_string(value) + ": allowed: a whole number that is not negative");
  }
  return static_cast<std::size_t>(value);
}

const std::string& TaskProblem::word(const std::string& key) const {
  const auto found = words.find(key);
  if (found == words.end()) missing(*this, key, "a word");
  return found->second;
}

bool TaskProblem::on(const std::string& key) const {
  const auto found = switches.find(key);
  if (found == switches.end()) missing(*this, key, "true or false");
  return found->second;
}

std::size_t TaskArray::element_bytes() const {
  switch (type) {
    case Type::kDouble:
      return 8;
    case Type::kBf16:
    case Type::kHalf:
      return 2;
    case Type::kInt8:
    case Type::kBool:
      return 1;
    default:
      return 4;
  }
}

std::size_t TaskArray::rotated_by(double share) const {
  const std::size_t groups = count / grain;
  return grain * (1 + static_cast<std::size_t>(share * static_cast<double>(groups - 1)));
}

TaskResults results_of(const std::vector<TaskArray>& arrays, std::vector<std::vector<std::byte>> copies) {
  TaskResults out;
  for (std::size_t a = 0; a < arrays.size(); ++a) {
    const TaskArray& array = arrays[a];
    const auto read = [size = array.element_bytes(), type = array.type,
                       copy = std::make_shared<const std::vector<std::byte>>(std::move(copies[a]))](std::size_t i) {
      const std::byte* at = copy->data() + i * size;
      const auto as = [at]<typename T>(T value) {
        std::memcpy(&value, at, sizeof value);
        return value;
      };
      switch (type) {
        case TaskArray::Type::kFloat:
          return static_cast<double>(as(0.0f));
        case TaskArray::Type::kDouble:
          return as(0.0);
        case TaskArray::Type::kUnsigned:
          return static_cast<double>(as(0u));
        case TaskArray::Type::kBf16:
          return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(as(std::uint16_t{})) << 16));
        case TaskArray::Type::kHalf:
          return static_cast<double>(fp16_value(as(std::uint16_t{})));
        case TaskArray::Type::kInt:
          return static_cast<double>(as(std::int32_t{}));
        case TaskArray::Type::kInt8:
          return static_cast<double>(as(std::int8_t{}));
        case TaskArray::Type::kBool:
          return static_cast<double>(as(std::uint8_t{}));
      }
      return kAbsent;
    };
    out.push_back({array.count, read});
  }
  return out;
}

void count_unwritten(const std::vector<TaskArray>& outputs, const std::vector<std::vector<std::byte>>& copies,
                     TaskAudit& audit) {
  for (std::size_t a = 0; a < outputs.size(); ++a) {
    const std::size_t size = outputs[a].element_bytes();
    // Types without poison are skipped. An unwritten value of such a type is the filler, which the comparison detects.
    const std::size_t looked_at = outputs[a].has_poison() ? outputs[a].count : 0;
    for (std::size_t i = 0; i < looked_at; ++i) {
      const auto element = copies[a].begin() + static_cast<std::ptrdiff_t>(i * size);
      const bool left = std::all_of(element, element + static_cast<std::ptrdiff_t>(size),
                                    [](std::byte byte) { return byte == std::byte{kPoison}; });
      if (left && audit.unwritten++ == 0) audit.first_unwritten = audit.outputs + i;
    }
    audit.outputs += outputs[a].count;
  }
}

void Task::require_memory(double /*bytes*/) {}

std::uint64_t hash_bytes(std::span<const std::byte> bytes) {
  std::uint64_t hash = scrambled(bytes.size());
  while (!bytes.empty()) {
    std::uint64_t word = 0;
    const std::size_t taken = bytes.size() < sizeof word ? bytes.size() : sizeof word;
    std::memcpy(&word, bytes.data(), taken);
    hash = scrambled(hash ^ word);
    bytes = bytes.subspan(taken);
  }
  return hash;
}

std::vector<float> uniform_values(std::size_t count, std::uint64_t seed) {
  constexpr double kUnit = 1.0 / (1 << 23);  // 24 bits over [-1, 1): exact in FP32
  const std::uint64_t stream = scrambled(seed);
  std::vector<float> out(count);
  for (std::size_t i = 0; i < count; ++i) {
    out[i] = static_cast<float>(static_cast<double>(scrambled(stream + i) >> 40) * kUnit - 1.0);
  }
  return out;
}

}  // namespace bb::engine
