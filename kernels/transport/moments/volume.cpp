#include "volume.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include "cpu/thread_pool.hpp"
#include "engine/problem_error.hpp"
#include "lateral.hpp"
#include "layers.hpp"
#include "march.hpp"
#include "products.hpp"
#include "transport/model/entry/start.hpp"
#include "transport/model/index.hpp"
#include "transport/model/tables.hpp"
#include "transport/secondaries/sweep_matter.hpp"
#include "transport/secondaries/sweep_ops.hpp"

namespace bb::transport {
namespace {

// Columns for the projection of products, as far as products go, with the width of columns in which reactions are
// recorded.
constexpr int kColumns = 200;
constexpr double kColumn_mm = 2.0;
/// Standard deviations (mm) of the Gaussians of products, in addition to the beam's at the entrance.
constexpr std::array<double, 12> kHalo{0.0, 1.0, 1.6, 2.6, 4.2, 6.7, 10.7, 17.2, 27.5, 44.0, 70.0, 110.0};
constexpr int kMaxTrials = 60;      // maximum number of changes to the set of Gaussians in use
constexpr double kSettled = 1e-10;  // share of the dose: a Gaussian with a smaller slope remains unused
constexpr double kNothing = 1e-15;  // share of a row's dose

/// Spots by position: weights, with the indices of x and y among the distinct values.
struct Pattern {
  struct Spot {
    int x, y;
    double weight;
  };

  Pattern(std::span<const Beam* const> spots, const std::function<AlongY(const Beam*)>& along_y) {
    for (const Beam* spot : spots) {
      x.push_back(spot->x);
      y.push_back(along_y(spot).y);
    }
    for (std::vector<double>* places : {&x, &y}) {
      std::ranges::sort(*places);
      places->erase(std::unique(places->begin(), places->end()), places->end());
    }
    const auto index = [](const std::vector<double>& places, double at) {
      return static_cast<int>(std::ranges::lower_bound(places, at) - places.begin());
    };
    for (const Beam* spot : spots) all.push_back({index(x, spot->x), index(y, along_y(spot).y), spot->weight});
    std::ranges::stable_sort(all, {}, [](const Spot& spot) { return spot.y; });
  }

  std::vector<double> x, y;  // mm, ascending
  std::vector<Spot> all;     // by y
};

/// A row of depth: Gaussian pair of the beam's energy, and energy of products by Gaussian.
struct Row {
  GaussianPair beam;
  std::array<double, kHalo.size()> halo{};
};

struct Kind {
  SpotKind spots;
  double y_sigma = 0;
  std::vector<Row> rows;  // [nz] per proton
  double energy_in = 0, neutral = 0, left = 0, products = 0, misfit = 0;
};

/// Fits doses by a halo's Gaussians: their projections on the columns, and scalar products of these.
class HaloFit {
 public:
  explicit HaloFit(double width) {
    for (std::size_t j = 0; j < kHalo.size(); ++j) {
      GaussianPair one;
      one.count = 1;
      one.weight[0] = 1.0;
      one.sigma[0] = std::max(std::hypot(width, kHalo[j]), 1e-6);
      columns_[j].resize(kColumns);
      add_pair(one, 0.0, -0.5 * kColumns * kColumn_mm, kColumn_mm, columns_[j]);
      for (const double each : columns_[j]) inside_[j] += each;
    }
    for (std::size_t j = 0; j < kHalo.size(); ++j) {
      for (std::size_t k = 0; k < kHalo.size(); ++k) gram_[j][k] = dot(columns_[j], columns_[k]);
    }
  }

  /// Computes non-negative weights whose sum within the columns equals that of `dose`; adds the misfit. Starts with the
  /// given weights, because neighbouring rows are similar.
  void fit(std::span<const double> dose, std::array<double, kHalo.size()>& weight, double& misfit) const {
    double total = 0.0;
    for (const double each : dose) total += each;
    if (!(total > 0.0)) {
      weight.fill(0.0);
      return;
    }
    std::array<double, kHalo.size()> with{};
    for (std::size_t j = 0; j < kHalo.size(); ++j) with[j] = dot(columns_[j], dose);
    solve(with, weight);
    double fitted = 0.0;
    for (std::size_t j = 0; j < kHalo.size(); ++j) fitted += weight[j] * inside_[j];
    for (double& each : weight) each *= total / fitted;
    std::array<double, kColumns> rest{};
    std::ranges::copy(dose, rest.begin());
    for (std::size_t j = 0; j < kHalo.size(); ++j) {
      if (weight[j] > 0.0) ops_.add(rest.data(), columns_[j].data(), -weight[j], kColumns);
    }
    for (const double each : rest) misfit += std::abs(each);
  }

  double inside(std::size_t j) const { return inside_[j]; }

 private:
  using Weights = std::array<double, kHalo.size()>;

  double dot(std::span<const double> a, std::span<const double> b) const {
    return ops_.dot(a.data(), b.data(), static_cast<int>(a.size()));
  }

  /// Non-negative least squares (Lawson and Hanson, Solving Least Squares Problems, chapter 23), starting with the
  /// given weights.
  void solve(const Weights& with, Weights& weight) const {
    std::array<bool, kHalo.size()> has_part{};
    for (std::size_t j = 0; j < kHalo.size(); ++j) has_part[j] = weight[j] > 0.0;
    for (int trial = 0; trial < kMaxTrials; ++trial) {
      Weights next = unconstrained(with, has_part);
      double step = 1.0;
      std::size_t ends = kHalo.size();
      for (std::size_t j = 0; j < kHalo.size(); ++j) {
        if (!has_part[j] || next[j] > 0.0) continue;
        const double part = weight[j] > next[j] ? weight[j] / (weight[j] - next[j]) : 0.0;
        if (part <= step) {
          step = part;
          ends = j;
        }
      }
      for (std::size_t j = 0; j < kHalo.size(); ++j) weight[j] += step * (next[j] - weight[j]);
      if (ends < kHalo.size()) {
        weight[ends] = 0.0;
        has_part[ends] = false;
        continue;
      }
      double steepest = 0.0;
      std::size_t begins = kHalo.size();
      for (std::size_t j = 0; j < kHalo.size(); ++j) {
        if (has_part[j]) continue;
        double slope = with[j];
        for (std::size_t k = 0; k < kHalo.size(); ++k) slope -= gram_[j][k] * weight[k];
        if (slope > std::max(steepest, kSettled * with[j])) {
          steepest = slope;
          begins = j;
        }
      }
      if (begins == kHalo.size()) return;
      has_part[begins] = true;
    }
  }

  /// Weights of the Gaussians in use, by Cholesky decomposition; 0 for a Gaussian that depends linearly on others.
  Weights unconstrained(const Weights& with, const std::array<bool, kHalo.size()>& has_part) const {
    constexpr double kIndependent = 1e-12;
    std::array<std::size_t, kHalo.size()> index{};
    std::array<Weights, kHalo.size()> lower{};
    Weights rhs{}, out{};
    std::size_t n = 0;
    for (std::size_t j = 0; j < kHalo.size(); ++j) {
      if (!has_part[j]) continue;
      Weights row{};
      double pivot = gram_[j][j], value = with[j];
      for (std::size_t k = 0; k < n; ++k) {
        double each = gram_[j][index[k]];
        for (std::size_t i = 0; i < k; ++i) each -= row[i] * lower[k][i];
        row[k] = each / lower[k][k];
        pivot -= row[k] * row[k];
        value -= row[k] * rhs[k];
      }
      if (!(pivot > kIndependent * gram_[j][j])) continue;
      row[n] = std::sqrt(pivot);
      rhs[n] = value / row[n];
      lower[n] = row;
      index[n++] = j;
    }
    for (std::size_t k = n; k-- > 0;) {
      double value = rhs[k];
      for (std::size_t i = k + 1; i < n; ++i) value -= lower[i][k] * out[index[i]];
      out[index[k]] = value / lower[k][k];
    }
    return out;
  }

  const SweepOps& ops_ = sweep_ops();
  std::array<std::vector<double>, kHalo.size()> columns_;
  std::array<double, kHalo.size()> inside_{};
  std::array<std::array<double, kHalo.size()>, kHalo.size()> gram_{};
};

/// The problem with columns for products, and each kind of spot at x = 0.
Problem in_columns(const Problem& p, std::span<const SpotKind> kinds) {
  Problem out = p;
  out.grid.nx = kColumns;
  out.grid.dx = kColumn_mm;
  out.map.clear();
  for (const Layer& layer : layers_of(p)) {
    out.map.insert(out.map.end(), u(layer.z1 - layer.z0) * u(kColumns), static_cast<std::uint8_t>(layer.material));
  }
  out.spots.clear();
  for (const SpotKind& kind : kinds) out.spots.push_back(kind.spot);
  out.beam.x = 0.0;
  out.track_scores = false;
  return out;
}

class Solving {
 public:
  Solving(const Problem& problem, std::span<const AlongY> along_y, const AcrossGrid& across,
          const std::atomic<bool>& cancel)
      : p_(problem),
        along_y_(along_y),
        across_(across),
        cancel_(cancel),
        layers_(layers_of(problem)),
        pool_(cpu::thread_count(problem.threads)) {
    for (const Material& material : problem.materials) media_.emplace_back(material);
    std::vector<SpotKind> found = spot_kinds(problem);
    if (problem.nuclear == Nuclear::kIcru63) {
      columns_ = in_columns(problem, found);
      tables_ = TableBuilder(columns_, one_after_the_other, Stepper::kOwnPlanes).build_axes();
      matter_ = swept_matter(columns_, tables_, [&](int n, const std::function<void(int)>& task) {
        pool_.run(n, [&](int i, int) { task(i); });
      });
    }
    for (const SpotKind& kind : found) {
      std::map<double, Kind> by_width;
      for (const Beam* spot : kind.spots) {
        const auto [at, is_new] = by_width.try_emplace(of_y(spot).sigma);
        Kind& own = at->second;
        if (is_new) own.spots.spot = kind.spot;
        own.y_sigma = at->first;
        own.spots.spots.push_back(spot);
        own.spots.weight += spot->weight;
      }
      for (auto& [width, own] : by_width) kinds_.push_back(std::move(own));
    }
    for (const Kind& kind : kinds_) {
      patterns_.emplace_back(kind.spots.spots, [this](const Beam* spot) { return of_y(spot); });
    }
    for (const Kind& kind : kinds_) {
      const std::pair width(kind.spots.spot.x_sigma, kind.y_sigma);
      if (!fits_.contains(width)) fits_.emplace(width, HaloFit(width.first));
    }
  }

  VolumeDose solve() {
    pool_.run(static_cast<int>(kinds_.size()), [&](int k, int) {
      stop_if_cancelled();
      march(kinds_[u(k)]);
    });
    VolumeDose out;
    out.dose.resize(u(p_.grid.nz) * plane());
    out.depth_dose.resize(u(p_.grid.nz));
    for (const Kind& kind : kinds_) {
      out.energy_in += kind.spots.weight * kind.energy_in;
      out.neutral += kind.spots.weight * kind.neutral;
      out.left += kind.spots.weight * kind.left;
      out.products += kind.spots.weight * kind.products;
      out.misfit += kind.spots.weight * kind.misfit;
    }
    const std::vector<Shared> shared = shared_patterns();
    std::vector<double> inside(u(p_.grid.nz));
    pool_.run(p_.grid.nz, [&](int z, int) {
      stop_if_cancelled();
      const auto cells = std::span(out.dose).subspan(u(z) * plane(), plane());
      out.depth_dose[u(z)] = fill(z, shared, cells);
      for (const double each : cells) inside[u(z)] += each;
    });
    for (int z = 0; z < p_.grid.nz; ++z) out.outside += out.depth_dose[u(z)] - inside[u(z)];
    return out;
  }

 private:
  /// Kinds of spots with equal widths, whose products have the same Gaussians.
  struct Shared {
    std::vector<const Kind*> of;  // kind of each spot in the pattern
    Pattern pattern;
    double x_sigma, y_sigma;
  };

  AlongY of_y(const Beam* spot) const { return along_y_[static_cast<std::size_t>(spot - spots_of(p_).data())]; }

  std::size_t plane() const { return u(across_.nx) * u(across_.ny); }

  void stop_if_cancelled() const {
    if (cancel_.load()) throw Cancelled();
  }

  std::vector<Shared> shared_patterns() const {
    std::vector<Shared> out;
    for (const auto& [width, fit] : fits_) {
      std::vector<const Beam*> spots;
      std::map<const Beam*, const Kind*> kind_of;
      for (const Kind& kind : kinds_) {
        if (std::pair(kind.spots.spot.x_sigma, kind.y_sigma) != width) continue;
        for (const Beam* spot : kind.spots.spots) {
          spots.push_back(spot);
          kind_of[spot] = &kind;
        }
      }
      const auto along_y = [this](const Beam* spot) { return of_y(spot); };
      std::ranges::stable_sort(spots, {}, [&](const Beam* spot) { return of_y(spot).y; });
      Shared& shared = out.emplace_back(Shared{{}, Pattern(spots, along_y), width.first, width.second});
      // The pattern is sorted by y with a stable sort, so it has the order of `spots`, which were sorted in the same
      // way.
      for (const Beam* spot : spots) shared.of.push_back(kind_of.at(spot));
    }
    return out;
  }

  void march(Kind& kind) {
    const bool follows = tables_.reactions.on();
    March march(p_, media_, layers_, kind.spots.spot, follows ? tables_.reactions.energy.front() : 0.0);
    std::optional<LayeredReactions> reactions;
    if (follows) {
      reactions.emplace(tables_, media_);
      march.run(p_.grid.nz * p_.grid.dz, [&](const MarchView& step) { reactions->record(step, tables_); });
    } else {
      march.run(p_.grid.nz * p_.grid.dz);
    }
    std::vector<double> borders;
    for (int z = 0; z <= p_.grid.nz; ++z) borders.push_back(z * p_.grid.dz);
    const std::vector<MarchPlane> planes = planes_at(march, borders);
    kind.rows.resize(u(p_.grid.nz));
    for (std::size_t z = 0; z < kind.rows.size(); ++z) {
      std::array<double, 4> deposit{};
      for (std::size_t i = 0; i < deposit.size(); ++i) deposit[i] = planes[z + 1].deposit[i] - planes[z].deposit[i];
      kind.rows[z].beam = gaussian_pair(deposit);
    }
    kind.energy_in = march.energy_in();
    kind.left = planes.back().energy;
    kind.neutral = planes.back().lost_energy;
    if (follows) add_products(kind, *reactions);
  }

  void add_products(Kind& kind, const LayeredReactions& reactions) {
    const Beam* alone[] = {&kind.spots.spot};
    const ReactingBeam beam{&reactions, alone};
    const Secondaries products = follow_layered(columns_, tables_, *matter_, std::span(&beam, 1));
    kind.neutral = products.neutral;
    for (const double each : products.escaped) kind.left += each;
    const HaloFit& fit = fits_.at({kind.spots.spot.x_sigma, kind.y_sigma});
    for (std::size_t z = 0; z < kind.rows.size(); ++z) {
      if (z > 0) kind.rows[z].halo = kind.rows[z - 1].halo;
      fit.fit(std::span(products.dose).subspan(z * kColumns, kColumns), kind.rows[z].halo, kind.misfit);
      for (std::size_t j = 0; j < kHalo.size(); ++j) {
        kind.products += kind.rows[z].halo[j] * fit.inside(j);
        // The Gaussians include tails beyond the columns, which were counted as lost to the sides.
        kind.left -= kind.rows[z].halo[j] * (1.0 - fit.inside(j));
      }
    }
  }

  /// Adds all spots in a row to its cells. Returns their energy, including energy outside the cells.
  double fill(int z, const std::vector<Shared>& shared, std::span<double> cells) const {
    double all = 0.0;
    std::vector<double> weights;
    for (std::size_t k = 0; k < kinds_.size(); ++k) {
      const Kind& kind = kinds_[k];
      const double more = wider(kind.spots.spot.x_sigma, kind.y_sigma);
      const GaussianPair& beam = kind.rows[u(z)].beam;
      for (std::size_t i = 0; i < u(beam.count); ++i) {
        weights.clear();
        for (const Pattern::Spot& spot : patterns_[k].all) weights.push_back(beam.weight[i] * spot.weight);
        const double variance = beam.sigma[i] * beam.sigma[i];
        all += add(patterns_[k], weights, variance, variance + more, cells);
      }
    }
    for (const Shared& each : shared) {
      const double more = wider(each.x_sigma, each.y_sigma);
      for (std::size_t j = 0; j < kHalo.size(); ++j) {
        weights.clear();
        for (std::size_t s = 0; s < each.of.size(); ++s) {
          weights.push_back(each.of[s]->rows[u(z)].halo[j] * each.pattern.all[s].weight);
        }
        const double variance = each.x_sigma * each.x_sigma + kHalo[j] * kHalo[j];
        all += add(each.pattern, weights, variance, variance + more, cells);
      }
    }
    return all;
  }

  /// Excess of the variance of y over that of x, which is the same at the entrance and everywhere else.
  static double wider(double x_sigma, double y_sigma) { return y_sigma * y_sigma - x_sigma * x_sigma; }

  /// Adds products of Gaussians at all positions of a pattern. Returns the sum of the weights.
  double add(const Pattern& pattern, std::span<const double> weights, double x_variance, double y_variance,
             std::span<double> cells) const {
    double sum = 0.0;
    for (const double weight : weights) sum += weight;
    if (!(std::abs(sum) > kNothing)) return sum;
    const auto nx = u(across_.nx), ny = u(across_.ny);
    const auto shapes = [](const std::vector<double>& places, double variance, int n, double width) {
      GaussianPair one;
      one.count = 1;
      one.weight[0] = 1.0;
      one.sigma[0] = std::sqrt(std::max(variance, 1e-12));
      std::vector<double> out(places.size() * u(n));
      for (std::size_t i = 0; i < places.size(); ++i) {
        add_pair(one, places[i], -0.5 * n * width, width, std::span(out).subspan(i * u(n), u(n)));
      }
      return out;
    };
    const std::vector<double> along_x = shapes(pattern.x, x_variance, across_.nx, across_.dx);
    const std::vector<double> along_y = shapes(pattern.y, y_variance, across_.ny, across_.dy);
    std::vector<double> line(nx);
    for (std::size_t first = 0; first < pattern.all.size();) {
      const int place = pattern.all[first].y;
      std::ranges::fill(line, 0.0);
      std::size_t end = first;
      for (; end < pattern.all.size() && pattern.all[end].y == place; ++end) {
        const double* from = &along_x[u(pattern.all[end].x) * nx];
        for (std::size_t x = 0; x < nx; ++x) line[x] += weights[end] * from[x];
      }
      first = end;
      std::size_t left = 0, right = nx;
      while (left < right && line[left] == 0.0) ++left;
      while (right > left && line[right - 1] == 0.0) --right;
      for (std::size_t y = 0; y < ny; ++y) {
        const double share = along_y[u(place) * ny + y];
        if (share == 0.0) continue;
        double* to = &cells[y * nx];
        ops_.add(to + left, &line[left], share, static_cast<int>(right - left));
      }
    }
    return sum;
  }

  const SweepOps& ops_ = sweep_ops();
  const Problem& p_;
  const std::span<const AlongY> along_y_;
  const AcrossGrid across_;
  const std::atomic<bool>& cancel_;
  const std::vector<Layer> layers_;
  cpu::ThreadPool pool_;
  std::vector<Medium> media_;
  Problem columns_;
  Tables tables_;
  std::shared_ptr<const SweptMatter> matter_;
  std::vector<Kind> kinds_;
  std::vector<Pattern> patterns_;  // one per kind
  std::map<std::pair<double, double>, HaloFit> fits_;
};

}  // namespace

double VolumeDose::rel_error() const {
  double deposited = 0.0;
  for (const double each : depth_dose) deposited += each;
  return (deposited + neutral + left) / energy_in - 1.0;
}

VolumeDose volume_dose(const Problem& p, std::span<const AlongY> along_y, const AcrossGrid& across,
                       const std::atomic<bool>& cancel) {
  if (const std::string reason = moments_refusal(p); !reason.empty()) throw ProblemError("unsupported", reason);
  return Solving(p, along_y, across, cancel).solve();
}

}  // namespace bb::transport
