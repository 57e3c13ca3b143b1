// The bodies of the kernels of image series, run by the host.
#include <cmath>

#include "check.hpp"
#include "diffraction/cuda/packed_setup.hpp"
#include "diffraction/registry.hpp"
#include "micro/images/crystals.hpp"
#include "micro/images/series.cuh"

using namespace bb;
using namespace bb::micro;

TEST("image series: a kernel's pixel is that of its own crystal, whatever the scene's crystal is") {
  const diffraction::Problem scene = images::scene(96, 5);
  const diffraction::Setup first = diffraction::make_setup(scene);
  diffraction::Cell other = images::triclinic_cell();
  other.b *= 1.007;
  const diffraction::Setup second = diffraction::make_setup(images::with_crystal(scene, other, {0.4, -1.0, 2.0}));
  const diffraction::device::PackedSetup<double, float> packed(first);
  CHECK(packed.plain());
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
