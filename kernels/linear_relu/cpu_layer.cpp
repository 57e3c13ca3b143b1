#include "cpu_layer.hpp"

#include <algorithm>
#include <span>
#include <type_traits>

namespace bb::linear_relu {
namespace {

constexpr std::size_t kRowsAtOnce = 16;

int blocks(std::size_t count, std::size_t size) { return static_cast<int>((count + size - 1) / size); }

}  // namespace

template <typename T>
CpuLayer<T>::CpuLayer(const engine::TaskProblem& problem)
    : CpuTask(problem), layer_(problem, std::is_same_v<T, double> ? Arithmetic::kFp64 : Arithmetic::kFp32) {}

template <typename T>
void CpuLayer<T>::prepare() {
  part("allocate", [&] {
    const auto copy = [](const std::vector<float>& from) { return std::vector<T>(from.begin(), from.end()); };
    x_ = copy(layer_.x), w_ = copy(layer_.w), b_ = copy(layer_.b), dy_ = copy(layer_.dy), gate_ = copy(layer_.y),
    r_ = copy(layer_.r);
    const std::size_t bo = layer_.batch * layer_.outputs, bi = layer_.batch * layer_.inputs;
    if (layer_.direction == Direction::kForward) {
      y_.resize(bo);
    } else {
      dx_.resize(bi);
      sums_.resize(layer_.direction == Direction::kBackward ? layer_.outputs : layer_.inputs);
    }
    if (layer_.direction == Direction::kBackward) {
      g_.resize(bo);
      dw_.resize(layer_.outputs * layer_.inputs);
    }
  });
}

template <typename T>
void CpuLayer<T>::run() {
  const std::size_t batch = layer_.batch, inputs = layer_.inputs, outputs = layer_.outputs;
  switch (layer_.direction) {
    case Direction::kForward:
      product(x_.data(), StorageOrder::kAsIs, w_.data(), StorageOrder::kTransposed, y_.data(), batch, outputs, inputs);
      finish();
      break;
    case Direction::kBackward:
      gate(dy_.data(), gate_.data(), g_.data(), batch, outputs);
      product(g_.data(), StorageOrder::kAsIs, w_.data(), StorageOrder::kAsIs, dx_.data(), batch, inputs, outputs);
      product(g_.data(), StorageOrder::kTransposed, x_.data(), StorageOrder::kAsIs, dw_.data(), outputs, inputs, batch);
      break;
    case Direction::kThrough:
      product(dy_.data(), StorageOrder::kAsIs, w_.data(), StorageOrder::kAsIs, dx_.data(), batch, inputs, outputs);
      gate(dx_.data(), x_.data(), dx_.data(), batch, inputs);
      break;
  }
}

template <typename T>
void CpuLayer<T>::finish() {
  pool().run(blocks(layer_.batch, kRowsAtOnce), [&](int block, int) {
    const std::size_t first = static_cast<std::size_t>(block) * kRowsAtOnce;
    for (std::size_t row = first; row < std::min(layer_.batch, first + kRowsAtOnce); ++row) {
      T* y = &y_[row * layer_.outputs];
      for (std::size_t n = 0; n < layer_.outputs; ++n) {
        T z = layer_.bias ? y[n] + b_[n] : y[n];
        if (layer_.residual) z += r_[row * layer_.outputs + n];
        if (layer_.activation == Activation::kGelu) z = gelu(z);
        // Keeps NaN, which the form z > 0 ? z : 0 would not.
        y[n] = layer_.activation == Activation::kRelu && z <= T{0} ? T{0} : z;
      }
    }
  });
}

template <typename T>
void CpuLayer<T>::gate(const T* gradient, const T* by, T* out, std::size_t rows, std::size_t columns) {
  // Tasks own disjoint columns, so that no two tasks add to the same sum and the order of additions is fixed.
  constexpr std::size_t kColumnsAtOnce = 64;
  pool().run(blocks(columns, kColumnsAtOnce), [&](int block, int) {
    const std::size_t first = static_cast<std::size_t>(block) * kColumnsAtOnce;
    const std::size_t last = std::min(columns, first + kColumnsAtOnce);
    double sums[kColumnsAtOnce]{};
    for (std::size_t row = 0; row < rows; ++row) {
      for (std::size_t n = first; n < last; ++n) {
        const std::size_t at = row * columns + n;
        out[at] = by[at] > T{0} ? gradient[at] : T{0};
        sums[n - first] += static_cast<double>(out[at]);
      }
    }
    for (std::size_t n = first; n < last; ++n) sums_[n] = static_cast<T>(sums[n - first]);
  });
}

template <typename T>
engine::TaskArrays CpuLayer<T>::arrays() {
  constexpr auto kType = std::is_same_v<T, double> ? engine::TaskArray::Type::kDouble : engine::TaskArray::Type::kFloat;
  const auto of = [](std::vector<T>& values) { return engine::TaskArray{values.data(), values.size(), kType}; };
  return {.inputs = {of(x_), of(w_), of(b_), of(dy_), of(gate_), of(r_)},
          .outputs = {of(y_), of(dx_), of(dw_), of(sums_)}};
}

template <typename T>
engine::TaskResults CpuLayer<T>::results() {
  engine::TaskResults out(kResults);
  out[kY] = result_of(std::span<const T>(y_));
  out[kDx] = result_of(std::span<const T>(dx_));
  out[kDw] = result_of(std::span<const T>(dw_));
  out[kSums] = result_of(std::span<const T>(sums_));
  return out;
}

template <typename T>
std::uint64_t CpuLayer<T>::hash() {
  const std::uint64_t parts[] = {engine::hash_values<T>(y_), engine::hash_values<T>(dx_), engine::hash_values<T>(dw_),
                                 engine::hash_values<T>(sums_)};
  return engine::hash_values<std::uint64_t>(parts);
}

template class CpuLayer<float>;
template class CpuLayer<double>;

}  // namespace bb::linear_relu
