#include "cuda_layer.hpp"

#include <type_traits>

namespace bb::linear_relu {
namespace {

constexpr double kLibraries_bytes = 128e6;  // workspaces and cuBLAS's internal memory

}  // namespace

template <typename T>
cuda::DeviceBuffer<T> CudaLayer<T>::on_device(const std::vector<float>& values) {
  if constexpr (std::is_same_v<T, float>) {
    return uploaded<float>(values);
  } else {
    std::vector<T> bits(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) bits[i] = bf16_bits(values[i]);
    return uploaded<T>(bits);
  }
}

template <typename T>
std::vector<float> CudaLayer<T>::read(const cuda::DeviceBuffer<T>& values) {
  if constexpr (std::is_same_v<T, float>) {
    return values.read(stream());
  } else {
    const std::vector<T> bits = values.read(stream());
    std::vector<float> out(bits.size());
    for (std::size_t i = 0; i < bits.size(); ++i) out[i] = bf16_value(bits[i]);
    return out;
  }
}

template <typename T>
void CudaLayer<T>::prepare() {
  part("upload", [&] {
    x_ = on_device(layer_.x);
    w_ = on_device(layer_.w);
    if (layer_.bias) b_ = on_device(layer_.b);
    dy_ = on_device(layer_.dy);
    gate_ = on_device(layer_.y);
    if (layer_.residual) r_ = on_device(layer_.r);
  });
  part("allocate", [&] {
    const std::size_t bo = layer_.batch * layer_.outputs, bi = layer_.batch * layer_.inputs;
    if (layer_.direction == Direction::kForward) {
      y_ = buffer<T>(bo);
    } else {
      dx_ = buffer<T>(bi);
      sums_ = buffer<T>(layer_.direction == Direction::kBackward ? layer_.outputs : layer_.inputs);
    }
    if (layer_.direction == Direction::kBackward) {
      g_ = buffer<T>(bo);
      dw_ = buffer<T>(layer_.outputs * layer_.inputs);
    }
  });
  part("plan", [&] {
    plan();
    stream().synchronize();
  });
}

template <typename T>
engine::TaskArrays CudaLayer<T>::arrays() {
  engine::TaskArrays out{
      .inputs = {array_of(x_), array_of(w_), array_of(b_), array_of(dy_), array_of(gate_), array_of(r_)},
      .outputs = {array_of(y_), array_of(dx_), array_of(dw_), array_of(sums_)}};
  // Column sums are only written if there is a bias.
  if (!layer_.bias) out.outputs.back() = {};
  return out;
}

template <typename T>
engine::TaskResults CudaLayer<T>::results() {
  engine::TaskResults out(kResults);
  const Layer& l = layer_;
  if (l.direction == Direction::kForward) {
    out[kY] = result_of(read(y_));
  } else {
    out[kDx] = result_of(read(dx_));
    if (l.bias) out[kSums] = result_of(read(sums_));
  }
  if (l.direction == Direction::kBackward) out[kDw] = result_of(read(dw_));
  return out;
}

template <typename T>
std::uint64_t CudaLayer<T>::hash() {
  std::uint64_t all = 0;
  for (const cuda::DeviceBuffer<T>* result : {&y_, &dx_, &dw_}) {
    if (result->size() == 0) continue;
    const std::uint64_t parts[] = {all, engine::hash_values<T>(result->read(stream()))};
    all = engine::hash_values<std::uint64_t>(parts);
  }
  if (layer_.bias && sums_.size() > 0) {
    const std::uint64_t parts[] = {all, engine::hash_values<T>(sums_.read(stream()))};
    all = engine::hash_values<std::uint64_t>(parts);
  }
  return all;
}

template class CudaLayer<float>;
template class CudaLayer<std::uint16_t>;

double cuda_bytes(const engine::TaskProblem& problem) { return matrix_bytes(problem) + kLibraries_bytes; }

std::string cuda_unavailable() { return cuda::unavailable("linear_relu"); }

}  // namespace bb::linear_relu
