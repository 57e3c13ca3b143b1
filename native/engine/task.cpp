#include "task.hpp"

#include <cmath>
#include <cstring>

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
