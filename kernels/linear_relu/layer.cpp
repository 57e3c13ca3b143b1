#include "layer.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace bb::linear_relu {
namespace {

using engine::Check;
using engine::TaskProblem;

// Products with more multiply-adds than this are checked on a sample of their elements.
constexpr double kMaxCheckedCompletely = 1 << 27;
constexpr std::size_t kSampled = 4096;
// In a problem with NaN, one value of X is NaN in row 3 and in every further row at this distance.
constexpr std::size_t kNanEvery = 7;

Direction direction_of(const std::string& word) {
  if (word == "forward") return Direction::kForward;
  if (word == "backward") return Direction::kBackward;
  if (word == "through") return Direction::kThrough;
  throw ProblemError("invalid", "problem.direction = " + word + ": allowed: forward, backward, through");
}

/// Rounding error of a sum over `depth` products, relative to the sum of their absolute values.
double rounding(Arithmetic arithmetic, std::size_t depth) {
  const double length = 4.0 + std::sqrt(static_cast<double>(depth));
  const double fp32 = std::ldexp(length, -24);
  switch (arithmetic) {
    case Arithmetic::kFp64:
      return std::ldexp(length, -53);
    case Arithmetic::kFp32:
      return fp32;
    case Arithmetic::kTf32:
      return std::ldexp(1.0, -10) + fp32;  // both factors are rounded to 10 fractional bits
    case Arithmetic::kBf16:
      return std::ldexp(1.0, -8) + fp32;  // only the result is rounded to 8 bits; the inputs are already BF16
  }
  return 0.0;
}

struct ErrorSums {
  double worst = 0.0, sum = 0.0;
  std::size_t compared = 0, counted = 0, all = 0, nan = 0, mask = 0;
};

/// Error of the hardware's hyperbolic tangent, which a library's GELU may use.
constexpr double kTanhError = 0x1p-10;

/// Reference of one result matrix: element [row][column] is the sum over `depth` of term(row, column, k), to which
/// gate(row, column, sum) is applied. `offset` is added before the sum, and `added` after it.
struct Reference {
  std::size_t rows, columns, depth;
  std::function<double(std::size_t, std::size_t, std::size_t)> term;
  std::function<double(std::size_t)> offset;                     // empty for none
  std::function<double(std::size_t, std::size_t, double)> gate;  // empty for none
  bool rectified = false;                                        // counts wrong signs of the rectifier
  std::function<double(std::size_t, std::size_t)> added = {};    // followed by GELU
  bool bent = false;                                             // true if GELU is applied to the result
};

std::pair<std::size_t, std::size_t> sampled(const Reference& r, std::size_t i) {
  // The four corners come first, because partial tiles end there. Further elements are scattered by a multiplicative
  // hash.
  if (i < 4) return {(i & 1) != 0 ? r.rows - 1 : 0, (i & 2) != 0 ? r.columns - 1 : 0};
  const std::uint64_t h = (i * 0x9e3779b97f4a7c15ull) ^ ((i * 0x9e3779b97f4a7c15ull) >> 29);
  return {static_cast<std::size_t>(h >> 33) % r.rows, static_cast<std::size_t>(h & 0xffffffffu) % r.columns};
}

void compare_one(const Reference& r, const engine::TaskResult& result, std::size_t row, std::size_t column,
                 double limit, ErrorSums& found) {
  double sum = r.offset ? r.offset(column) : 0.0, size = std::abs(sum);
  for (std::size_t k = 0; k < r.depth; ++k) {
    const double term = r.term(row, column, k);
    sum += term;
    size += std::abs(term);
  }
  if (r.added) {
    const double more = r.added(row, column);
    sum += more;
    size += std::abs(more);
  }
  const double z = sum;
  // The slope of GELU is below 1.13, and the hardware's tangent adds an error.
  if (r.bent) size = 1.13 * size + kTanhError / limit * std::abs(z);
  if (r.gate) sum = r.gate(row, column, sum);
  const double got = result.at(row * r.columns + column);
  if (std::isnan(sum) || std::isnan(got)) {
    if (std::isnan(sum) != std::isnan(got)) ++found.nan;
    return;
  }
  const double difference = std::abs(got - sum);
  const double relative = size > 0.0 ? difference / size : difference;
  if (difference > 0.0) found.worst = std::max(found.worst, relative);
  found.sum += relative;
  ++found.counted;
  // If the exact z is smaller than the rounding error, either sign is correct.
  if (r.rectified && (got > 0.0) != (sum > 0.0) && std::abs(z) > limit * size) ++found.mask;
}

void compare_matrix(const Reference& r, const engine::TaskResult& result, double limit, ErrorSums& found) {
  const std::size_t count = r.rows * r.columns;
  found.all += count;
  if (static_cast<double>(count) * static_cast<double>(r.depth) <= kMaxCheckedCompletely || count <= kSampled) {
    for (std::size_t i = 0; i < count; ++i) compare_one(r, result, i / r.columns, i % r.columns, limit, found);
    found.compared += count;
    return;
  }
  for (std::size_t i = 0; i < kSampled; ++i) {
    const auto [row, column] = sampled(r, i);
    compare_one(r, result, row, column, limit, found);
  }
  found.compared += kSampled;
}

}  // namespace

Layer::Layer(const TaskProblem& problem, Arithmetic the_arithmetic)
    : batch(problem.count("batch")),
      inputs(problem.count("inputs")),
      outputs(problem.count("outputs")),
      direction(direction_of(problem.word("direction"))),
      activation(activation_of(problem)),
      bias(problem.on("bias")),
      residual(has_residual(problem)),
      arithmetic(the_arithmetic) {
  const std::string& values = problem.word("values");
  const bool zero = values == "zero";
  const auto made = [&](std::size_t count, std::uint64_t which) {
    return engine::uniform_values(count, problem.seed + 16 * which);
  };
  x = made(batch * inputs, 0);
  w = zero ? std::vector<float>(outputs * inputs) : made(outputs * inputs, 1);
  if (bias) b = zero ? std::vector<float>(outputs) : made(outputs, 2);
  if (residual) r = made(batch * outputs, 5);
  if (values == "with-nan") {
    for (std::size_t row = 3 % batch; row < batch; row += kNanEvery) {
      x[row * inputs + row * 13 % inputs] = std::numeric_limits<float>::quiet_NaN();
    }
  }
  if (direction != Direction::kForward) dy = made(batch * outputs, 3);
  if (direction == Direction::kBackward) {
    y = made(batch * outputs, 4);
    for (float& value : y) value = zero || value < 0.0f ? 0.0f : value;
  }
  if (arithmetic == Arithmetic::kBf16) {
    for (std::vector<float>* values_of : {&x, &w, &b, &dy, &y, &r}) {
      for (float& value : *values_of) value = bf16_value(bf16_bits(value));
    }
  }
}

engine::TaskWork Layer::work() const {
  const double element = arithmetic == Arithmetic::kBf16 ? 2.0 : arithmetic == Arithmetic::kFp64 ? 8.0 : 4.0;
  const double bi = static_cast<double>(batch) * static_cast<double>(inputs);
  const double oi = static_cast<double>(outputs) * static_cast<double>(inputs);
  const double bo = static_cast<double>(batch) * static_cast<double>(outputs);
  const double product = 2.0 * bi * static_cast<double>(outputs);
  switch (direction) {
    case Direction::kForward:
      return {.bytes = element * (bi + oi + (residual ? 2.0 : 1.0) * bo), .flops = product};
    case Direction::kBackward:
      return {.bytes = element * (2.0 * bi + 2.0 * oi + 2.0 * bo), .flops = 2.0 * product};
    case Direction::kThrough:
      return {.bytes = element * (2.0 * bi + oi + bo), .flops = product};
  }
  return {};
}

engine::CheckReport Layer::compare(const engine::TaskResults& results) const {
  ErrorSums found;
  double limit = 0.0;
  const auto matrix = [&](const Reference& reference, const engine::TaskResult& result) {
    const double own = rounding(arithmetic, reference.depth);
    limit = std::max(limit, own);
    compare_matrix(reference, result, own, found);
  };
  const auto at = [](const std::vector<float>& values, std::size_t index) {
    return static_cast<double>(values[index]);
  };
  const auto gradient = [&, this](std::size_t row, std::size_t column) {
    const std::size_t i = row * outputs + column;
    return y[i] > 0.0f ? at(dy, i) : 0.0;
  };
  switch (direction) {
    case Direction::kForward:
      matrix({.rows = batch,
              .columns = outputs,
              .depth = inputs,
              .term = [&](std::size_t m, std::size_t n,
                          std::size_t k) { return at(x, m * inputs + k) * at(w, n * inputs + k); },
              .offset = bias ? std::function<double(std::size_t)>([&](std::size_t n) { return at(b, n); }) : nullptr,
              .gate =
                  [f = activation](std::size_t, std::size_t, double z) {
                    return f == Activation::kGelu ? gelu(z) : f == Activation::kRelu && z <= 0.0 ? 0.0 : z;
                  },
              .rectified = activation == Activation::kRelu,
              .added = residual ? std::function<double(std::size_t, std::size_t)>(
                                      [&](std::size_t m, std::size_t n) { return at(r, m * outputs + n); })
                                : nullptr,
              .bent = activation == Activation::kGelu},
             results.at(kY));
      break;
    case Direction::kBackward:
      matrix(
          {.rows = batch,
           .columns = inputs,
           .depth = outputs,
           .term = [&](std::size_t m, std::size_t n, std::size_t k) { return gradient(m, k) * at(w, k * inputs + n); },
           .offset = nullptr,
           .gate = nullptr},
          results.at(kDx));
      matrix(
          {.rows = outputs,
           .columns = inputs,
           .depth = batch,
           .term = [&](std::size_t m, std::size_t n, std::size_t k) { return gradient(k, m) * at(x, k * inputs + n); },
           .offset = nullptr,
           .gate = nullptr},
          results.at(kDw));
      if (bias) {
        matrix({.rows = 1,
                .columns = outputs,
                .depth = batch,
                .term = [&](std::size_t, std::size_t n, std::size_t k) { return gradient(k, n); },
                .offset = nullptr,
                .gate = nullptr},
               results.at(kSums));
      }
      break;
    case Direction::kThrough: {
      matrix({.rows = batch,
              .columns = inputs,
              .depth = outputs,
              .term = [&](std::size_t m, std::size_t n,
                          std::size_t k) { return at(dy, m * outputs + k) * at(w, k * inputs + n); },
              .offset = nullptr,
              .gate = [&](std::size_t m, std::size_t n, double sum) { return x[m * inputs + n] > 0.0f ? sum : 0.0; }},
             results.at(kDx));
      // A column of this reference needs batch x outputs terms, so only a few columns are checked.
      if (bias) {
        constexpr std::size_t kColumns = 4;
        matrix({.rows = 1,
                .columns = std::min(inputs, kColumns),
                .depth = batch * outputs,
                .term =
                    [&](std::size_t, std::size_t n, std::size_t k) {
                      const std::size_t row = k / outputs;
                      return x[row * inputs + n] > 0.0f ? at(dy, k) * at(w, k % outputs * inputs + n) : 0.0;
                    },
                .offset = nullptr,
                .gate = nullptr},
               results.at(kSums));
      }
      break;
    }
  }
  std::vector<Check> checks = {
      {"relative", "Largest error relative to the sum of absolute products", found.worst, limit},
      {"mean", "Mean error relative to the sum of absolute products",
       found.counted > 0 ? found.sum / static_cast<double>(found.counted) : 0.0, limit},
      {"nan", "Values that are NaN only in the result or only in the reference", static_cast<double>(found.nan), 0.0}};
  if (direction == Direction::kForward && activation == Activation::kRelu) {
    checks.push_back({"mask", "Values rectified only in the result or only in the reference, beyond rounding",
                      static_cast<double>(found.mask), 0.0});
  }
  const std::string share = found.compared == found.all
                                ? "all " + std::to_string(found.all)
                                : std::to_string(found.compared) + " of " + std::to_string(found.all);
  return {checks, share + " outputs with FP64 of the same inputs"};
}

Activation activation_of(const TaskProblem& problem) {
  const auto found = problem.words.find("activation");
  if (found == problem.words.end() || found->second == "relu") return Activation::kRelu;
  if (found->second == "gelu") return Activation::kGelu;
  if (found->second == "none") return Activation::kNone;
  throw ProblemError("invalid", "problem.activation = " + found->second + ": allowed: relu, gelu, none");
}

bool has_residual(const TaskProblem& problem) {
  return problem.switches.contains("residual") && problem.on("residual");
}

std::string forward_only_refusal(const TaskProblem& problem) {
  const bool more = activation_of(problem) != Activation::kRelu || has_residual(problem);
  return more && problem.word("direction") != "forward"
             ? "other activations and a residual are only available in the forward direction"
             : "";
}

std::string rectifier_only_refusal(const TaskProblem& problem) {
  const bool more = activation_of(problem) != Activation::kRelu || has_residual(problem);
  return more ? "this variant supports only relu, without a residual" : "";
}

double multiply_adds(const TaskProblem& problem) {
  const double once = problem.number("batch") * problem.number("inputs") * problem.number("outputs");
  return problem.word("direction") == "backward" ? 2.0 * once : once;
}

double matrix_bytes(const TaskProblem& problem) {
  const double b = problem.number("batch"), i = problem.number("inputs"), o = problem.number("outputs");
  const bool backward = problem.word("direction") == "backward";
  const double elements = backward ? 2.0 * b * i + 2.0 * o * i + 3.0 * b * o
                                   : 2.0 * b * i + o * i + (has_residual(problem) ? 2.0 : 1.0) * b * o;
  return 4.0 * elements;
}

}  // namespace bb::linear_relu
