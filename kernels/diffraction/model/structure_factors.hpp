#pragma once

#include <span>
#include <vector>

#include "factor_box.hpp"
#include "problem.hpp"

namespace bb::diffraction {

/// F of every reflection in the box that holds the list; what is not in the list, in the box or outside, has the
/// default.
class StructureFactors {
 public:
  StructureFactors(const StructureFactors&) = delete;
  /// The table stays where it is.
  StructureFactors(StructureFactors&&) = default;
  /// Throws ProblemError('memory') for a list whose box is larger than `most_bytes`.
  StructureFactors(std::span<const Reflection> list, double default_f, double most_bytes);

  bool constant() const { return table_.empty(); }
  double default_f() const { return box_.other; }

  double nearest(int h, int k, int l) const { return box_.nearest(h, k, l); }
  double tricubic(double h, double k, double l) const { return constant() ? box_.other : box_.tricubic(h, k, l); }

  /// A view of the table.
  const FactorBox<double>& box() const { return box_; }
  std::span<const double> table() const { return table_; }

 private:
  FactorBox<double> box_;
  std::vector<double> table_;
};

}  // namespace bb::diffraction
