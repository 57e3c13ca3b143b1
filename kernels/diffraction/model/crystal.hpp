#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "factor_box.hpp"
#include "problem.hpp"
#include "vec3.hpp"

namespace bb::diffraction {

/// Volume of a cell, m³. Throws ProblemError('invalid') if the angles do not close a cell.
double volume(const Cell& cell);

/// Reciprocal basis a*, b*, c* in 1/m: a* along x, b* in the x–y plane. c*_z follows from the volume, V* / (a* b* sin
/// γ*), which is also correct for triclinic cells; 1/c is not. After Busing & Levy, Acta Cryst. 22 (1967) 457.
Basis reciprocal_basis(const Cell& cell);

/// Converts a reciprocal basis to real edges, or the reverse. Throws ProblemError('invalid') if the three vectors lie
/// in one plane.
Basis inverse_basis(const Basis& basis);

/// Real edges of the mounted crystal, metres: the cell or the matrix, rotated by the misset.
Basis mounted_cell(const Crystal& crystal);

/// The generator "ran1" of Numerical Recipes in C, 2nd ed., §7.1: Park and Miller's with a Bays–Durham shuffle.
/// Returns FP32 numbers in (0, 1). It draws the mosaic domains, so that a crystal equals that of nanoBragg.
class Ran1 {
 public:
  /// `seed` is 1 or more.
  explicit Ran1(std::int32_t seed) : state_(seed < 1 ? 1 : seed) {
    for (int j = kTable + 7; j >= 0; --j) {
      advance();
      if (j < kTable) table_[static_cast<std::size_t>(j)] = state_;
    }
    last_ = table_[0];
  }

  float operator()() {
    advance();
    auto& slot = table_[static_cast<std::size_t>(last_ / (1 + (kModulus - 1) / kTable))];
    last_ = slot;
    slot = state_;
    const float value = static_cast<float>((1.0 / kModulus) * last_);
    return value > kLargest ? kLargest : value;
  }

 private:
  static constexpr std::int32_t kModulus = 2147483647;
  static constexpr int kTable = 32;
  static constexpr float kLargest = static_cast<float>(1.0 - 1.2e-7);

  /// state = 16807 · state mod 2³¹-1.
  void advance() { state_ = static_cast<std::int32_t>(std::int64_t{16807} * state_ % kModulus); }

  std::int32_t state_, last_ = 0;
  std::array<std::int32_t, kTable> table_{};
};

/// Rotations of `domains` blocks by at most `spread` rad about random axes; the first is not rotated.
/// Equal seeds give equal crystals on every machine.
std::vector<Mat3> mosaic_domains(double spread, int domains, std::int32_t seed);

/// F of every reflection in the smallest box around the list. Unlisted reflections have the default F.
class StructureFactors {
 public:
  StructureFactors(const StructureFactors&) = delete;
  /// Moving keeps the address of the table.
  StructureFactors(StructureFactors&&) = default;
  /// If `cancel` is set, the table is incomplete and must not be used.
  StructureFactors(std::span<const Reflection> list, double default_f, const std::atomic<bool>& cancel = false);
  /// Bounding box of the indices in a list; has no cells if the list is empty.
  static FactorBox<double> box_about(std::span<const Reflection> list);

  bool constant() const { return table_.empty(); }
  double default_f() const { return box_.other; }

  double nearest(int h, int k, int l) const { return box_.nearest(h, k, l); }
  double tricubic(double h, double k, double l) const { return constant() ? box_.other : box_.tricubic(h, k, l); }

  /// View of the table.
  const FactorBox<double>& box() const { return box_; }
  std::span<const double> table() const { return table_; }

 private:
  FactorBox<double> box_;
  std::vector<double> table_;
};

}  // namespace bb::diffraction
