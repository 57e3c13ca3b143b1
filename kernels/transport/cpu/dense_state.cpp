#include "dense_state.hpp"

#include <algorithm>
#include <vector>

#include "transport/model/index.hpp"

namespace bb::transport {

template <typename T>
DenseState<T>::DenseState(const Problem& problem, const Tables& tables)
    : depth(problem.stepping == Stepping::kDepth), rows(depth ? 1 : tables.nz), t_(tables) {
  const std::size_t cells = u(t_.ne) * u(t_.ntheta) * u(rows) * u(t_.nx);
  psi.assign(cells, T(0));
  next.assign(cells, T(0));
  plane = depth ? t_.start.z : 0;
  if (problem.filled) {
    for (std::size_t i = 0; i < cells; ++i) psi[i] = static_cast<T>(filled_value(problem.seed, i));
    return;
  }
  std::vector<double> columns(u(t_.nx));
  for (int e = 0; e < t_.ne; ++e) {
    for (int a = 0; a < t_.ntheta; ++a) {
      std::ranges::fill(columns, 0.0);
      if (!t_.start.add(e, a, columns)) continue;
      T* to = &psi[row(e, a, depth ? 0 : t_.start.z)];
      for (std::size_t x = 0; x < columns.size(); ++x) to[x] = static_cast<T>(columns[x]);
    }
  }
}

template <typename T>
void DenseState<T>::visit(engine::RowVisitor& visitor) const {
  for (int e = 0; e < t_.ne; ++e) {
    for (int a = 0; a < t_.ntheta; ++a) {
      for (int r = 0; r < rows && map_row(r) < t_.nz; ++r) {
        visitor.row(e, a, map_row(r), 0, std::span<const T>(&psi[row(e, a, r)], u(t_.nx)));
      }
    }
  }
}

template class DenseState<float>;
template class DenseState<double>;

}  // namespace bb::transport
