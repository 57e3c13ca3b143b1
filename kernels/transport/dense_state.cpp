#include "dense_state.hpp"

namespace bb::transport {
namespace {

std::size_t u(int i) { return static_cast<std::size_t>(i); }

}  // namespace

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
  for (int e = 0; e < t_.ne; ++e) {
    for (int a = 0; a < t_.ntheta; ++a) {
      const double weight = t_.start.energy_weight[u(e)] * t_.start.angle_weight[u(a)];
      T* to = &psi[row(e, a, depth ? 0 : t_.start.z)];
      for (int x = 0; x < t_.nx; ++x) to[x] = static_cast<T>(weight * t_.start.x_weight[u(a) * u(t_.nx) + u(x)]);
    }
  }
}

template <typename T>
void DenseState<T>::marginals(engine::Marginals& out) const {
  std::vector<double> zx(t_.plane()), xt(u(t_.nx) * u(t_.ntheta)), et(u(t_.ne) * u(t_.ntheta)), ez(u(t_.ne) * u(t_.nz));
  double number = 0.0;
  double depth_sum = 0.0;
  for (int e = 0; e < t_.ne; ++e) {
    for (int a = 0; a < t_.ntheta; ++a) {
      for (int r = 0; r < rows; ++r) {
        const int z = map_row(r);
        if (z >= t_.nz) continue;
        const T* p = &psi[row(e, a, r)];
        double sum = 0.0;
        for (int x = 0; x < t_.nx; ++x) {
          zx[u(z) * u(t_.nx) + u(x)] += p[x];
          xt[u(x) * u(t_.ntheta) + u(a)] += p[x];
          sum += p[x];
        }
        et[u(e) * u(t_.ntheta) + u(a)] += sum;
        ez[u(e) * u(t_.nz) + u(z)] += sum;
        number += sum;
        depth_sum += sum * (z + 0.5);
      }
    }
  }
  out.zx.assign(zx.begin(), zx.end());
  out.xtheta.assign(xt.begin(), xt.end());
  out.etheta.assign(et.begin(), et.end());
  out.ez.assign(ez.begin(), ez.end());
  out.depth_mm = number > 0.0 ? depth_sum / number * t_.dz : 0.0;
}

template <typename T>
double DenseState<T>::estimate_bytes(const Problem& problem, const Tables& tables) {
  const double cells = static_cast<double>(tables.cells()) / (problem.stepping == Stepping::kDepth ? tables.nz : 1);
  return 2.0 * sizeof(T) * cells;
}

template class DenseState<float>;
template class DenseState<double>;

}  // namespace bb::transport
