// Every CUDA variant of the diffraction workload on the device: short images for compute-sanitizer, and the scenes with
// every option. Images are compared within each variant's stated error.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <thread>

#include "../kernels/diffraction/scenes.hpp"
#include "check.hpp"
#include "cpu/stopwatch.hpp"
#include "cuda/device/kernel.hpp"
#include "cuda/loader/libraries.hpp"
#include "diffraction/registry.hpp"
#include "gpu.hpp"

namespace bb::test {
namespace {

using namespace diffraction;

/// Uses sizes that are no multiples of blocks or warps.
Problem with_odd_size(Problem p) {
  p.detector.width = 67;
  p.detector.height = 45;
  p.detector.beam_x = 2.3e-3;
  p.detector.beam_y = 3.4e-3;
  return p;
}

std::vector<Scene> short_scenes() {
  Problem mosaic = with_odd_size(cubic_problem(64));
  mosaic.crystal.mosaic_spread = kDegree;
  mosaic.crystal.mosaic_domains = 70;  // more than a tile
  Problem all = with_odd_size(everything());
  Problem cubic = all;
  cubic.lookup = Lookup::kTricubic;
  return {
      {"odd size", with_odd_size(cubic_problem(64))}, {"70 domains", mosaic}, {"everything", all}, {"tricubic", cubic}};
}

/// FP64 reference images, rendered once for all variants.
const std::vector<double>& reference(const std::string& kind, const Scene& scene) {
  static std::map<std::string, std::vector<double>> known;
  std::vector<double>& image = known[kind + scene.name];
  if (image.empty()) image = render(scene.problem).image;
  return image;
}

void check_images(const Variant& v, const std::string& kind, const std::vector<Scene>& scenes) {
  for (const Scene& scene : scenes) {
    if (!v.refuses(make_setup(scene.problem)).empty()) continue;
    const auto& wanted = reference(kind, scene);
    const auto got = render(scene.problem, v.id);
    const ImageError e = image_error(got.image, wanted);
    CHECK(got.device_s > 0.0);
    CHECK_EQ(got.done, 1.0);
    if (v.bright_error >= 0.5) {
      // Even variants that are known to be inaccurate render about the same image.
      CHECK(e.rel_l2 < 0.1);
      continue;
    }
    if (!(e.bright <= v.bright_error)) {
      fail(__FILE__, __LINE__,
           scene.name + ": bright pixels off by " + show(e.bright) + ", stated " + show(v.bright_error));
    }
    const double most = v.bright_error > 1e-6 ? 1e-5 : 1e-9;
    CHECK(e.rel_l2 <= most);
    CHECK(e.max <= most);
    CHECK(e.sum <= most);
  }
}

struct Images {
  Images() {
    for (const Variant& v : variants()) {
      if (std::string_view(v.device) != "cuda") continue;
      names.push_back(std::string("GPU: short image of ") + v.id);
      const Registration brief(__FILE__, 1000 + static_cast<int>(names.size()), names.back(),
                               [&v] { check_images(v, "short ", short_scenes()); });
      names.push_back(std::string("GPU: all scenes by ") + v.id);
      const Registration whole(__FILE__, 1000 + static_cast<int>(names.size()), names.back(),
                               [&v] { check_images(v, "", scenes()); });
    }
  }
  std::deque<std::string> names;
};

const Images images;

const Variant& variant(const char* id) {
  return *std::ranges::find_if(variants(), [&](const Variant& v) { return std::string_view(v.id) == id; });
}

}  // namespace

TEST("GPU: naive FP32, phase-reduced FP32 and the hardware sine are wrong on bright pixels") {
  const Problem p = cubic_problem(1024);
  const auto wanted = render(p).image;
  for (const char* id : {"diffraction-cuda-naive-fp32", "diffraction-cuda-delta-fp32", "diffraction-cuda-fast-math"}) {
    const ImageError e = image_error(render(p, id).image, wanted);
    CHECK(e.bright > kParity);
    CHECK(e.correlation > 0.9999);
  }
}

TEST("GPU: auto selects a CUDA variant whose accuracy passes the parity check") {
  for (const Scene& scene : short_scenes()) {
    const Variant& v = choose_variant("auto", make_setup(scene.problem));
    CHECK_EQ(std::string(v.device), "cuda");
    CHECK(v.bright_error <= kParity);
  }
}

TEST("GPU: a problem beyond the limits of constant memory, the recurrence or a graph is rejected with the field") {
  Problem p = with_odd_size(cubic_problem(64));
  p.crystal.mosaic_domains = 1000;
  CHECK(variant("diffraction-cuda-constant").refuses(make_setup(p)).find("crystal.mosaic_domains") == 0);
  p.rotation.steps = 10;
  const std::string graph = variant("diffraction-cuda-unfused-graph").refuses(make_setup(p));
  CHECK(graph.find("40005 launches") != std::string::npos);
  CHECK(graph.find("rotation.steps") != std::string::npos);
  p.crystal.na = 17;
  CHECK(variant("diffraction-cuda-chebyshev").refuses(make_setup(p)).find("crystal.cells has 17") == 0);
}

TEST("GPU: images repeat bit for bit, two at a time") {
  Problem p = with_odd_size(cubic_problem(64));
  p.crystal.mosaic_spread = kDegree;
  p.crystal.mosaic_domains = 30;
  Problem other = p;
  other.crystal.mosaic_seed = 7;
  for (const Variant& v : variants()) {
    if (std::string_view(v.device) != "cuda") continue;
    const auto one = render(p, v.id).image, two = render(other, v.id).image;
    CHECK(one != two);
    std::vector<double> again;
    std::thread beside([&] {
      for (int i = 0; i < 5; ++i) again = render(other, v.id).image;
    });
    for (int i = 0; i < 5; ++i) CHECK(render(p, v.id).image == one);
    beside.join();
    CHECK(again == two);
  }
}

TEST("GPU: an image computed directly in FP32 equals the rounded FP64 image, including its brightest pixel") {
  Problem p = cubic_problem(64);
  p.detector.width = 1531;  // more than one transfer per image, and not a multiple of a core's part
  p.detector.height = 1207;
  for (const char* id : {"diffraction-cuda-fp64", "diffraction-cuda-mixed", "diffraction-cuda-unfused"}) {
    const std::vector<double> wanted = render(p, id).image;
    p.variant = id;
    engine::ImageRun run(p);
    std::vector<float> shown(wanted.size());
    run.show_in(shown);
    const engine::ImageResult result = run.execute({});
    CHECK_EQ(result.done, 1.0);
    CHECK(result.image.empty());
    CHECK(std::ranges::equal(shown, wanted, {}, {}, [](double photons) { return static_cast<float>(photons); }));
    CHECK_EQ(result.brightest, std::ranges::max(shown));
  }
}

TEST("GPU: cancelling an image between bands keeps the completed rows") {
  Problem p = cubic_problem(1024);
  p.crystal.mosaic_spread = kDegree;
  p.crystal.mosaic_domains = 20000;
  for (const char* id : {"diffraction-cuda-mixed", "diffraction-cuda-unfused"}) {
    p.variant = id;
    engine::ImageRun run(p);
    // The first report is sent after the first band.
    const engine::ImageResult r = run.execute([&](const engine::ImageProgress&) { run.cancel(); });
    CHECK(r.cancelled);
    CHECK(r.done < 0.9);
    CHECK_EQ(r.image.back(), 0.0);
  }
}

TEST("GPU: an image whose pixels need seconds is cancelled within them, in every variant") {
  Problem p = cubic_problem(8);
  p.detector.width = 64;
  p.detector.height = 2;
  p.detector.oversample = 100;
  p.beam.divergence_h = p.beam.divergence_v = 1e-3;
  p.beam.divergence_h_steps = p.beam.divergence_v_steps = 100;
  for (const Variant& v : variants()) {
    if (std::string_view(v.device) != "cuda" || !v.refuses(make_setup(p)).empty()) continue;
    p.variant = v.id;
    engine::ImageRun run(p);
    cpu::Clock::time_point asked;
    std::thread beside([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(1500));
      asked = cpu::Clock::now();
      run.cancel();
    });
    const engine::ImageResult r = run.execute({});
    const double ended_s = cpu::seconds_since(asked);
    beside.join();
    CHECK(r.cancelled);
    CHECK(r.done < 1.0);
    CHECK_EQ(r.image.back(), 0.0);
    if (ended_s > 2.0) fail(__FILE__, __LINE__, std::string(v.id) + " ended " + show(ended_s) + " s after the request");
  }
}

TEST("GPU: a timed image can be cancelled between its repetitions, and is otherwise complete") {
  Problem p = cubic_problem(1024);
  p.crystal.mosaic_spread = kDegree;
  p.crystal.mosaic_domains = 100;
  for (const char* id : {"diffraction-cuda-mixed", "diffraction-cuda-unfused"}) {
    p.variant = id;
    engine::ImageRun run(p);
    const cpu::Clock::time_point begun = cpu::Clock::now();
    std::thread beside([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(500));
      run.cancel();
    });
    // Ten thousand images, which need four seconds or more; a thousand launches are queued in advance.
    const engine::ImageResult r = run.execute([](const engine::ImageProgress&) {}, {engine::TaskMode::kWarm, 3600.0});
    beside.join();
    CHECK(r.cancelled);
    CHECK_EQ(r.done, 1.0);
    CHECK(cpu::seconds_since(begun) < 3.0);
  }
}

TEST("GPU: NVRTC compiles the diffraction kernels from the shipped sources") {
  cuda::KernelFolders folders = built_kernels();
  folders.images = folders.images / "no-images";
  if (!cuda::nvrtc_library().state.available) {
    CHECK_THROWS(cuda::load_kernels(gpu(), "diffraction", folders), "NVRTC");
    return;
  }
  const cuda::LoadedKernels kernels = cuda::load_kernels(gpu(), "diffraction", folders);
  CHECK(kernels.pieces != nullptr);
  for (const char* name : {"diffraction_mixed_plain", "diffraction_shared", "diffraction_lattice_f64"}) {
    CHECK(cuda::Kernel(kernels.module, name).resources().registers > 0);
  }
}

TEST("GPU: an image is timed warm, cold, as a graph and as a cold graph, with set-up in parts") {
  Problem p = cubic_problem(256);
  for (const char* id : {"diffraction-cuda-mixed", "diffraction-cuda-unfused", "diffraction-cuda-unfused-graph"}) {
    p.variant = id;
    for (const engine::TaskMode mode :
         {engine::TaskMode::kWarm, engine::TaskMode::kCold, engine::TaskMode::kGraph, engine::TaskMode::kColdGraph}) {
      engine::ImageRun run(p);
      const engine::ImageResult r = run.execute({}, {mode, 1e-3});
      double sum = 0.0;
      std::string names;
      for (const engine::SetupPart& part : r.setup_parts) {
        sum += part.seconds;
        names += part.name + " ";
      }
      CHECK(names.find("geometry and tables ") == 0);
      CHECK(names.find("device kernels image upload ") != std::string::npos);
      if (replays_graph(mode)) CHECK(names.find("capture") != std::string::npos);
      CHECK(std::abs(sum - r.setup_s) <= 0.02 * r.setup_s + 1e-5);
      CHECK(r.device_s > 1e-7);
      CHECK(r.device_s < r.solve_s);
    }
  }
}

}  // namespace bb::test
