// Every registered variant of the diffraction workload compared with `diffraction-reference`, within its stated error.
// New variants are covered automatically.
#include <string>

#include "../kernels/diffraction/scenes.hpp"
#include "check.hpp"

using namespace bb;
using namespace bb::diffraction;
using namespace bb::test;

TEST("every diffraction variant stays within its declared error") {
  for (const Scene& scene : scenes()) {
    const auto wanted = render(scene.problem).image;
    const Setup setup = make_setup(scene.problem);
    for (const Variant& v : variants()) {
      if (!v.unavailable().empty() || !v.refuses(setup).empty() || v.bright_error >= 1.0) continue;
      const ImageError e = image_error(render(scene.problem, v.id).image, wanted);
      // Rounding in the last bit decides which reflection is nearest and whether a point is inside the top hat.
      if (!(e.bright <= v.bright_error)) {
        fail(
            __FILE__, __LINE__,
            scene.name + ", " + v.id + ": bright pixels off by " + show(e.bright) + ", stated " + show(v.bright_error));
      }
      const double most = v.bright_error > kParity ? v.bright_error : v.bright_error > 1e-6 ? 1e-5 : 1e-9;
      CHECK(e.rel_l2 <= most);
      CHECK(e.max <= most);
      CHECK(e.sum <= most);
    }
  }
}

TEST("naive FP32 is wrong, although its correlation does not show it") {
  const Problem p = cubic_problem(1024);
  const auto wanted = render(p).image;
  const ImageError naive = image_error(render(p, "diffraction-naive-fp32").image, wanted);
  CHECK(naive.correlation > 0.999999);
  CHECK(naive.bright > 0.2);
  const ImageError delta = image_error(render(p, "diffraction-delta-fp32").image, wanted);
  CHECK(delta.bright < 1e-3);
  CHECK(delta.bright > kParity);
  const ImageError mixed = image_error(render(p, "diffraction-mixed").image, wanted);
  CHECK(mixed.bright < kParity);
}
