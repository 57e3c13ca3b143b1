#include "transport/model/tables.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <thread>
#include <vector>

#include "../../parity/scenarios.hpp"
#include "../problems.hpp"
#include "check.hpp"
#include "physics/scattering.hpp"
#include "physics/stopping.hpp"
#include "transport/model/typed_tables.hpp"
#include "transport/model/work.hpp"

using namespace bb;
using namespace bb::transport;

namespace {

std::size_t u(int i) { return static_cast<std::size_t>(i); }

/// Calls f(name, tables) for every parity scenario with both steppings.
template <typename F>
void each_problem(F&& f) {
  for (const test::ParityScenario& s : test::parity_scenarios()) {
    for (const Stepping stepping : {Stepping::kPath, Stepping::kDepth}) {
      if (s.path_only && stepping == Stepping::kDepth) continue;
      Problem p = s.problem;
      p.stepping = stepping;
      f(s.name, build_tables(p));
    }
  }
}

/// Largest |Σ taps + stopped + nuclear - 1| and |Σ taps·E' + deposit + escape - E| / E over all sources.
template <typename Weights>
std::pair<double, double> imbalance(const Tables& t, const Weights& w) {
  const SourceTaps taps = taps_by_source(t);
  double number = 0.0, energy = 0.0;
  for (std::size_t row = 0; row < t.deposit.size(); ++row) {
    double n = static_cast<double>(w.stopped[row]) + static_cast<double>(w.nuclear[row]);
    double e = static_cast<double>(w.deposit[row]) + static_cast<double>(w.nuclear_escape[row]);
    for (std::size_t k = taps.begin[row]; k < taps.begin[row + 1]; ++k) {
      const double weight = static_cast<double>(w.gather_weight[taps.tap[k]]);
      n += weight;
      e += weight * t.energy[u(taps.destination[k])];
    }
    const double own = t.energy[row % u(t.ne)];
    number = std::max(number, std::abs(n - 1.0));
    energy = std::max(energy, std::abs(e - own) / own);
  }
  return {number, energy};
}

}  // namespace

TEST("a focused beam starts with its emittance: width, angle and correlation") {
  for (const double focus : {80.0, -80.0, 0.0}) {
    Problem p = test::water_problem(150.0, {60.0, 40.0, 0.5, 0.5}, 0.1, 0.002);
    p.stepping = Stepping::kDepth;
    p.beam.angle_sigma = 0.02;
    p.beam.x_sigma = 3.0;
    p.beam.focus = focus;
    const Tables t = build_tables(p);
    double n = 0.0, xx = 0.0, tt = 0.0, xt = 0.0;
    std::vector<double> row(static_cast<std::size_t>(t.nx));
    for (int e = 0; e < t.ne; ++e) {
      for (int a = 0; a < t.ntheta; ++a) {
        std::ranges::fill(row, 0.0);
        t.start.add(e, a, row);
        const double theta = t.theta[static_cast<std::size_t>(a)];
        for (int x = 0; x < t.nx; ++x) {
          const double at = (x + 0.5 - 0.5 * t.nx) * t.dx, protons = row[static_cast<std::size_t>(x)];
          n += protons;
          xx += protons * at * at;
          tt += protons * theta * theta;
          xt += protons * at * theta;
        }
      }
    }
    // At the middle of the first cell, 0.25 mm from the entrance.
    const double way = 0.25, covariance = (way - focus) * 4e-4;
    CHECK_REL(tt / n, 4e-4, 1e-3);
    CHECK_NEAR(xt / n, covariance, 1e-3 * 0.032);
    CHECK_REL(xx / n, 9.0 + (way * way - 2.0 * way * focus) * 4e-4, 2e-3);
  }
  Problem p = test::water_problem(150.0, {60.0, 40.0, 0.5, 0.5}, 0.1, 0.002);
  p.beam.angle_sigma = 0.02;
  p.beam.x_sigma = 1.0;
  p.beam.focus = -80.0;
  CHECK_THROWS(build_tables(p), "beam.focus_mm");
}

TEST("tables: source, stopping and nuclear-loss weights add up to one proton and its energy") {
  each_problem([](const std::string&, const Tables& t) {
    const auto [number, energy] = imbalance(t, t);
    CHECK(number < 1e-12);
    CHECK(energy < 1e-12);
  });
}

TEST("tables in FP32: numbers are exact, and energies agree up to rounding of the deposit") {
  each_problem([](const std::string&, const Tables& t) {
    const auto [number, energy] = imbalance(t, TypedTables<float>(t));
    CHECK_EQ(number, 0.0);
    CHECK(energy < 1e-7);
  });
}

TEST("tables in FP32: every weight is within 2e-7 of FP64, and angle kernels sum to exactly one") {
  each_problem([](const std::string&, const Tables& t) {
    const TypedTables<float> f(t);
    double worst = 0.0;
    for (std::size_t k = 0; k < t.gather_weight.size(); ++k) {
      worst = std::max(worst, std::abs(static_cast<double>(f.gather_weight[k]) - t.gather_weight[k]));
    }
    for (std::size_t row = 0; row + 1 < t.angle_begin.size(); ++row) {
      double sum = 0.0;
      const int begin = t.angle_begin[row];
      for (int k = begin; k < t.angle_begin[row + 1]; ++k) {
        sum += (k == begin ? 1.0 : 2.0) * static_cast<double>(f.angle_weight[u(k)]);
      }
      CHECK_EQ(sum, 1.0);
    }
    // The largest weight of a source bin receives the rounding errors of the others.
    CHECK(worst < 2e-7);
  });
}

TEST("tables: weights are never negative") {
  each_problem([](const std::string&, const Tables& t) {
    double lowest = 0.0;
    for (const auto* list : {&t.gather_weight, &t.angle_weight, &t.stopped, &t.nuclear, &t.nuclear_escape}) {
      for (const double w : *list) lowest = std::min(lowest, w);
    }
    CHECK_EQ(lowest, 0.0);
  });
}

TEST("tables: a bin receives only from within the declared reach, in ascending order of bins") {
  each_problem([](const std::string&, const Tables& t) {
    bool inside = true;
    for (std::size_t row = 0; row + 1 < t.gather_begin.size(); ++row) {
      const int to = static_cast<int>(row % u(t.ne));
      for (int k = t.gather_begin[row]; k < t.gather_begin[row + 1]; ++k) {
        const int reach = t.gather_source[u(k)] - to;
        inside = inside && reach >= t.reach_down && reach <= t.reach_up;
        inside = inside && (k == t.gather_begin[row] || t.gather_source[u(k)] > t.gather_source[u(k) - 1]);
      }
    }
    CHECK(inside);
  });
}

TEST("tables: the variance of an angle kernel is the scattering power at mid-step times the step") {
  Problem p = test::water_problem(100.0, {10, 90, 0.5, 0.5}, 0.2, 0.004);
  const Tables t = build_tables(p);
  const physics::StoppingTable water(p.materials[0].energies, p.materials[0].stopping);
  for (int e = 10; e < t.ne; e += 7) {  // the last bins have a mean energy, not their centre's
    const std::size_t row = t.row(0, 0, e);
    double variance = 0.0;
    for (int k = t.angle_begin[row]; k < t.angle_begin[row + 1]; ++k) {
      const double distance = (k - t.angle_begin[row]) * p.grid.dtheta;
      variance += 2.0 * t.angle_weight[u(k)] * distance * distance;
    }
    const double middle = water.energy_at(water.range(t.energy[u(e)]) + 0.025);
    CHECK_REL(variance, physics::gottschalk_power(middle, 100.0, 46.88) * 0.05, 1e-9);
  }
}

TEST("tables, depth stepping: the path length of an angle class is dz/cos of its angle") {
  Problem p = test::water_problem(100.0, {10, 90, 0.5, 0.5}, 0.6, 0.3);
  p.stepping = Stepping::kDepth;
  const Tables t = build_tables(p);
  const physics::StoppingTable water(p.materials[0].energies, p.materials[0].stopping);
  CHECK_EQ(t.classes, 5);
  for (int c = 0; c < t.classes; ++c) {
    const double path = 0.05 / std::cos(t.theta[u(c)]);
    for (const int e : {60, 100, 140}) {
      // The mean range loss of a source equals the path. Ranges are compared, because energy-weighted means are not
      // exact.
      const double energy = t.energy[u(e)];
      const SourceTaps taps = taps_by_source(t);
      const std::size_t row = t.row(c, 0, e);
      double after = 0.0;
      for (std::size_t k = taps.begin[row]; k < taps.begin[row + 1]; ++k) {
        after += t.gather_weight[taps.tap[k]] * water.range(t.energy[u(taps.destination[k])]);
      }
      CHECK_NEAR(water.range(energy) - after, path, 1e-9);
    }
    CHECK_EQ(t.plane_weight[u(c)], 1.0);
  }
}

TEST("tables, path stepping: shifts are the projections of the step, and the planes crossed are the step in z") {
  Problem p = test::water_problem(70.0, {20, 50, 0.25, 0.2}, 0.4, 0.1);
  p.step = 0.3;
  const Tables t = build_tables(p);
  for (int a = 0; a < t.ntheta; ++a) {
    CHECK_NEAR(t.shift_x[u(a)].whole + t.shift_x[u(a)].fraction, 0.3 * std::sin(t.theta[u(a)]) / 0.25, 1e-9);
    CHECK_NEAR(t.shift_z[u(a)].whole + t.shift_z[u(a)].fraction, 0.3 * std::cos(t.theta[u(a)]) / 0.2, 1e-9);
    CHECK_NEAR(t.plane_weight[u(a)], 0.3 * std::cos(t.theta[u(a)]) / 0.2, 1e-12);
  }
}

TEST("tables: the initial state has the weight, mean energy, mean position and widths of the beam") {
  Problem p = test::water_problem(60.0, {40, 35, 0.5, 0.2}, 0.4, 0.01);
  p.beam.weight = 250.0;
  p.beam.energy_sigma = 0.8;
  p.beam.angle = p.grid.theta_centre = 0.2;
  p.step = p.grid.dz / std::cos(p.beam.angle);
  p.beam.angle_sigma = 0.03;
  p.beam.x = 3.0;
  p.beam.x_sigma = 1.5;
  const Tables t = build_tables(p);
  const auto& s = t.start;
  double number = 0.0, energy = 0.0;
  for (int e = 0; e < t.ne; ++e) {
    number += s.parts.front().energy[u(e)];
    energy += s.parts.front().energy[u(e)] * t.energy[u(e)];
  }
  CHECK_REL(number, 250.0, 1e-12);
  CHECK_NEAR(energy / number, 60.0, 0.01);
  double angles = 0.0, mean = 0.0, square = 0.0;
  for (int a = 0; a < t.ntheta; ++a) {
    angles += s.parts.front().angle[u(a)];
    mean += s.parts.front().angle[u(a)] * t.theta[u(a)];
    square += s.parts.front().angle[u(a)] * (t.theta[u(a)] - 0.2) * (t.theta[u(a)] - 0.2);
  }
  CHECK_NEAR(angles, 1.0, 1e-9);
  CHECK_NEAR(mean, 0.2, 1e-9);
  CHECK_REL(square, 0.0009, 1e-6);
  for (const double missed : s.missed) CHECK_EQ(missed, 0.0);
  CHECK_EQ(s.x_variance, 0.0);
  const int a = (t.ntheta - 1) / 2;
  double x1 = 0.0, x2 = 0.0;
  for (int x = 0; x < t.nx; ++x) {
    const double position = (x + 0.5 - 0.5 * t.nx) * t.dx;
    x1 += s.parts.front().x[u(a) * u(t.nx) + u(x)] * position;
    x2 += s.parts.front().x[u(a) * u(t.nx) + u(x)] * (position - 3.0) * (position - 3.0);
  }
  CHECK_NEAR(x1, 3.0 + t.depth_first_node * std::tan(0.2), 0.05);
  CHECK_NEAR(std::sqrt(x2), 1.5, 0.01);
}

TEST("tables: a beam of zero width reports the variance of its single cell, and protons outside the grid are counted") {
  Problem p = test::water_problem(60.0, {10, 35, 0.5, 0.2}, 0.4, 0.01);
  CHECK_REL(build_tables(p).start.x_variance, 0.64 * 0.25, 1e-12);
  p.beam.x = 5.0;
  const Tables t = build_tables(p);
  CHECK_NEAR(t.start.missed[kXHigh], 0.5, 0.1);
  CHECK_EQ(t.start.missed[kXLow], 0.0);
  CHECK_NEAR(t.start.missed_energy[kXHigh], t.start.missed[kXHigh] * 60.0, 0.1);
  p.beam.x = -5.0;
  CHECK_NEAR(build_tables(p).start.missed[kXLow], t.start.missed[kXHigh], 1e-12);
  p.beam.x = 0.0;
  p.beam.angle = p.grid.theta_centre + 0.5 * p.grid.ntheta * p.grid.dtheta;
  CHECK_NEAR(build_tables(p).start.missed[kThetaHigh], 0.5, 0.1);
}

TEST("tables: the energy loss of the beam before its first node is scored over its width") {
  Problem p = test::water_problem(60.0, {20, 35, 0.5, 0.2}, 0.4, 0.01);
  p.step = 0.1;  // the first node is half a cell deep, a step only a quarter
  p.beam.x_sigma = 1.5;
  p.beam.x = 1.0;
  const Start wide = build_tables(p).start;
  double sum = 0.0, mean = 0.0, square = 0.0;
  for (int x = 0; x < p.grid.nx; ++x) {
    const double position = (x + 0.5 - 0.5 * p.grid.nx) * p.grid.dx;
    sum += wide.entry_dose[u(x)];
    mean += wide.entry_dose[u(x)] * position;
    square += wide.entry_dose[u(x)] * (position - 1.0) * (position - 1.0);
  }
  CHECK_REL(sum, 0.05 * 1.078, 0.01);  // S of water at 60 MeV, MeV/mm
  CHECK_REL(wide.entry_deposit, sum, 1e-12);
  CHECK_NEAR(mean / sum, 1.0, 1e-7);
  CHECK_REL(std::sqrt(square / sum), 1.5, 1e-6);
  p.beam.x_sigma = p.beam.x = 0.0;
  const Start narrow = build_tables(p).start;
  for (int x = 0; x < p.grid.nx; ++x) {
    CHECK_NEAR(narrow.entry_dose[u(x)], narrow.entry_dose[u(p.grid.nx - 1 - x)], 1e-15);
  }
  // Half of the beam misses the grid, and the ledger counts it as missed.
  p.beam.x = 10.0;
  const Start beside = build_tables(p).start;
  CHECK_NEAR(beside.entry_deposit, 0.5 * sum, 0.1 * sum);
  CHECK_REL(beside.missed_energy[kXHigh] + beside.entry_deposit + (1.0 - beside.missed[kXHigh]) * (60.0 - sum), 60.0,
            1e-4);
}

TEST("work: the operators' arithmetic follows the tables, so wide angle kernels cost more") {
  Problem p = test::water_problem(60.0, {10, 35, 0.5, 0.5}, 0.4, 0.02);
  const auto counted = [](const Tables& t) {
    double taps = 0.0, half = 0.0;
    for (int e = 0; e < t.ne; ++e) {
      taps += static_cast<double>(t.gather_begin[t.row(0, 0, e) + 1] - t.gather_begin[t.row(0, 0, e)]) / t.ne;
      half += static_cast<double>(t.angle_begin[t.row(0, 0, e) + 1] - t.angle_begin[t.row(0, 0, e)] - 1) / t.ne;
    }
    return std::pair(9 + 2 * 14 + 2 * taps + 3 * half + 2, half);
  };
  const Tables coarse = build_tables(p);
  const auto [few, narrow] = counted(coarse);
  CHECK_REL(flops_per_cell_step(coarse), few, 1e-12);
  p.grid.dtheta = 0.002;
  p.grid.ntheta = 201;
  const Tables fine = build_tables(p);
  const auto [many, wide] = counted(fine);
  CHECK(wide > narrow + 5);
  CHECK_REL(flops_per_cell_step(fine), many, 1e-12);
  CHECK(flops_per_cell_step(fine) > flops_per_cell_step(coarse) + 15);
  // Two materials count in proportion to their share of the map.
  p.materials.push_back(test::material("lead"));
  test::fill_region(p, 1, -100.0, 100.0, 0.0, 17.5);
  const double half_lead = flops_per_cell_step(build_tables(p));
  test::fill_region(p, 1, -100.0, 100.0, 0.0, 35.0);
  const double all_lead = flops_per_cell_step(build_tables(p));
  CHECK(all_lead > flops_per_cell_step(fine));
  CHECK(half_lead > flops_per_cell_step(fine) && half_lead < all_lead);
}

TEST("tables: a prefilled state is counted unchanged, and equally by every engine") {
  Problem p = test::water_problem(20.0, {3, 4, 0.5, 0.4}, 0.2, 0.1);
  p.filled = true;
  p.seed = 9;
  const Tables t = build_tables(p);
  double number = 0.0;
  for (std::size_t i = 0; i < t.cells(); ++i) {
    const double v = filled_value(9, i);
    CHECK(v > 0.0 && v <= 1.0);
    CHECK_EQ(static_cast<double>(static_cast<float>(v)), v);
    number += v;
  }
  CHECK_REL(t.start.number_in, number, 1e-12);
  CHECK_NEAR(number / static_cast<double>(t.cells()), 0.5, 0.02);
  CHECK(filled_value(9, 0) != filled_value(10, 0));
}

TEST("tables: extra straggling is zero in water on its range grid, but not in bone or on a uniform grid") {
  Problem p = test::water_problem(100.0, {10, 90, 0.5, 0.2}, 0.2, 0.01);
  CHECK_NEAR(build_tables(p).extra_straggling_mm, 0.0, 1e-4);
  Problem uniform = p;
  uniform.grid.energy_kind = EnergyGridKind::kUniform;
  uniform.grid.energy_step = 0.5;
  uniform.grid.energy_min = 1.0;
  const double added = build_tables(uniform).extra_straggling_mm;
  CHECK(added > 0.5);
  CHECK(added < 5.0);
}

TEST("tables: a beam at a side of the grid ends as in the middle, on either side") {
  Problem p = test::water_problem(21.0, {12, 5.5, 0.5, 0.25}, 0.4, 0.04);
  p.grid.energy_step = 0.4;  // the range is no multiple of the bin
  const Tables middle = build_tables(p);
  CHECK(std::abs(middle.end_excess_mm) > 0.01);
  CHECK(middle.extra_straggling_mm > 0.01);
  for (const double x : {-6.0, 6.0, 6.1}) {
    p.beam.x = x;
    const Tables t = build_tables(p);
    CHECK_NEAR(t.end_excess_mm, middle.end_excess_mm, 1e-12);
    CHECK_NEAR(t.extra_straggling_mm, middle.extra_straggling_mm, 1e-12);
  }
}

TEST("tables: impossible runs are rejected with the field, the value and what is allowed") {
  const Problem good = test::water_problem(70.0, {10, 50, 0.5, 0.2}, 0.4, 0.05);
  const auto with = [&](auto&& change) {
    Problem p = good;
    change(p);
    return build_tables(p);
  };
  CHECK_THROWS(with([](Problem& p) { p.beam.energy = 1.5; }), "beam.energy_MeV = 1.5");
  CHECK_THROWS(with([](Problem& p) { p.step = 0.0; }), "solver.step_mm = 0.0");
  CHECK_THROWS(with([](Problem& p) { p.map.pop_back(); }), "map: 4999 cells, but the grid has 5000");
  CHECK_THROWS(with([](Problem& p) { p.map[7] = 3; }), "map: material index 3");
  CHECK_THROWS(with([](Problem& p) { p.materials.clear(); }), "water");
  CHECK_THROWS(with([](Problem& p) { p.grid.nx = 0; }), "at least one cell");
  CHECK_THROWS(with([](Problem& p) {
                 p.stepping = Stepping::kDepth;
                 p.grid.theta_centre = p.beam.angle = 0.7;
               }),
               "depth stepping allows 60");
  CHECK_THROWS(with([](Problem& p) {
                 p = test::water_problem(20.0, {10, 80, 0.5, 40.0}, 0.4, 0.05);
                 p.grid.energy_step = p.step = 0.2;
               }),
               "the beam stops inside the first cell");
}

TEST("tables: the number of threads that build them changes no bit") {
  for (const test::ParityScenario& s : test::parity_scenarios()) {
    const Tables alone = build_tables(s.problem);
    const Tables together = TableBuilder(s.problem).build([](int tasks, const std::function<void(int)>& task) {
      std::vector<std::thread> threads;
      for (int i = tasks; i-- > 0;) {
        threads.emplace_back([&task, i] { task(i); });
        if (threads.size() < 4 && i > 0) continue;
        for (std::thread& each : threads) each.join();
        threads.clear();
      }
    });
    CHECK(alone.gather_begin == together.gather_begin);
    CHECK(alone.gather_source == together.gather_source);
    CHECK(alone.gather_weight == together.gather_weight);
    CHECK(alone.angle_begin == together.angle_begin);
    CHECK(alone.angle_weight == together.angle_weight);
    CHECK(alone.deposit == together.deposit);
    CHECK(alone.stopped_path == together.stopped_path);
    CHECK_EQ(alone.end_excess_mm, together.end_excess_mm);
  }
}
