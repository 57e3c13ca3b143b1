// Reference solver: FP64, one thread, one loop nest per operator over the whole grid, no skipping.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "transport/model/index.hpp"
#include "transport/run/by_precision.hpp"
#include "transport/run/projection.hpp"
#include "transport/variants.hpp"

namespace bb::transport {
namespace {

using engine::Crossing;
using engine::Marginals;
using engine::Scores;
using engine::SpanRecorder;
using engine::StepTotals;

/// ψ[e][θ][z][x] with path stepping. With depth stepping ψ[e][θ][x] of the plane `plane_`, stored as one row of z.
class Reference final : public engine::Solver {
 public:
  Reference(const Problem& problem, const Tables& tables)
      : t_(tables), depth_(problem.stepping == Stepping::kDepth), rows_(depth_ ? 1 : tables.nz), scores_(tables) {
    const std::size_t cells = u(t_.ne) * u(t_.ntheta) * u(rows_) * u(t_.nx);
    psi_.assign(cells, 0.0);
    next_.assign(cells, 0.0);
    plane_ = depth_ ? t_.start.z : 0;
    if (problem.filled) {
      for (std::size_t i = 0; i < cells; ++i) psi_[i] = filled_value(problem.seed, i);
    } else {
      for (int e = 0; e < t_.ne; ++e) {
        for (int a = 0; a < t_.ntheta; ++a) {
          t_.start.add(e, a, std::span(&psi_[index(e, a, depth_ ? 0 : t_.start.z, 0)], u(t_.nx)));
        }
      }
    }
  }

  int advance(int, std::vector<StepTotals>& totals, SpanRecorder& spans, const std::atomic<bool>& cancel) override {
    if (cancel.load()) return 0;
    StepTotals s;
    const auto timed = [&](const char* name, auto&& work) {
      const engine::ScopedSpan span(spans, 0, spans.name_id(name), step_);
      work();
    };
    timed("score", [&] { score(s); });
    timed("slow down", [&] { slow_down(); });
    timed("scatter angles", [&] { scatter_angles(s); });
    timed("stream x", [&] { stream_x(s); });
    timed("stream z", [&] { stream_z(s); });
    timed("count", [&] { count(s); });
    ++step_;
    totals.push_back(s);
    return 1;
  }

  void marginals(Marginals& out) override {
    engine::sum_marginals(*this, t_, out);
    out.step = step_;
  }
  bool visit(engine::RowVisitor& visitor) const override {
    for (int e = 0; e < t_.ne; ++e) {
      for (int a = 0; a < t_.ntheta; ++a) {
        for (int z = 0; z < rows_ && depth_row(z) < t_.nz; ++z) {
          visitor.row(e, a, depth_row(z), 0, std::span<const double>(&psi_[index(e, a, z, 0)], u(t_.nx)));
        }
      }
    }
    return true;
  }

  std::span<const double> dose() override { return scores_.dose(); }
  std::span<const double> crossing() override { return scores_.crossing(); }
  std::span<const double> reactions() override { return scores_.reactions(); }
  std::span<const double> tracks() override { return scores_.tracks(); }
  double min_over_max() const override { return scores_.min_over_max(); }
  double cell_steps() const override { return static_cast<double>(psi_.size()) * step_; }
  double state_bytes() const override { return static_cast<double>(psi_.size() + next_.size()) * sizeof(double); }

 private:
  std::size_t index(int e, int a, int z, int x) const {
    return ((u(e) * u(t_.ntheta) + u(a)) * u(rows_) + u(z)) * u(t_.nx) + u(x);
  }
  int depth_row(int z) const { return depth_ ? plane_ : z; }
  int material(int z, int x) const { return t_.map[u(std::min(depth_row(z), t_.nz - 1)) * u(t_.nx) + u(x)]; }
  int step_class(int a) const { return depth_ ? a : 0; }

  template <typename F>
  void each(F&& f) const {
    for (int e = 0; e < t_.ne; ++e) {
      for (int a = 0; a < t_.ntheta; ++a) {
        for (int z = 0; z < rows_; ++z) {
          if (depth_row(z) >= t_.nz) continue;
          for (int x = 0; x < t_.nx; ++x) f(e, a, depth_row(z), x, psi_[index(e, a, z, x)]);
        }
      }
    }
  }

  void score(StepTotals& s) {
    double low = 0.0, high = 0.0;
    each([&](int e, int a, int z, int x, double p) {
      const std::size_t row = t_.row(step_class(a), t_.map[u(z) * u(t_.nx) + u(x)], e);
      low = std::min(low, p);
      high = std::max(high, p);
      scores_.dose()[u(z) * u(t_.nx) + u(x)] += p * t_.deposit[row];
      s.deposited += p * t_.deposit[row];
      s.number.stopped += p * t_.stopped[row];
      s.number.nuclear += p * t_.nuclear[row];
      s.energy.nuclear += p * t_.nuclear_escape[row];
      if (t_.reactions.on()) t_.reactions.add(scores_.reactions().data(), e, z, x, p * t_.nuclear[row]);
      if (t_.tracks.on())
        t_.tracks.add(scores_.tracks().data(), e, a, t_.map[u(z) * u(t_.nx) + u(x)], z, x, u(t_.nx), p);
      const double crossed = p * t_.plane_weight[u(a)];
      const double position = (x + 0.5 - 0.5 * t_.nx) * t_.dx;
      const double theta = t_.theta[u(a)];
      double* c = &scores_.crossing()[u(z) * Crossing::kCount];
      c[Crossing::kN] += crossed;
      c[Crossing::kX] += crossed * position;
      c[Crossing::kXX] += crossed * position * position;
      c[Crossing::kTheta] += crossed * theta;
      c[Crossing::kThetaTheta] += crossed * theta * theta;
      c[Crossing::kXTheta] += crossed * position * theta;
    });
    scores_.extremes(low, high);
  }

  void slow_down() {
    for (int e = 0; e < t_.ne; ++e) {
      for (int a = 0; a < t_.ntheta; ++a) {
        for (int z = 0; z < rows_; ++z) {
          for (int x = 0; x < t_.nx; ++x) {
            const std::size_t row = t_.row(step_class(a), material(z, x), e);
            double sum = 0.0;
            for (int k = t_.gather_begin[row]; k < t_.gather_begin[row + 1]; ++k) {
              sum += t_.gather_weight[u(k)] * psi_[index(t_.gather_source[u(k)], a, z, x)];
            }
            next_[index(e, a, z, x)] = sum;
          }
        }
      }
    }
    psi_.swap(next_);
  }

  void scatter_angles(StepTotals& s) {
    std::ranges::fill(next_, 0.0);
    for (int e = 0; e < t_.ne; ++e) {
      for (int a = 0; a < t_.ntheta; ++a) {
        for (int z = 0; z < rows_; ++z) {
          for (int x = 0; x < t_.nx; ++x) {
            const double p = psi_[index(e, a, z, x)];
            const std::size_t row = t_.row(step_class(a), material(z, x), e);
            const double* w = &t_.angle_weight[u(t_.angle_begin[row])];
            const int half = t_.angle_begin[row + 1] - t_.angle_begin[row] - 1;
            for (int k = -half; k <= half; ++k) {
              const double part = p * w[std::abs(k)];
              if (a + k < 0 || a + k >= t_.ntheta) {
                s.escape(a + k < 0 ? kThetaLow : kThetaHigh, part, t_.energy[u(e)]);
              } else {
                next_[index(e, a + k, z, x)] += part;
              }
            }
          }
        }
      }
    }
    psi_.swap(next_);
  }

  /// Protons that leave a row at its low and high ends.
  struct EdgeLoss {
    double low = 0.0, high = 0.0;
  };

  /// Remaps one row of `n` cells, `stride` apart from `base`. If `open`, cells beyond the ends are read as in
  /// remap_neighbour; otherwise they are empty.
  EdgeLoss remap_row(std::size_t base, std::size_t stride, int n, bool open, const physics::RemapShift& shift,
                     const double* c) {
    const auto cell = [&](int i) {
      const int at = open ? physics::remap_neighbour(i, n, shift.whole) : i;
      return at < 0 || at >= n ? 0.0 : psi_[base + u(at) * stride];
    };
    EdgeLoss lost;
    const auto put = [&](int i, double part) {
      if (i < 0 || i >= n) {
        (i < 0 ? lost.low : lost.high) += part;
      } else {
        next_[base + u(i) * stride] += part;
      }
    };
    for (int i = 0; i < n; ++i) {
      const double p = cell(i);
      const double moved = physics::remap_flux(cell(i - 2), cell(i - 1), p, cell(i + 1), cell(i + 2), c);
      put(i + shift.whole, p - moved);
      put(i + shift.whole + 1, moved);
    }
    return lost;
  }

  void stream_x(StepTotals& s) {
    std::ranges::fill(next_, 0.0);
    for (int e = 0; e < t_.ne; ++e) {
      for (int a = 0; a < t_.ntheta; ++a) {
        for (int z = 0; z < rows_; ++z) {
          const EdgeLoss lost = remap_row(index(e, a, z, 0), 1, t_.nx, true, t_.shift_x[u(a)], t_.flux_x[u(a)].data());
          s.escape(kXLow, lost.low, t_.energy[u(e)]);
          s.escape(kXHigh, lost.high, t_.energy[u(e)]);
        }
      }
    }
    psi_.swap(next_);
  }

  void stream_z(StepTotals& s) {
    if (depth_) {
      if (++plane_ < t_.nz) return;
      for (int e = 0; e < t_.ne; ++e) {
        for (std::size_t i = index(e, 0, 0, 0); i < index(e + 1, 0, 0, 0); ++i) {
          s.escape(kZHigh, psi_[i], t_.energy[u(e)]);
          psi_[i] = 0.0;
        }
      }
      return;
    }
    std::ranges::fill(next_, 0.0);
    for (int e = 0; e < t_.ne; ++e) {
      for (int a = 0; a < t_.ntheta; ++a) {
        for (int x = 0; x < t_.nx; ++x) {
          const EdgeLoss lost =
              remap_row(index(e, a, 0, x), u(t_.nx), t_.nz, false, t_.shift_z[u(a)], t_.flux_z[u(a)].data());
          s.escape(kZLow, lost.low, t_.energy[u(e)]);
          s.escape(kZHigh, lost.high, t_.energy[u(e)]);
        }
      }
    }
    psi_.swap(next_);
  }

  void count(StepTotals& s) const {
    const std::size_t slice = u(t_.ntheta) * u(rows_) * u(t_.nx);
    for (int e = 0; e < t_.ne; ++e) {
      double number = 0.0;
      for (std::size_t i = u(e) * slice; i < (u(e) + 1) * slice; ++i) number += psi_[i];
      s.number.in_flight += number;
      s.energy.in_flight += number * t_.energy[u(e)];
    }
  }

  const Tables& t_;
  bool depth_;
  int rows_;
  int plane_ = 0;
  int step_ = 0;
  std::vector<double> psi_, next_;
  Scores scores_;
};

}  // namespace

Variant reference_variant() {
  return {
      .id = "reference",
      .title = "Reference",
      .changes = "FP64, one thread, one plain loop nest per operator over the complete grid: the reference",
      .builds_on = "",
      .device = "cpu",
      .source = "kernels/transport/cpu/reference.cpp",
      .precisions = {Precision::kFp64},
      .steppings = {Stepping::kPath, Stepping::kDepth},
      .bytes_per_cell_step = 80,
      .flops_per_cell_step = 70,
      .speed_rank = 0,
      .scores_tracks = true,
      .estimate_bytes = estimate_dense,
      .make = [](const Problem& p, const Tables& t, int) -> std::unique_ptr<engine::Solver> {
        return std::make_unique<Reference>(p, t);
      },
  };
}

}  // namespace bb::transport
