#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace bb::micro {

/// Which of `total` results are compared with the FP64 reference: all of them, or where the reference needs far longer
/// than the work, `most` spread evenly from the first to the last.
class Samples {
 public:
  static constexpr std::size_t kMost = 1 << 16;  // of results whose reference has many terms

  explicit Samples(std::size_t total) : Samples(total, total) {}
  Samples(std::size_t total, std::size_t most) : total_(total), count_(std::min(total, most)) {}

  std::size_t size() const { return count_; }
  std::size_t total() const { return total_; }
  std::size_t operator[](std::size_t k) const {
    return count_ == total_ ? k : static_cast<std::size_t>(static_cast<double>(k) * step());
  }

  /// `of(index)` of every sample.
  template <typename F>
  std::vector<double> map(F&& of) const {
    std::vector<double> out(count_);
    for (std::size_t k = 0; k < count_; ++k) out[k] = static_cast<double>(of((*this)[k]));
    return out;
  }
  template <typename T>
  std::vector<double> take(std::span<const T> results) const {
    return map([&](std::size_t i) { return results[i]; });
  }

  /// "all 1000 results", "65536 of 4194304 results"
  std::string text() const;

 private:
  double step() const { return static_cast<double>(total_ - 1) / static_cast<double>(count_ - 1); }

  std::size_t total_, count_;
};

}  // namespace bb::micro
