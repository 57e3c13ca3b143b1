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

// Number of columns for the projection of products. Columns are as wide as those in which reactions are recorded, and
// extend as far as products go.
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

/// Positions on one axis at which Gaussians of one width are summed. Many scattered positions are replaced by nodes of
/// a regular grid, with Lagrange weights. With 8 points at a third of the width, the error is below 2e-5 of the maximum
/// of a Gaussian. The weights preserve the sum and the moments of the positions, and thereby the energy.
struct Sites {
  static constexpr int kPoints = 8;
  static constexpr double kNodesPerSigma = 3.0;

  Sites(const std::vector<double>& places, double sigma) {
    const double step = sigma / kNodesPerSigma, middle = 0.5 * (places.front() + places.back());
    const double reach = std::ceil((places.back() - middle) / step) + kPoints / 2;
    // Nodes are symmetric about the positions, so that a mirrored field has a mirrored dose.
    if (!(2.0 * reach + 1.0 < static_cast<double>(places.size()))) {
      at = places;
      for (std::size_t i = 0; i < places.size(); ++i) first.push_back(static_cast<int>(i));
      share.assign(places.size(), {1.0});
      return;
    }
    width = kPoints;
    for (double node = -reach; node <= reach; node += 1.0) at.push_back(middle + node * step);
    for (const double place : places) {
      const double from = (place - middle) / step + reach, below = std::floor(from);
      first.push_back(static_cast<int>(below) - kPoints / 2 + 1);
      share.push_back(lagrange(from - below + kPoints / 2 - 1));
    }
  }

  int width = 1;           // number of sites for each position
  std::vector<double> at;  // mm
  std::vector<int> first;  // first site of each position
  std::vector<std::array<double, kPoints>> share;

 private:
  /// Weights of the points 0, 1, … for the value at `t`.
  static std::array<double, kPoints> lagrange(double t) {
    std::array<double, kPoints> out;
    for (int k = 0; k < kPoints; ++k) {
      out[u(k)] = 1.0;
      for (int j = 0; j < kPoints; ++j) {
        if (j != k) out[u(k)] *= (t - j) / (k - j);
      }
    }
    return out;
  }
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
  Solving(const Problem& problem, std::span<const AlongY> along_y, const LateralGrid& across, VolumeControl& control)
      : p_(problem),
        along_y_(along_y),
        across_(across),
        control_(control),
        layers_(layers_of(problem)),
        pool_(cpu::thread_count(problem.threads)) {
    for (const Material& material : problem.materials) media_.emplace_back(material);
    std::vector<SpotKind> found = spot_kinds(problem);
    if (problem.nuclear == Nuclear::kIcru63) {
      columns_ = in_columns(problem, found);
      tables_ = TableBuilder(columns_, one_after_the_other, StepSource::kOwnPlanes).build_axes();
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
    control_.kinds = static_cast<int>(kinds_.size());
    pool_.run(static_cast<int>(kinds_.size()), [&](int k, int) {
      stop_if_cancelled();
      march(kinds_[u(k)]);
      ++control_.solved;
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
      for (double& each : cells) {
        // Interpolation leaves rounding below 0 where the tails of all Gaussians end.
        each = std::max(each, 0.0);
        inside[u(z)] += each;
      }
      ++control_.summed;
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
    if (control_.cancelled.load()) throw Cancelled();
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
    const Secondaries products = follow_layered(columns_, tables_, matter_, std::span(&beam, 1));
    kind.neutral = products.neutral;
    for (const double each : products.escaped) kind.left += each;
    const HaloFit& fit = fits_.at({kind.spots.spot.x_sigma, kind.y_sigma});
    for (std::size_t z = 0; z < kind.rows.size(); ++z) {
      if (z > 0) kind.rows[z].halo = kind.rows[z - 1].halo;
      fit.fit(std::span(products.dose).subspan(z * kColumns, kColumns), kind.rows[z].halo, kind.misfit);
      for (std::size_t j = 0; j < kHalo.size(); ++j) {
        kind.products += kind.rows[z].halo[j] * fit.inside(j);
        // The energy in the Gaussians' tails beyond the columns was counted as lost to the sides, so that loss is
        // reduced.
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

  /// Gaussians along one axis, as shares of their cells: [position][cell].
  struct Shapes {
    Shapes(const std::vector<double>& places, double sigma, int n, double width) : cells(u(n)) {
      GaussianPair one;
      one.count = 1;
      one.weight[0] = 1.0;
      one.sigma[0] = sigma;
      share.resize(places.size() * cells);
      for (std::size_t i = 0; i < places.size(); ++i) {
        const auto own = std::span(share).subspan(i * cells, cells);
        add_pair(one, places[i], -0.5 * n * width, width, own);
        std::size_t from = 0, to = cells;
        while (from < to && own[from] == 0.0) ++from;
        while (to > from && own[to - 1] == 0.0) --to;
        range.emplace_back(from, to);
      }
    }

    std::size_t cells;
    std::vector<double> share;
    std::vector<std::pair<std::size_t, std::size_t>> range;  // cells with a share above 0
  };

  /// Adds products of Gaussians at all positions of a pattern. Returns the sum of the weights.
  double add(const Pattern& pattern, std::span<const double> weights, double x_variance, double y_variance,
             std::span<double> cells) const {
    double sum = 0.0;
    for (const double weight : weights) sum += weight;
    if (!(std::abs(sum) > kNothing)) return sum;
    const double x_sigma = std::sqrt(std::max(x_variance, 1e-12)), y_sigma = std::sqrt(std::max(y_variance, 1e-12));
    const Sites x_sites(pattern.x, x_sigma), y_sites(pattern.y, y_sigma);
    const std::vector<Pattern::Spot> interpolated = at_sites(pattern, weights, x_sites, y_sites);
    const Shapes along_x(x_sites.at, x_sigma, across_.nx, across_.dx);
    const Shapes along_y(y_sites.at, y_sigma, across_.ny, across_.dy);
    const std::size_t nx = along_x.cells;
    std::vector<double> line(nx);
    for (std::size_t first = 0; first < interpolated.size();) {
      const int place = interpolated[first].y;
      std::size_t left = nx, right = 0;
      std::ranges::fill(line, 0.0);
      for (; first < interpolated.size() && interpolated[first].y == place; ++first) {
        const std::size_t at = u(interpolated[first].x);
        const auto [from, to] = along_x.range[at];
        if (from >= to) continue;
        ops_.add(&line[from], &along_x.share[at * nx + from], interpolated[first].weight, static_cast<int>(to - from));
        left = std::min(left, from);
        right = std::max(right, to);
      }
      if (left >= right) continue;
      const auto [from, to] = along_y.range[u(place)];
      for (std::size_t y = from; y < to; ++y) {
        ops_.add(&cells[y * nx + left], &line[left], along_y.share[u(place) * along_y.cells + y],
                 static_cast<int>(right - left));
      }
    }
    return sum;
  }

  /// Distributes the spots of a pattern, with these weights, to the sites; sorted by y.
  static std::vector<Pattern::Spot> at_sites(const Pattern& pattern, std::span<const double> weights, const Sites& x,
                                             const Sites& y) {
    std::vector<Pattern::Spot> out;
    if (x.width == 1 && y.width == 1) {
      out = pattern.all;
      for (std::size_t i = 0; i < out.size(); ++i) out[i].weight = weights[i];
      return out;
    }
    const std::size_t columns = x.at.size();
    std::vector<double> sums(columns * y.at.size());
    for (std::size_t i = 0; i < pattern.all.size(); ++i) {
      const auto [x_place, y_place, unused] = pattern.all[i];
      for (int row = 0; row < y.width; ++row) {
        const double weight = weights[i] * y.share[u(y_place)][u(row)];
        double* to = &sums[u(y.first[u(y_place)] + row) * columns + u(x.first[u(x_place)])];
        for (int column = 0; column < x.width; ++column) to[column] += weight * x.share[u(x_place)][u(column)];
      }
    }
    for (std::size_t i = 0; i < sums.size(); ++i) {
      if (sums[i] != 0.0) out.push_back({static_cast<int>(i % columns), static_cast<int>(i / columns), sums[i]});
    }
    return out;
  }

  const SweepOps& ops_ = sweep_ops();
  const Problem& p_;
  const std::span<const AlongY> along_y_;
  const LateralGrid across_;
  VolumeControl& control_;
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

VolumeDose volume_dose(const Problem& p, std::span<const AlongY> along_y, const LateralGrid& across,
                       VolumeControl& control) {
  if (const std::string reason = straight_moments_refusal(p); !reason.empty())
    throw ProblemError("unsupported", reason);
  return Solving(p, along_y, across, control).solve();
}

}  // namespace bb::transport
