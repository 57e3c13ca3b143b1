#include "projection.hpp"

#include <algorithm>
#include <cstddef>
#include <string>

#include "transport/model/index.hpp"
#include "transport/model/problem.hpp"

namespace bb::engine {
namespace {

using transport::u;
int at(Axis axis) { return static_cast<int>(axis); }

constexpr std::array<const char*, kAxes> kNames{"e", "theta", "z", "x"};

std::array<int, kAxes> counts(const transport::Tables& t) { return {t.ne, t.ntheta, t.nz, t.nx}; }

std::vector<float> to_float(const std::vector<double>& from) {
  std::vector<float> to(from.size());
  std::ranges::transform(from, to.begin(), [](double v) { return static_cast<float>(v); });
  return to;
}

/// Sums in FP64 for either precision of the state.
class PlaneSums final : public RowVisitor {
 public:
  PlaneSums(const transport::Tables& tables, std::span<const PlaneRequest> requests) : counts_(counts(tables)) {
    for (const PlaneRequest& request : requests) {
      planes_.push_back(
          {request, std::vector<double>(u(counts_[u(at(request.slow))]) * u(counts_[u(at(request.fast))]))});
    }
  }

  void row(int e, int a, int z, int first_x, std::span<const float> cells) override { add(e, a, z, first_x, cells); }
  void row(int e, int a, int z, int first_x, std::span<const double> cells) override { add(e, a, z, first_x, cells); }

  std::vector<Plane> take() const {
    std::vector<Plane> out;
    for (const Sum& sum : planes_) out.push_back({sum.of, to_float(sum.values)});
    return out;
  }

 private:
  struct Sum {
    PlaneRequest of;
    std::vector<double> values;
  };

  template <typename T>
  void add(int e, int a, int z, int first_x, std::span<const T> cells) {
    const std::array<int, kAxes> place{e, a, z, 0};
    for (Sum& sum : planes_) {
      const PlaneRequest& of = sum.of;
      if ((of.cut[0] >= 0 && of.cut[0] != e) || (of.cut[1] >= 0 && of.cut[1] != a) ||
          (of.cut[2] >= 0 && of.cut[2] != z)) {
        continue;
      }
      const std::size_t fast = u(counts_[u(at(of.fast))]);
      if (of.slow != Axis::kX && of.fast != Axis::kX) {
        double value = 0.0;
        if (of.cut[3] < 0) {
          for (const T cell : cells) value += static_cast<double>(cell);
        } else if (of.cut[3] >= first_x && u(of.cut[3] - first_x) < cells.size()) {
          value = static_cast<double>(cells[u(of.cut[3] - first_x)]);
        }
        sum.values[u(place[u(at(of.slow))]) * fast + u(place[u(at(of.fast))])] += value;
        continue;
      }
      const bool across = of.fast == Axis::kX;
      const std::size_t stride = across ? 1 : fast;
      const std::size_t other = u(place[u(at(across ? of.slow : of.fast))]);
      double* to = &sum.values[across ? other * fast + u(first_x) : u(first_x) * fast + other];
      for (std::size_t i = 0; i < cells.size(); ++i) to[i * stride] += static_cast<double>(cells[i]);
    }
  }

  std::array<int, kAxes> counts_;
  std::vector<Sum> planes_;
};

class PairSums final : public RowVisitor {
 public:
  explicit PairSums(const transport::Tables& t)
      : t_(t),
        zx_(t.plane()),
        thetax_(u(t.ntheta) * u(t.nx)),
        etheta_(u(t.ne) * u(t.ntheta)),
        ez_(u(t.ne) * u(t.nz)),
        ex_(u(t.ne) * u(t.nx)),
        ztheta_(u(t.nz) * u(t.ntheta)) {}

  void row(int e, int a, int z, int first_x, std::span<const float> cells) override { add(e, a, z, first_x, cells); }
  void row(int e, int a, int z, int first_x, std::span<const double> cells) override { add(e, a, z, first_x, cells); }

  void take(Marginals& out) const {
    out.zx = to_float(zx_);
    out.etheta = to_float(etheta_);
    out.ez = to_float(ez_);
    out.ex = to_float(ex_);
    out.ztheta = to_float(ztheta_);
    out.xtheta.resize(thetax_.size());
    for (int x = 0; x < t_.nx; ++x) {
      for (int a = 0; a < t_.ntheta; ++a) {
        out.xtheta[u(x) * u(t_.ntheta) + u(a)] = static_cast<float>(thetax_[u(a) * u(t_.nx) + u(x)]);
      }
    }
    out.depth_mm = number_ > 0.0 ? depth_ / number_ * t_.dz : 0.0;
  }

 private:
  template <typename T>
  void add(int e, int a, int z, int first_x, std::span<const T> cells) {
    double* zx = &zx_[u(z) * u(t_.nx) + u(first_x)];
    double* ax = &thetax_[u(a) * u(t_.nx) + u(first_x)];
    double* ex = &ex_[u(e) * u(t_.nx) + u(first_x)];
    double sum = 0.0;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const double p = static_cast<double>(cells[i]);
      zx[i] += p;
      ax[i] += p;
      ex[i] += p;
      sum += p;
    }
    etheta_[u(e) * u(t_.ntheta) + u(a)] += sum;
    ez_[u(e) * u(t_.nz) + u(z)] += sum;
    ztheta_[u(z) * u(t_.ntheta) + u(a)] += sum;
    number_ += sum;
    depth_ += sum * (z + 0.5);
  }

  const transport::Tables& t_;
  // Sums of θ–x are stored transposed, [θ][x], so that their rows are those of the state.
  std::vector<double> zx_, thetax_, etheta_, ez_, ex_, ztheta_;
  double number_ = 0.0, depth_ = 0.0;
};

}  // namespace

void check(const PlaneRequest& request, const transport::Tables& tables) {
  const auto refuse = [](const std::string& what) { throw transport::ProblemError("invalid", "plane: " + what); };
  if (request.slow == request.fast) refuse(std::string(kNames[u(at(request.slow))]) + " is given twice");
  for (int axis = 0; axis < kAxes; ++axis) {
    const int index = request.cut[u(axis)];
    if (index == PlaneRequest::kSummed) continue;
    const std::string name = kNames[u(axis)];
    if (axis == at(request.slow) || axis == at(request.fast)) refuse(name + " is displayed, so it cannot be cut");
    const int count = counts(tables)[u(axis)];
    if (index < 0 || index >= count) {
      refuse("index " + std::to_string(index) + " of " + name + "; allowed: 0 to " + std::to_string(count - 1));
    }
  }
}

std::vector<Plane> project(Solver& solver, const transport::Tables& tables, std::span<const PlaneRequest> requests) {
  if (requests.empty()) return {};
  PlaneSums sums(tables, requests);
  return solver.visit(sums) ? sums.take() : solver.planes(requests);
}

void sum_marginals(const Solver& solver, const transport::Tables& tables, Marginals& out) {
  PairSums sums(tables);
  solver.visit(sums);
  sums.take(out);
}

}  // namespace bb::engine
