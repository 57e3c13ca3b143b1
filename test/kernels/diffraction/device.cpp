// Runs the bodies of the CUDA kernels on the host, which tests their arithmetic without a GPU.
#include <algorithm>
#include <string>

#include "check.hpp"
#include "diffraction/cuda/device_pixel.hpp"
#include "diffraction/cuda/packed_setup.hpp"
#include "scenes.hpp"

using namespace bb;
using namespace bb::diffraction;
using namespace bb::test;

namespace {

template <typename A, typename S, typename Table>
std::vector<double> whole_pixels(const S& view, Table table) {
  const Plate& plate = view.plate;
  std::vector<double> image;
  for (int slow = 0; slow < plate.height; ++slow) {
    for (int fast = 0; fast < plate.width; ++fast) {
      image.push_back(device::photons(view, fast, slow, device::whole_pixel<A>(view, fast, slow, table)));
    }
  }
  return image;
}

template <typename A>
std::vector<double> shared_pixels(const Setup& setup, int lanes) {
  const device::PackedSetup<typename A::Index, typename A::Factor> packed(setup);
  std::vector<double> image;
  for (int slow = 0; slow < setup.height; ++slow) {
    for (int fast = 0; fast < setup.width; ++fast) {
      device::Sums<typename A::Factor> all{};
      for (int lane = 0; lane < lanes; ++lane) {
        const auto share = device::share_of_pixel<A>(packed.view, fast, slow, lane, lanes);
        all.scattered += share.scattered;
        all.weights += share.weights;
        if (lane == 0) all.first = share.first;
      }
      image.push_back(device::photons(packed.view, fast, slow, all));
    }
  }
  return image;
}

template <typename A, typename Table = device::ListedEdges<typename A::Index>>
std::vector<double> pixels(const Setup& setup) {
  const device::PackedSetup<typename A::Index, typename A::Factor> packed(setup);
  if (!packed.is_plain()) return whole_pixels<A>(packed.view, Table{});
  device::PlainSetup<typename A::Setup> plain;
  static_cast<typename A::Setup&>(plain) = packed.view;
  return whole_pixels<A>(plain, Table{});
}

void within(const std::string& what, const std::vector<double>& got, const std::vector<double>& wanted, double bright) {
  const ImageError e = image_error(got, wanted);
  if (!(e.bright <= bright)) {
    fail(__FILE__, __LINE__, what + ": bright pixels off by " + show(e.bright) + ", allowed " + show(bright));
  }
  CHECK(e.rel_l2 <= bright);
  CHECK(e.max <= bright);
}

}  // namespace

TEST("the arithmetic of the CUDA variants has the declared error for every kind of crystal") {
  for (Scene& scene : scenes()) {
    // This part of the image includes every case; the GPU tests use all of it.
    DetectorSpec& plate = scene.problem.detector;
    plate.width = std::min(plate.width, 200);
    plate.height = std::min(plate.height, plate.oversample == 2 ? 8 : 40);
    const Setup setup = make_setup(scene.problem);
    const auto wanted = render(scene.problem).image;
    within(scene.name + ", FP64", pixels<device::Fp64>(setup), wanted, kReferenceRounding);
    within(scene.name + ", mixed", pixels<device::Mixed>(setup), wanted, kParity);
    within(scene.name + ", fixed point", pixels<device::FixedPoint>(setup), wanted, kParity);
    within(scene.name + ", double-float", pixels<device::DoubleFloats>(setup), wanted, kParity);
    if (setup.terms_per_pixel() > 1) {
      within(scene.name + ", in the loop", pixels<device::Mixed, device::RotatedEdges>(setup), wanted, kParity);
      within(scene.name + ", 32 lanes", shared_pixels<device::Mixed>(setup, 32), wanted, kParity);
      within(scene.name + ", 5 lanes", shared_pixels<device::Fp64>(setup, 5), wanted, kReferenceRounding);
    }
  }
}

TEST("the Chebyshev recurrence in FP32 stays within the error limit up to 16 cells") {
  for (int cells = 1; cells <= 16; ++cells) {
    Problem p = tilted_crystal(cells);
    p.detector.height = 64;
    const Setup setup = make_setup(p);
    const auto wanted = render(p).image;
    const std::string name = std::to_string(cells) + " cells";
    within(name, pixels<device::Chebyshev>(setup), wanted, kParity);
    const device::PackedSetup<double, float> packed(setup);
    device::with_equal_edges(packed.view, [&](auto recurrence) {
      within(name + ", unrolled", pixels<decltype(recurrence)>(setup), wanted, kParity);
    });
  }
}

TEST("phase-reduced FP32 in a kernel is far better than the plain formula, and still wrong") {
  const Problem p = cubic_problem(512);
  const Setup setup = make_setup(p);
  const auto wanted = render(p).image;
  const double naive = image_error(pixels<device::Naive>(setup), wanted).bright;
  const double delta = image_error(pixels<device::Delta>(setup), wanted).bright;
  CHECK(naive > 1e-2);
  CHECK(delta < 0.1 * naive);
  CHECK(delta > kParity);
}
