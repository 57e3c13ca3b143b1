#pragma once

#include <span>
#include <vector>

#include "problem.hpp"

namespace bb::diffraction {

/// F of every reflection in the box that holds the list; what is not in the list, in the box or outside, has the
/// default.
class StructureFactors {
 public:
  /// Throws ProblemError('memory') for a list whose box is larger than `most_bytes`.
  StructureFactors(std::span<const Reflection> list, double default_f, double most_bytes);

  bool constant() const { return table_.empty(); }
  double default_f() const { return default_; }

  double nearest(int h, int k, int l) const {
    const unsigned i = static_cast<unsigned>(h - h0_), j = static_cast<unsigned>(k - k0_),
                   m = static_cast<unsigned>(l - l0_);
    if (i >= nh_ || j >= nk_ || m >= nl_) return default_;
    return table_[(static_cast<std::size_t>(i) * nk_ + j) * nl_ + m];
  }

  /// Between reflections: the cubic through the four nearest along each axis.
  double tricubic(double h, double k, double l) const;

  std::span<const double> table() const { return table_; }

 private:
  double default_;
  int h0_ = 0, k0_ = 0, l0_ = 0;
  unsigned nh_ = 0, nk_ = 0, nl_ = 0;
  std::vector<double> table_;  // [h][k][l]
};

}  // namespace bb::diffraction
