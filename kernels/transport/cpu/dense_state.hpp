#pragma once

#include <cstddef>
#include <vector>

#include "transport/model/problem.hpp"
#include "transport/model/tables.hpp"
#include "transport/run/solver.hpp"

namespace bb::transport {

/// ψ[e][θ][z][x] over the whole grid in type T, with a second buffer of the same size. With depth stepping, the state
/// holds ψ[e][θ][x] of one plane of the grid, row `plane`.
template <typename T>
class DenseState {
 public:
  DenseState(const Problem& problem, const Tables& tables);

  std::size_t row(int e, int a, int z) const {
    return ((static_cast<std::size_t>(e) * static_cast<std::size_t>(t_.ntheta) + static_cast<std::size_t>(a)) *
                static_cast<std::size_t>(rows) +
            static_cast<std::size_t>(z)) *
           static_cast<std::size_t>(t_.nx);
  }
  /// Row of the material map for row `z` of the state.
  int map_row(int z) const { return depth ? plane : z; }
  /// Class of angle `a`, the first index of the operator tables.
  int step_class(int a) const { return depth ? a : 0; }

  void visit(engine::RowVisitor& visitor) const;
  double bytes() const { return static_cast<double>(psi.size() + next.size()) * sizeof(T); }

  const bool depth;
  const int rows;  // rows of z in the state
  int plane = 0;
  std::vector<T> psi, next;

 private:
  const Tables& t_;
};

extern template class DenseState<float>;
extern template class DenseState<double>;

}  // namespace bb::transport
