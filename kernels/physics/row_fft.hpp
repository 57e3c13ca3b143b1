#pragma once

#include <cmath>
#include <cstddef>
#include <numbers>
#include <span>
#include <vector>

// Convolution of rows with a symmetric kernel by the fast Fourier transform (Cooley & Tukey, Math. Comp. 19 (1965)
// 297), for many columns in parallel. Compiled per instruction set if BB_ISA is defined.
#ifndef BB_ISA
#define BB_ISA device
#endif
namespace bb::physics::BB_ISA {

/// Shortest power of two for which a circular convolution over `reach` does not wrap from one end of `rows` to the
/// other.
inline std::size_t fft_length(std::size_t rows, std::size_t reach) {
  std::size_t length = 1;
  while (length < rows + reach) length *= 2;
  return length;
}

/// Transforms columns in parallel. One complex number holds two real columns, which stay separate when multiplied by a
/// real spectrum.
template <typename T>
class RowFft {
 public:
  static constexpr std::size_t kLanes = 64 / sizeof(T);

  explicit RowFft(std::size_t length) : length_(length), cosine_(length / 2), sine_(length / 2) {
    for (std::size_t j = 0; j < length / 2; ++j) {
      const double turn = 2.0 * std::numbers::pi * static_cast<double>(j) / static_cast<double>(length);
      cosine_[j] = static_cast<T>(std::cos(turn));
      sine_[j] = static_cast<T>(std::sin(turn));
    }
  }

  std::size_t length() const { return length_; }
  /// Length of each of the two arrays passed to convolve().
  std::size_t values() const { return length_ * kLanes; }

  /// Transform of a symmetric kernel at one frequency, divided by the length; `weights` are at distance 0, 1, ….
  double at_frequency(std::span<const T> weights, std::size_t f) const {
    double sum = static_cast<double>(weights[0]);
    for (std::size_t k = 1; k < weights.size(); ++k) {
      const auto turns = static_cast<double>(f * k % length_) / static_cast<double>(length_);
      sum += 2.0 * static_cast<double>(weights[k]) * std::cos(2.0 * std::numbers::pi * turns);
    }
    return sum / static_cast<double>(length_);
  }
  /// Spectrum at all frequencies, in the order that convolve() uses.
  std::vector<T> spectrum(std::span<const T> weights) const {
    std::vector<T> out(length_);
    std::size_t bits = 0;
    while ((std::size_t{1} << bits) < length_) ++bits;
    for (std::size_t f = 0; f < length_; ++f) {
      std::size_t reversed = 0;
      for (std::size_t b = 0; b < bits; ++b) reversed |= (f >> b & 1) << (bits - 1 - b);
      out[reversed] = static_cast<T>(at_frequency(weights, f));
    }
    return out;
  }
  /// Spectrum for a transform of real numbers, without the redundant upper frequencies.
  std::vector<T> half_spectrum(std::span<const T> weights) const {
    std::vector<T> out;
    for (std::size_t f = 0; f <= length_ / 2; ++f) out.push_back(static_cast<T>(at_frequency(weights, f)));
    return out;
  }

  /// Convolves two arrays [row][lane], length() rows each, in place: every column separately.
  void convolve(T* real, T* imaginary, const T* spectrum) const {
    for (std::size_t size = length_; size > 1; size /= 2) forward(real, imaginary, size);
    for (std::size_t f = 0; f < length_; ++f) {
      const T by = spectrum[f];
      T *re = real + f * kLanes, *im = imaginary + f * kLanes;
      for (std::size_t l = 0; l < kLanes; ++l) re[l] *= by;
      for (std::size_t l = 0; l < kLanes; ++l) im[l] *= by;
    }
    for (std::size_t size = 2; size <= length_; size *= 2) backward(real, imaginary, size);
  }

 private:
  /// One decimation-in-frequency step over blocks of `size` rows: sums, and differences times twiddle factors. The
  /// frequencies end in bit-reversed order.
  void forward(T* real, T* imaginary, std::size_t size) const {
    const std::size_t half = size / 2, stride = length_ / size;
    for (std::size_t first = 0; first < length_; first += size) {
      for (std::size_t j = 0; j < half; ++j) {
        const T c = cosine_[j * stride], s = sine_[j * stride];
        T *re0 = real + (first + j) * kLanes, *re1 = re0 + half * kLanes;
        T *im0 = imaginary + (first + j) * kLanes, *im1 = im0 + half * kLanes;
        for (std::size_t l = 0; l < kLanes; ++l) {
          const T x = re0[l] - re1[l], y = im0[l] - im1[l];
          re0[l] += re1[l];
          im0[l] += im1[l];
          re1[l] = c * x + s * y;
          im1[l] = c * y - s * x;
        }
      }
    }
  }
  void backward(T* real, T* imaginary, std::size_t size) const {
    const std::size_t half = size / 2, stride = length_ / size;
    for (std::size_t first = 0; first < length_; first += size) {
      for (std::size_t j = 0; j < half; ++j) {
        const T c = cosine_[j * stride], s = sine_[j * stride];
        T *re0 = real + (first + j) * kLanes, *re1 = re0 + half * kLanes;
        T *im0 = imaginary + (first + j) * kLanes, *im1 = im0 + half * kLanes;
        for (std::size_t l = 0; l < kLanes; ++l) {
          const T x = c * re1[l] - s * im1[l], y = c * im1[l] + s * re1[l];
          re1[l] = re0[l] - x;
          im1[l] = im0[l] - y;
          re0[l] += x;
          im0[l] += y;
        }
      }
    }
  }

  std::size_t length_;
  std::vector<T> cosine_, sine_;
};

}  // namespace bb::physics::BB_ISA
