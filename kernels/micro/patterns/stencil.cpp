#include "stencil.hpp"

#include <cmath>

namespace bb::micro {

std::function<void(cuda::Stream&)> constant_taps(CudaBench& bench, const std::vector<float>& taps, const char* kernel) {
  const auto place = bench.module().global("micro_taps", kernel);
  const cuda::api::DevicePointer address = place.first;
  const std::size_t size = place.second;
  if (taps.size() * sizeof(float) > size) {
    throw ProblemError("unsupported", std::to_string(taps.size()) + " taps do not fit into " + std::to_string(size) +
                                          " bytes of constant memory");
  }
  const auto send = [taps, address](cuda::Stream& to) {
    to.check(cuda::driver().MemcpyHtoDAsync(address, taps.data(), taps.size() * sizeof(float), to.handle()),
             "cuMemcpyHtoDAsync_v2");
    to.synchronize();
  };
  send(bench.stream());
  return send;
}

std::vector<float> stencil_taps(std::size_t count, std::uint64_t seed) {
  std::vector<float> taps = engine::uniform_values(count, seed);
  float sum = 0;
  for (const float tap : taps) sum += std::abs(tap);
  for (float& tap : taps) tap /= sum;
  return taps;
}

}  // namespace bb::micro
