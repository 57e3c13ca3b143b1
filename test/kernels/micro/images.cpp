// Runs the kernel bodies of image series on the host.
#include <cmath>
#include <vector>

#include "check.hpp"
#include "diffraction/cuda/packed_setup.hpp"
#include "diffraction/registry.hpp"
#include "micro/images/crystals.hpp"
#include "micro/images/gauss_newton.hpp"
#include "micro/images/series.cuh"

using namespace bb;
using namespace bb::micro;

TEST("image series: each kernel's pixel uses its own crystal, whatever the crystal of the scene") {
  const diffraction::Problem scene = images::scene(96, 5);
  const diffraction::Setup first = diffraction::make_setup(scene);
  diffraction::Cell other = images::triclinic_cell();
  other.b *= 1.007;
  const diffraction::Setup second = diffraction::make_setup(images::with_crystal(scene, other, {0.4, -1.0, 2.0}));
  const diffraction::device::PackedSetup<double, float> packed(first);
  CHECK(packed.is_plain());
  images::Scene view{};
  static_cast<diffraction::device::Mixed::Setup&>(view) = packed.view;
  view.edges = nullptr;
  view.cancelled = nullptr;
  const auto edges = images::edges_of(second.orientations[0]);
  double largest = 0, worst = 0;
  std::vector<float> row(96 * 96);
  images::render_rows(second, 0, 96, row);
  for (int slow = 0; slow < 96; ++slow) {
    for (int fast = 0; fast < 96; ++fast) {
      const double wanted = images::photons(second, fast, slow);
      const double got = static_cast<double>(images::pixel_of(view, edges, fast, slow));
      const double on_cpu = static_cast<double>(row[static_cast<std::size_t>(slow * 96 + fast)]);
      largest = std::max(largest, wanted);
      worst = std::max({worst, std::abs(got - wanted), std::abs(on_cpu - wanted)});
    }
  }
  CHECK(largest > 1e3);
  CHECK(worst < 2e-5 * largest);
}

namespace {

/// Residuals and their derivatives of a decay a exp(-b t) + c, measured without noise at 40 times.
NormalEquations decay(const std::vector<double>& u, const std::vector<double>& truth) {
  NormalEquations out(3);
  const auto value = [](const std::vector<double>& p, double t) { return p[0] * std::exp(-p[1] * t) + p[2]; };
  for (int i = 0; i < 40; ++i) {
    const double t = 0.1 * i, r = value(u, t) - value(truth, t), e = std::exp(-u[1] * t);
    const double slopes[3] = {e, -u[0] * t * e, 1.0};
    for (std::size_t a = 0; a < 3; ++a) {
      for (std::size_t b = 0; b < 3; ++b) out.square[a * 3 + b] += slopes[a] * slopes[b];
      out.right[a] += slopes[a] * r;
    }
    out.residual += r * r;
  }
  return out;
}

}  // namespace

TEST("gauss-newton: a positive definite system is solved, and others are rejected") {
  // Substitutes the solution into each equation.
  const std::vector<double> square{4, 2, 1, 2, 5, 3, 1, 3, 6}, right{1, 2, 3};
  const std::vector<double> x = solved(square, right);
  CHECK_EQ(x.size(), std::size_t{3});
  for (std::size_t row = 0; row < 3; ++row) {
    double sum = 0;
    for (std::size_t k = 0; k < 3; ++k) sum += square[row * 3 + k] * x[k];
    CHECK_NEAR(sum, right[row], 1e-14);
  }
  CHECK(solved({1, 2, 2, 1}, {1, 1}).empty());
  CHECK(solved({0, 0, 0, 0}, {1, 1}).empty());
}

TEST("gauss-newton: an exponential decay is fitted to the last digits in few iterations") {
  const std::vector<double> truth{2.5, 1.3, 0.4};
  const Fit fit = gauss_newton({1.0, 0.5, 0.0}, {.most_iterations = 50, .step = 1e-10},
                               [&](const std::vector<double>& u) { return decay(u, truth); });
  CHECK(fit.converged);
  CHECK(fit.iterations < 15);
  for (std::size_t i = 0; i < 3; ++i) CHECK_REL(fit.unknowns[i], truth[i], 1e-9);
  CHECK(fit.residual < 1e-20);
}

TEST("gauss-newton: a step that increases the residual is damped, and never applied") {
  // From b = 8, an undamped Gauss–Newton step would overshoot and increase the residuals.
  const std::vector<double> truth{2.5, 1.3, 0.4};
  double last = INFINITY;
  bool worse_seen = false;
  const Fit fit =
      gauss_newton({0.2, 8.0, 3.0}, {.most_iterations = 200, .step = 1e-10}, [&](const std::vector<double>& u) {
        NormalEquations at = decay(u, truth);
        worse_seen = worse_seen || at.residual > last;
        last = std::min(last, at.residual);
        return at;
      });
  CHECK(worse_seen);
  CHECK_EQ(fit.residual, last);
  CHECK(fit.converged);
  CHECK_REL(fit.unknowns[1], truth[1], 1e-8);
}

TEST("gauss-newton: unknowns not determined by the equations end without convergence") {
  const Fit fit = gauss_newton({1.0}, {.most_iterations = 7, .step = 1e-6}, [](const std::vector<double>&) {
    NormalEquations flat(1);
    flat.residual = 1.0;
    return flat;
  });
  CHECK(!fit.converged);
  CHECK_EQ(fit.unknowns[0], 1.0);
}
