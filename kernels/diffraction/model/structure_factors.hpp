#pragma once

#include <atomic>
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
  /// Once `cancel` is set the table is left unfinished, and of no use.
  StructureFactors(std::span<const Reflection> list, double default_f, const std::atomic<bool>& cancel = false);
  /// The box about the indices of a list; without cells for none.
  static FactorBox<double> box_about(std::span<const Reflection> list);

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
