#include <array>
#include <memory>
#include <string>

#include "device_stages.hpp"
#include "diffraction/cuda/cuda_fused.hpp"
#include "diffraction/variants.hpp"

namespace bb::diffraction {
namespace {

constexpr int kPlanes = 13;  // in addition to the sum, which is the image
/// Values that the four stages read or write per term: indices 6, lattice 4, structure 2, accumulate 4.
constexpr double kTermValues = 16;
constexpr unsigned kThreads = 256;
/// Number of launches between two checks for cancellation.
constexpr int kLaunchesPerCancelCheck = 2048;

template <typename T>
double scratch_bytes(const Outline& s) {
  return kPlanes * sizeof(T) * static_cast<double>(s.pixels());
}

double launches_of(const Outline& s) {
  const bool weighted = s.corrections == Corrections::kSubpixel || !s.thin();
  const double subs = static_cast<double>(s.oversample) * s.oversample * s.layers;
  const double beams = subs * static_cast<double>(s.source_count);
  return 2 + subs + beams * (weighted ? 3 : 2) + 4 * s.terms_per_pixel();
}

/// Launches one kernel per operator. Each kernel is one pass over the image with temporaries in device memory.
template <typename T>
class CudaUnfusedSolver : public CudaImageSolver<T> {
 public:
  explicit CudaUnfusedSolver(const Setup& setup) : CudaImageSolver<T>(setup) {
    cuda::require_memory(*this->device(), static_cast<std::uint64_t>(scratch_bytes<T>(setup)),
                         "detector: the image's temporaries");
    this->part("upload", [&] { tables_.emplace(setup, this->stream()); });
    this->part("temporaries", [&] {
      for (auto& plane : planes_) plane = cuda::DeviceBuffer<T>(this->device(), setup.pixels());
    });
    const auto at = [&](int i) { return planes_[static_cast<std::size_t>(i)].pointer(); };
    view_ = {at(0), at(1), at(2), at(3),  at(4),  at(5),  at(6),
             at(7), at(8), at(9), at(10), at(11), at(12), this->image().pointer()};
    this->part("kernel", [&] {
      for (const char* name : kNames) {
        const std::string whole = std::string("diffraction_") + name + (sizeof(T) == 4 ? "_f32" : "_f64");
        kernels_.emplace_back(this->module(), whole.c_str());
      }
    });
  }

 protected:
  double launches() const override { return launches_of(this->setup()); }

 private:
  enum Stage {
    kStart,
    kDirections,
    kTransfer,
    kWeights,
    kBackground,
    kIndices,
    kLattice,
    kStructure,
    kAccumulate,
    kFinish
  };
  static constexpr std::array kNames = {"start",   "directions", "transfer",  "weights",    "background",
                                        "indices", "lattice",    "structure", "accumulate", "finish"};

  /// All rows form one band, because a sum over part of the orientations is not an image.
  int band_rows() const override { return this->setup().height; }

  bool queue(cuda::Stream& stream, int, int, const Work* work) override { return stages(stream, work); }

 protected:
  bool stages(cuda::Stream& stream, const Work* work) {
    const Setup& s = this->setup();
    const unsigned pixels = static_cast<unsigned>(s.pixels());
    device::StagePosition at{};
    int queued = 0;
    const auto stage = [&](Stage which) {
      kernels_[which].launch(stream, {.grid = {(pixels + kThreads - 1) / kThreads, 1, 1}, .block = {kThreads, 1, 1}},
                             tables_->view(), view_, at);
      ++queued;
    };
    double done = 0.0;
    stage(kStart);
    for (int sub = 0; sub < s.oversample * s.oversample; ++sub) {
      at.sub_fast = sub % s.oversample;
      at.sub_slow = sub / s.oversample;
      for (at.depth = 0; at.depth < s.layers; ++at.depth) {
        stage(kDirections);
        for (at.source = 0; at.source < tables_->view().sources; ++at.source) {
          stage(kTransfer);
          if (tables_->view().weighted) stage(kWeights);
          stage(kBackground);
          for (at.orientation = 0; at.orientation < tables_->view().orientations; ++at.orientation) {
            stage(kIndices);
            stage(kLattice);
            stage(kStructure);
            stage(kAccumulate);
            ++done;
            if (this->stopped()) return false;
            if (work == nullptr || queued < kLaunchesPerCancelCheck) continue;
            queued = 0;
            stream.synchronize();
            if (work->cancel.load()) return false;
            work->progress(done / s.terms_per_pixel());
          }
        }
      }
    }
    stage(kFinish);
    return true;
  }

 private:
  std::optional<CudaTables<T, T>> tables_;
  std::array<cuda::DeviceBuffer<T>, kPlanes> planes_;
  device::StagePlanes<T> view_{};
  std::vector<cuda::Kernel> kernels_;
};

/// Captures the launches of CudaUnfusedSolver once as a graph and replays it.
class CudaUnfusedGraphSolver final : public CudaUnfusedSolver<double> {
 public:
  explicit CudaUnfusedGraphSolver(const Setup& setup) : CudaUnfusedSolver(setup) {
    part("capture", [&] {
      stream().begin_capture();
      stages(stream(), nullptr);
      graph_.emplace(stream().end_capture());
      graph_->upload(stream());
      stream().synchronize();
    });
  }

 private:
  bool queues_graph() const override { return true; }
  bool queue(cuda::Stream& stream, int, int, const Work*) override {
    graph_->launch(stream);
    return true;
  }

  std::optional<cuda::Graph> graph_;
};

}  // namespace

Variant cuda_unfused_variant() {
  return {
      .id = "diffraction-cuda-unfused",
      .title = "Unfused stages",
      .changes = "One kernel per operator, with image-sized temporaries in device memory, as in array programs",
      .builds_on = "diffraction-unfused",
      .device = "cuda",
      .source = "kernels/diffraction/cuda/unfused/cuda_unfused.cu",
      .arithmetic = "fp64",
      .bright_error = kReferenceRounding,
      .flops_per_term = 187,
      .speed_rank = 0,
      .make = [](const Setup& s) { return make_on_device<CudaUnfusedSolver<double>>(s); },
      .fp64_flops_per_term = 187,
      .flops_per_beam = 58,
      .fp64_flops_per_beam = 58,
      .bytes_per_term = kTermValues * sizeof(double),
      .scratch_bytes = scratch_bytes<double>,
      .unavailable = cuda_unavailable,
  };
}

Variant cuda_unfused_graph_variant() {
  Variant out = cuda_unfused_variant();
  out.id = "diffraction-cuda-unfused-graph";
  out.title = "Unfused stages as a graph";
  out.changes = "The same launches, captured once and replayed as one graph";
  out.builds_on = "diffraction-cuda-unfused";
  out.make = [](const Setup& s) { return make_on_device<CudaUnfusedGraphSolver>(s); };
  out.refuses = [](const Outline& s) { return graph_refusal(launches_of(s)); };
  return out;
}

Variant cuda_unfused_fp32_variant() {
  Variant out = cuda_unfused_variant();
  out.id = "diffraction-cuda-unfused-fp32";
  out.title = "Unfused stages in FP32";
  out.changes = "The same stages with phase-reduced FP32 temporaries: half the traffic";
  out.builds_on = "diffraction-cuda-unfused";
  out.arithmetic = "fp32";
  out.bright_error = 0.5;
  out.make = [](const Setup& s) { return make_on_device<CudaUnfusedSolver<float>>(s); };
  out.flops_per_term = 106;
  out.fp64_flops_per_term = out.fp64_flops_per_beam = 0;
  out.bytes_per_term = kTermValues * sizeof(float);
  out.scratch_bytes = scratch_bytes<float>;
  return out;
}

}  // namespace bb::diffraction
