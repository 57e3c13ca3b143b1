// Fits misset and cell of a crystal to its image by the Gauss–Newton method. An iteration computes ten images: one at
// the current unknowns, and one for each unknown increased by a step. The normal equations follow from the differences
// between the images.
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numbers>
#include <utility>

#include "cpu/stopwatch.hpp"
#include "crystals.hpp"
#include "cuda/device/graph.hpp"
#include "diffraction/cuda/packed_setup.hpp"
#include "diffraction/model/crystal.hpp"
#include "gauss_newton.hpp"
#include "micro/row/row.hpp"
#include "micro/row/synthetic.hpp"
#include "series.cuh"

namespace bb::micro {
namespace refinement_row {
namespace {

using cpu::Clock, cpu::seconds_since;
using diffraction::Setup;
using Edges = diffraction::device::Edges<double>;
using Packed = diffraction::device::PackedSetup<double, float>;

/// Three angles of the misset, three edges and three angles of the cell.
constexpr std::size_t kUnknowns = 9, kImages = kUnknowns + 1;
/// Sums in the layout of refinement.cu: Jᵀ J up to its diagonal, Jᵀ r, rᵀ r.
constexpr std::size_t kSums = kUnknowns * (kUnknowns + 1) / 2 + kUnknowns + 1;
/// Units of the unknowns. A spot of a crystal of five cells is about three units wide.
constexpr double kTurn = 0.05 * std::numbers::pi / 180.0, kStretch = 1e-3;
/// Step of the finite differences, in those units. FP32 rounding changes a pixel by a relative 2e-5; this step changes
/// it by a few per cent.
constexpr double kStep = 0.1;
/// The fit ends if all components of a step are below this. Differences between FP32 images cannot resolve smaller
/// steps.
constexpr double kSmallestStep = 1e-4;

using Sums = std::array<double, kSums>;

NormalEquations equations_of(const Sums& sums) {
  NormalEquations out(kUnknowns);
  std::size_t at = 0;
  for (std::size_t u = 0; u < kUnknowns; ++u) {
    for (std::size_t v = 0; v <= u; ++v, ++at) {
      out.square[u * kUnknowns + v] = out.square[v * kUnknowns + u] = sums[at];
    }
  }
  for (std::size_t u = 0; u < kUnknowns; ++u) out.right[u] = sums[at++];
  out.residual = sums[at];
  return out;
}

/// Adds the pixels first … last - 1 to the sums.
void add_pixels(Sums& sums, std::span<const float> images, std::span<const float> measured, std::size_t first,
                std::size_t last) {
  const std::size_t pixels = measured.size();
  for (std::size_t i = first; i < last; ++i) {
    const double here = static_cast<double>(images[i]), off = here - static_cast<double>(measured[i]);
    double slopes[kUnknowns];
    for (std::size_t u = 0; u < kUnknowns; ++u) {
      slopes[u] = (static_cast<double>(images[(u + 1) * pixels + i]) - here) / kStep;
    }
    std::size_t at = 0;
    for (std::size_t u = 0; u < kUnknowns; ++u) {
      for (std::size_t v = 0; v <= u; ++v) sums[at++] += slopes[u] * slopes[v];
    }
    for (std::size_t u = 0; u < kUnknowns; ++u) sums[at++] += slopes[u] * off;
    sums[at] += off * off;
  }
}

/// An image of a known crystal. Fits start at zero, up to one unit away from the true value of each unknown.
class Problem {
 public:
  explicit Problem(const TaskProblem& problem)
      : size(problem), scene(images::scene(size.pixels, size.cells)), truth(kUnknowns) {
    Random random(problem.seed);
    for (double& one : truth) one = 2.0 * random.unit() - 1.0;
    const Setup true_setup = setup_at(truth);
    measured.resize(size.all());
    for (std::size_t i = 0; i < measured.size(); ++i) {
      const auto side = static_cast<std::size_t>(size.pixels);
      measured[i] =
          static_cast<float>(images::photons(true_setup, static_cast<int>(i % side), static_cast<int>(i / side)));
    }
  }

  /// Problem with the crystal at the given unknowns.
  diffraction::Problem at(const std::vector<double>& unknowns) const {
    diffraction::Cell cell = images::triclinic_cell();
    cell.a *= 1.0 + kStretch * unknowns[3];
    cell.b *= 1.0 + kStretch * unknowns[4];
    cell.c *= 1.0 + kStretch * unknowns[5];
    cell.alpha += kTurn * unknowns[6];
    cell.beta += kTurn * unknowns[7];
    cell.gamma += kTurn * unknowns[8];
    // A misset for which no edge is parallel to an axis.
    const diffraction::Vec3 misset{0.3 + kTurn * unknowns[0], -0.7 + kTurn * unknowns[1], 1.1 + kTurn * unknowns[2]};
    return images::with_crystal(scene, cell, misset);
  }
  Setup setup_at(const std::vector<double>& unknowns) const { return diffraction::make_setup(at(unknowns)); }

  /// Unknowns for one of the ten images of an iteration.
  static std::vector<double> of_image(std::vector<double> unknowns, std::size_t image) {
    if (image > 0) unknowns[image - 1] += kStep;
    return unknowns;
  }
  std::array<Edges, kImages> crystals(const std::vector<double>& unknowns) const {
    std::array<Edges, kImages> out;
    for (std::size_t k = 0; k < kImages; ++k) {
      out[k] = images::edges_of(diffraction::mounted_cell(at(of_image(unknowns, k)).crystal));
    }
    return out;
  }

  images::Size size;
  diffraction::Problem scene;
  std::vector<double> truth;
  std::vector<float> measured;
};

ExpectedResult answer(const TaskProblem& problem) {
  const Problem p(problem);
  // One unit is 0.05 degrees, or a thousandth of an edge.
  return {p.truth, 1e-3, 2e-3, "three misset angles and six cell parameters, compared with those of the image"};
}

/// Runs fits one after another, and stores the result and time of the last fit.
class FitRunner {
 public:
  void run(const std::function<NormalEquations(const std::vector<double>&)>& at) {
    const Clock::time_point start = Clock::now();
    fit_ = gauss_newton(std::vector<double>(kUnknowns, 0.0), {.most_iterations = 30, .step = kSmallestStep}, at);
    seconds_ = seconds_since(start);
  }
  const std::vector<double>& unknowns() const { return fit_.unknowns; }
  std::vector<Quantity> quantities() const {
    return {{"iterations", "Iterations", static_cast<double>(fit_.iterations), ""},
            {"iteration", "Time per iteration", 1e3 * seconds_ / std::max(1, fit_.iterations), "ms"},
            {"images", "Images per iteration", static_cast<double>(kImages), ""}};
  }

 private:
  Fit fit_;
  double seconds_ = 0;
};

/// The work of a fit is not known in advance, because it depends on the number of iterations.
TaskWork no_work() { return {}; }

CpuWork cpu_work(CpuBench& bench) {
  const auto p = std::make_shared<const Problem>(bench.problem());
  const auto fits = std::make_shared<FitRunner>();
  const auto images = std::make_shared<std::vector<float>>(kImages * p->size.all());
  constexpr std::size_t kRows = 8;
  const auto pieces = (static_cast<std::size_t>(p->size.pixels) + kRows - 1) / kRows;
  CpuWork work;
  work.run = [=, &pool = bench.pool()] {
    fits->run([&](const std::vector<double>& unknowns) {
      std::vector<Setup> setups;
      for (std::size_t k = 0; k < kImages; ++k) setups.push_back(p->setup_at(Problem::of_image(unknowns, k)));
      std::vector<Sums> parts(pieces, Sums{});
      pool.run(static_cast<int>(pieces), [&](int piece, int) {
        const std::size_t first = static_cast<std::size_t>(piece) * kRows;
        const std::size_t last = std::min(first + kRows, static_cast<std::size_t>(p->size.pixels));
        for (std::size_t k = 0; k < kImages; ++k) {
          images::render_rows(setups[k], static_cast<int>(first), static_cast<int>(last),
                              std::span<float>(*images).subspan(k * p->size.all(), p->size.all()));
        }
        const auto wide = static_cast<std::size_t>(p->size.pixels);
        add_pixels(parts[static_cast<std::size_t>(piece)], *images, p->measured, first * wide, last * wide);
      });
      Sums all{};
      for (const Sums& part : parts) {
        for (std::size_t k = 0; k < kSums; ++k) all[k] += part[k];
      }
      return equations_of(all);
    });
  };
  work.result = [fits] { return fits->unknowns(); };
  work.work = no_work();
  work.quantities = [fits] { return fits->quantities(); };
  return work;
}

/// Images and sums on the device, and the host memory that they are copied to and from.
struct DeviceRefinement {
  static constexpr unsigned kSumThreads = 128, kSumBlocks = 264;

  DeviceRefinement(CudaBench& bench, const Problem& p)
      : pixels(p.size.all()),
        side(static_cast<std::size_t>(p.size.pixels)),
        setup(p.setup_at(p.truth)),
        packed(setup),
        rays(bench.upload(packed.rays)),
        measured(bench.upload(p.measured)),
        stack(bench.device(), kImages * pixels),
        crystals(bench.device(), kImages),
        blocks(bench.device(), kSumBlocks * kSums),
        total(bench.device(), kSums),
        sent(bench.device(), kImages),
        received(bench.device(), kSums),
        image(bench.kernel("micro_image_series")),
        block_sums(bench.kernel("micro_refinement_sums")),
        all_sums(bench.kernel("micro_refinement_total")) {
    static_cast<diffraction::device::Mixed::Setup&>(scene) = packed.view;
    scene.rays = rays->pointer();
    scene.edges = nullptr;  // passed per image instead
    scene.cancelled = nullptr;
  }

  /// Queues the upload of the crystals in `sent`.
  void send(cuda::Stream& to) { crystals.upload(std::as_const(sent).values(), to); }
  void render(cuda::Stream& to, std::size_t first, std::size_t count) {
    image.launch(to,
                 {.grid = {blocks_for(side, 32), blocks_for(side, 8), static_cast<unsigned>(count)}, .block = {32, 8}},
                 scene, static_cast<const Edges*>(crystals.pointer()), static_cast<int>(first), stack.pointer());
  }
  /// Queues the sums over the images, and their copy into `received`.
  void sum(cuda::Stream& to) {
    block_sums.launch(to, {.grid = {kSumBlocks}, .block = {kSumThreads}}, static_cast<int>(pixels),
                      static_cast<const float*>(stack.pointer()), static_cast<const float*>(measured->pointer()),
                      1.0 / kStep, blocks.pointer());
    all_sums.launch(to, {.grid = {1}, .block = {64}}, static_cast<int>(kSumBlocks),
                    static_cast<const double*>(blocks.pointer()), total.pointer());
    total.download(received.values(), to);
  }

  std::size_t pixels, side;
  Setup setup;
  Packed packed;
  std::shared_ptr<cuda::DeviceBuffer<diffraction::device::Ray<double>>> rays;
  std::shared_ptr<cuda::DeviceBuffer<float>> measured;
  cuda::DeviceBuffer<float> stack;  // the ten images
  cuda::DeviceBuffer<Edges> crystals;
  cuda::DeviceBuffer<double> blocks, total;
  cuda::PinnedBuffer<Edges> sent;
  cuda::PinnedBuffer<double> received;
  cuda::Kernel image, block_sums, all_sums;
  images::Scene scene{};
};

enum class LaunchMode { kOneByOne, kBatch, kOnDevice, kGraph };

CudaWork gpu_work(CudaBench& bench, LaunchMode how) {
  const auto p = std::make_shared<const Problem>(bench.problem());
  const auto on = std::make_shared<DeviceRefinement>(bench, *p);
  const auto fits = std::make_shared<FitRunner>();
  const auto host = std::make_shared<std::vector<float>>(kImages * on->pixels);
  std::shared_ptr<cuda::Graph> graph;
  if (how == LaunchMode::kGraph) {
    cuda::Stream& stream = bench.stream();
    stream.begin_capture();
    on->send(stream);
    on->render(stream, 0, kImages);
    on->sum(stream);
    graph = std::make_shared<cuda::Graph>(stream.end_capture());
  }
  CudaWork work;
  work.queue = [=](cuda::Stream& to) {
    fits->run([&](const std::vector<double>& unknowns) {
      std::ranges::copy(p->crystals(unknowns), on->sent.values().begin());
      const std::span<float> all(*host);
      if (graph) {
        graph->launch(to);
      } else if (how == LaunchMode::kOneByOne) {
        on->send(to);
        for (std::size_t k = 0; k < kImages; ++k) {
          on->render(to, k, 1);
          on->stack.download(all.subspan(k * on->pixels, on->pixels), to, k * on->pixels);
          to.synchronize();
        }
      } else {
        on->send(to);
        on->render(to, 0, kImages);
        if (how == LaunchMode::kBatch) on->stack.download(all, to);
        if (how == LaunchMode::kOnDevice) on->sum(to);
      }
      to.synchronize();
      Sums sums{};
      if (how == LaunchMode::kOneByOne || how == LaunchMode::kBatch) {
        add_pixels(sums, all, p->measured, 0, on->pixels);
      } else {
        std::ranges::copy(on->received.values(), sums.begin());
      }
      return equations_of(sums);
    });
  };
  work.result = [fits](cuda::Stream&) { return fits->unknowns(); };
  work.work = no_work();
  work.quantities = [fits] { return fits->quantities(); };
  work.clock = engine::TaskClock::kWall;  // The host solves between the images.
  work.no_graph = "the host solves for the next step in every iteration";
  return work;
}

double bytes(const TaskProblem& problem) {
  return (kImages + 1) * sizeof(float) * static_cast<double>(images::Size(problem).all());
}

}  // namespace
}  // namespace refinement_row

engine::TaskBench refinement_bench() {
  using namespace refinement_row;
  Row<answer> row({"refinement", "Refinement of a crystal", "kernels/micro/images/refinement.cpp",
                   "kernels/micro/images/refinement.cu", bytes});
  row.cpu<cpu_work>({"cpu", "CPU", "ten images per iteration and their normal equations, on all threads"});
  row.cuda<with<gpu_work, LaunchMode::kOneByOne>>(
      {"cuda-one", "One image at a time",
       "launches an image, waits and copies it back; the host forms the normal equations"});
  row.cuda<with<gpu_work, LaunchMode::kBatch>>(
      {"cuda-batch", "Ten images per launch", "one launch and one copy per iteration", "cuda-one"});
  row.cuda<with<gpu_work, LaunchMode::kOnDevice>>(
      {"cuda-sums", "Normal equations on the GPU",
       "the GPU also forms the normal equations, and copies back 55 numbers", "cuda-batch"});
  row.cuda<with<gpu_work, LaunchMode::kGraph>>({"cuda-graph", "One graph, replayed",
                                                "crystals, images and normal equations in one replayed graph",
                                                "cuda-sums"});
  row.small({{"pixels", 67}, {"cells", 5}});
  return row.bench();
}

}  // namespace bb::micro
