#include "angle_rows.hpp"

#include <algorithm>

#include "physics/row_fft.hpp"

namespace bb::micro::BB_ISA {
namespace {

void direct(const AngleRows& r, std::size_t first, std::size_t last) {
  const std::vector<float>& w = *r.weights;
  const std::size_t reach = w.size() - 1, wide = last - first;
  for (std::size_t a = 0; a < r.angles; ++a) {
    float* out = r.out + a * r.cells + first;
    std::fill(out, out + wide, 0.0f);
    const auto add = [&](std::size_t b, float by) {
      const float* in = r.in + b * r.cells + first;
      for (std::size_t i = 0; i < wide; ++i) out[i] += by * in[i];
    };
    // Sums from the small weights at large distances to the large ones at small distances, to reduce rounding errors.
    for (std::size_t k = reach; k > 0; --k) {
      if (a >= k) add(a - k, w[k]);
      if (a + k < r.angles) add(a + k, w[k]);
    }
    add(a, w[0]);
  }
}

void transformed(const AngleRows& r, std::size_t first, std::size_t last) {
  using Fft = physics::BB_ISA::RowFft<float>;
  const Fft fft(physics::BB_ISA::fft_length(r.angles, r.weights->size() - 1));
  std::vector<float> parts[2] = {std::vector<float>(fft.values()), std::vector<float>(fft.values())};
  for (std::size_t at = first; at < last; at += 2 * Fft::kLanes) {
    for (std::size_t part = 0; part < 2; ++part) {
      const std::size_t begin = at + part * Fft::kLanes;
      const std::size_t count = begin < last ? std::min(Fft::kLanes, last - begin) : 0;
      std::fill(parts[part].begin(), parts[part].end(), 0.0f);
      for (std::size_t a = 0; a < r.angles; ++a) {
        std::copy_n(r.in + a * r.cells + begin, count, parts[part].data() + a * Fft::kLanes);
      }
    }
    fft.convolve(parts[0].data(), parts[1].data(), r.spectrum->data());
    for (std::size_t part = 0; part < 2; ++part) {
      const std::size_t begin = at + part * Fft::kLanes;
      const std::size_t count = begin < last ? std::min(Fft::kLanes, last - begin) : 0;
      for (std::size_t a = 0; a < r.angles; ++a) {
        std::copy_n(parts[part].data() + a * Fft::kLanes, count, r.out + a * r.cells + begin);
      }
    }
  }
}

}  // namespace

const AngleRowFunctions& angle_functions() {
  static constexpr AngleRowFunctions all{direct, transformed};
  return all;
}

}  // namespace bb::micro::BB_ISA
