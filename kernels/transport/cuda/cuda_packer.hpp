#pragma once

#include <cstddef>
#include <cstring>
#include <functional>
#include <span>
#include <vector>

#include "cuda/device/buffer.hpp"

namespace bb::transport {

/// Lays arrays out one after the other and, when their place on the device is known, sets the pointers.
class Packer {
 public:
  template <typename V>
  void add(const std::vector<V>& values, const V** pointer) {
    const std::size_t at = (bytes_.size() + kAlignment - 1) / kAlignment * kAlignment;
    bytes_.resize(at + values.size() * sizeof(V));
    if (!values.empty()) std::memcpy(bytes_.data() + at, values.data(), values.size() * sizeof(V));
    pointers_.push_back([at, pointer](unsigned char* base) { *pointer = reinterpret_cast<const V*>(base + at); });
  }

  /// The copy is complete when it returns.
  cuda::DeviceBuffer<unsigned char> send(cuda::Stream& stream, cuda::Reuse reuse = cuda::Reuse::kNo) {
    cuda::DeviceBuffer<unsigned char> out(stream.device(), bytes_.size(), reuse);
    out.upload(std::span<const unsigned char>(bytes_), stream);
    stream.synchronize();
    for (const auto& set : pointers_) set(out.pointer());
    return out;
  }

 private:
  // The first load of a warp from any array, and any 16-byte load, starts on a whole line.
  static constexpr std::size_t kAlignment = 128;

  std::vector<unsigned char> bytes_;
  std::vector<std::function<void(unsigned char*)>> pointers_;
};

}  // namespace bb::transport
