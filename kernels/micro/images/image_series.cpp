// Images of many crystals: computed one after another, queued without waiting, replayed as a graph, or all in one
// launch.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "crystals.hpp"
#include "cuda/device/graph.hpp"
#include "diffraction/cuda/packed_setup.hpp"
#include "micro/row/row.hpp"
#include "micro/row/synthetic.hpp"
#include "series.cuh"

namespace bb::micro {
namespace image_series_row {
namespace {

using diffraction::Setup;
using Edges = diffraction::device::Edges<double>;
using Packed = diffraction::device::PackedSetup<double, float>;

/// Largest relative difference between the edges of a crystal's cell and the published ones.
constexpr double kSpread = 0.01;

/// Crystals with different missets and cells, drawn from the seed.
struct Problem {
  explicit Problem(const TaskProblem& problem) : size(problem), count(problem.count("images")) {
    Random random(problem.seed);
    const auto about_one = [&] { return 1.0 + kSpread * (2.0 * random.unit() - 1.0); };
    const auto turn = [&] { return std::numbers::pi * (2.0 * random.unit() - 1.0); };
    for (std::size_t i = 0; i < count; ++i) {
      diffraction::Cell cell = images::triclinic_cell();
      cell.a *= about_one();
      cell.b *= about_one();
      cell.c *= about_one();
      const double x = turn(), y = turn(), z = turn();
      setups.push_back(
          diffraction::make_setup(images::with_crystal(images::scene(size.pixels, size.cells), cell, {x, y, z})));
    }
  }
  std::size_t values() const { return count * size.all(); }
  TaskWork work() const {
    const auto all = static_cast<double>(values());
    return {.bytes = 4.0 * all, .flops = images::kPixelFlops * all};
  }
  std::vector<Quantity> quantities(double launches) const {
    return {{"images", "Images", static_cast<double>(count), ""},
            {"launches", "Launches per image", launches / static_cast<double>(count), ""}};
  }
  images::Size size;
  std::size_t count;
  std::vector<Setup> setups;  // one per image
};

ExpectedResult answer(const TaskProblem& problem) {
  const Problem p(problem);
  const Samples some(p.values());
  const std::size_t each = p.size.all();
  const auto side = static_cast<std::size_t>(p.size.pixels);
  return {some.map([&](std::size_t i) {
            const std::size_t at = i % each;
            return images::photons(p.setups[i / each], static_cast<int>(at % side), static_cast<int>(at / side));
          }),
          2e-5, 2e-5, some.text() + " with FP64"};
}

enum class ThreadDivision { kRows, kImages };

CpuWork cpu_work(CpuBench& bench, ThreadDivision split) {
  const auto p = std::make_shared<const Problem>(bench.problem());
  const auto out = std::make_shared<std::vector<float>>(p->values());
  CpuWork work;
  work.run = [p, out, split, &pool = bench.pool()] {
    const std::size_t each = p->size.all();
    const auto image = [&](std::size_t i) { return std::span<float>(*out).subspan(i * each, each); };
    if (split == ThreadDivision::kImages) {
      pool.run(static_cast<int>(p->count), [&](int i, int) {
        images::render_rows(p->setups[static_cast<std::size_t>(i)], 0, p->size.pixels,
                            image(static_cast<std::size_t>(i)));
      });
      return;
    }
    for (std::size_t i = 0; i < p->count; ++i) {
      in_pieces(pool, static_cast<std::size_t>(p->size.pixels), 16, [&](std::size_t first, std::size_t last) {
        images::render_rows(p->setups[i], static_cast<int>(first), static_cast<int>(last), image(i));
      });
    }
  };
  work.result = sampled(out);
  work.work = p->work();
  return work;
}
template <ThreadDivision kSplit>
CpuWork work_by_division(CpuBench& bench) {
  return cpu_work(bench, kSplit);
}

/// Crystals and images in device memory.
class DeviceSeries {
 public:
  explicit DeviceSeries(CudaBench& bench)
      : p(std::make_shared<const Problem>(bench.problem())),
        stack_(bench.buffer<float>(p->values())),
        packed_(std::make_shared<const Packed>(p->setups[0])),
        rays_(bench.upload(packed_->rays)),
        next_(bench.upload(std::vector<int>{0})),
        series_(bench.kernel("micro_image_series")),
        one_(bench.kernel("micro_image_next")),
        advance_(bench.kernel("micro_image_advance")) {
    for (const Setup& setup : p->setups) edges_.push_back(images::edges_of(setup.orientations[0]));
    crystals_ = bench.upload(edges_);
    static_cast<diffraction::device::Mixed::Setup&>(scene_) = packed_->view;
    scene_.rays = rays_->pointer();
    scene_.edges = nullptr;  // passed per image instead
    scene_.cancelled = nullptr;
  }

  /// Uploads one crystal in the stream, before the launch that reads it.
  void send(cuda::Stream& to, std::size_t image) {
    crystals_->upload(std::span<const Edges>(edges_).subspan(image, 1), to, image);
  }
  void launch(cuda::Stream& to, std::size_t first, std::size_t count) {
    series_.launch(to, shape(count), scene_, static_cast<const Edges*>(crystals_->pointer()), static_cast<int>(first),
                   stack_->pointer());
  }
  /// Launches the image that the counter on the device selects, and advances the counter.
  void launch_next(cuda::Stream& to) {
    one_.launch(to, shape(1), scene_, static_cast<const Edges*>(crystals_->pointer()),
                static_cast<const int*>(next_->pointer()), stack_->pointer());
    advance_.launch(to, {.grid = {1}, .block = {1}}, static_cast<int>(p->count), next_->pointer());
  }

  std::shared_ptr<const Problem> p;
  const std::shared_ptr<cuda::DeviceBuffer<float>>& stack() const { return stack_; }

 private:
  cuda::LaunchShape shape(std::size_t count) const {
    const auto side = static_cast<std::size_t>(p->size.pixels);
    return {.grid = {blocks_for(side, 32), blocks_for(side, 8), static_cast<unsigned>(count)}, .block = {32, 8}};
  }

  std::shared_ptr<cuda::DeviceBuffer<float>> stack_;  // all images, one after another
  std::shared_ptr<const Packed> packed_;
  std::shared_ptr<cuda::DeviceBuffer<diffraction::device::Ray<double>>> rays_;
  std::shared_ptr<cuda::DeviceBuffer<int>> next_;
  cuda::Kernel series_, one_, advance_;
  std::vector<Edges> edges_;
  std::shared_ptr<cuda::DeviceBuffer<Edges>> crystals_;
  images::Scene scene_{};
};

enum class LaunchMode { kSynchronous, kQueued, kGraphRebuilt, kGraphReused, kBatch };

CudaWork gpu_work(CudaBench& bench, LaunchMode how) {
  const auto on = std::make_shared<DeviceSeries>(bench);
  const std::size_t count = on->p->count;
  CudaWork work;
  switch (how) {
    case LaunchMode::kSynchronous:
      work.queue = [on, count](cuda::Stream& to) {
        for (std::size_t i = 0; i < count; ++i) {
          on->send(to, i);
          on->launch(to, i, 1);
          to.synchronize();
        }
      };
      work.no_graph = "it waits for every image";
      break;
    case LaunchMode::kQueued:
      work.queue = [on, count](cuda::Stream& to) {
        for (std::size_t i = 0; i < count; ++i) on->launch(to, i, 1);
      };
      break;
    case LaunchMode::kGraphRebuilt:
      work.queue = [on, count](cuda::Stream& to) {
        for (std::size_t i = 0; i < count; ++i) {
          to.begin_capture();
          on->launch(to, i, 1);
          cuda::Graph graph = to.end_capture();
          graph.launch(to);  // the driver keeps launched graphs alive until they are finished
        }
      };
      work.no_graph = "it already creates graphs";
      break;
    case LaunchMode::kGraphReused: {
      bench.stream().begin_capture();
      on->launch_next(bench.stream());
      const auto graph = std::make_shared<cuda::Graph>(bench.stream().end_capture());
      work.queue = [graph, count](cuda::Stream& to) {
        for (std::size_t i = 0; i < count; ++i) graph->launch(to);
      };
      work.no_graph = "it is already a graph";
      break;
    }
    case LaunchMode::kBatch:
      work.queue = [on, count](cuda::Stream& to) { on->launch(to, 0, count); };
      break;
  }
  if (how == LaunchMode::kSynchronous || how == LaunchMode::kGraphRebuilt) work.clock = engine::TaskClock::kWall;
  work.restore = [on](cuda::Stream& to) {
    on->stack()->fill_bytes(0xff, to);
  };  // fills with NaN, so that every pixel must be computed again
  work.result = sampled(on->stack());
  work.work = on->p->work();
  const double launches =
      how == LaunchMode::kBatch ? 1.0 : static_cast<double>(count) * (how == LaunchMode::kGraphReused ? 2.0 : 1.0);
  work.quantities = [on, launches] { return on->p->quantities(launches); };
  return work;
}

double bytes(const TaskProblem& problem) {
  const auto count = static_cast<double>(problem.count("images"));
  return count * (4.0 * static_cast<double>(images::Size(problem).all()) + sizeof(Setup) + sizeof(Edges));
}

}  // namespace
}  // namespace image_series_row

engine::TaskBench image_series_bench() {
  using namespace image_series_row;
  Row<answer> row({"image-series", "Images of many crystals", "kernels/micro/images/image_series.cpp",
                   "kernels/micro/images/image_series.cu", bytes});
  row.cpu<work_by_division<ThreadDivision::kRows>>(
      {"cpu-one", "One image at a time", "distributes the rows of an image over all threads"});
  row.cpu<work_by_division<ThreadDivision::kImages>>(
      {"cpu-images", "One image per thread", "computes several images concurrently", "cpu-one"});
  row.cuda<with<gpu_work, LaunchMode::kGraphRebuilt>>(
      {"cuda-graph-anew", "New graph per image", "captures and instantiates a graph for every image"});
  row.cuda<with<gpu_work, LaunchMode::kSynchronous>>(
      {"cuda-one", "Synchronous", "copies a crystal to the device, launches its image, and waits"});
  row.cuda<with<gpu_work, LaunchMode::kQueued>>(
      {"cuda-queued", "Queued", "crystals are stored on the device, and launches are queued back to back", "cuda-one"});
  row.cuda<with<gpu_work, LaunchMode::kGraphReused>>(
      {"cuda-graph-kept", "One graph, replayed",
       "replays one graph; the index of the next image is stored on the device", "cuda-graph-anew"});
  row.cuda<with<gpu_work, LaunchMode::kBatch>>(
      {"cuda-batch", "Batched in one launch", "images are the third dimension of the grid", "cuda-queued"});
  row.small({{"images", 3}, {"pixels", 67}, {"cells", 5}});
  row.small({{"images", 1}, {"pixels", 33}, {"cells", 100}});
  return row.bench();
}

}  // namespace bb::micro
