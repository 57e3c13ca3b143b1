#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cpu/thread_pool.hpp"
#include "cuda_moments_beams.hpp"
#include "transport/cuda/cuda_solver.hpp"
#include "transport/model/index.hpp"
#include "transport/moments/layers.hpp"
#include "transport/moments/moments.hpp"
#include "transport/variants.hpp"

namespace bb::transport {
namespace {

constexpr double kBytesOfBeam = 3e5;  // approximate size of the planes that are read back

MarchPlane plane_of(const double* row) {
  using namespace beam_march;
  MarchPlane plane;
  plane.z = row[kDepth];
  for (std::size_t k = 0; k < plane.deposit.size(); ++k) plane.deposit[k] = row[kDeposit + k];
  plane.passed = row[kPassed];
  plane.lost = row[kLost];
  plane.lost_energy = row[kLostEnergy];
  plane.stopped = row[beam_march::kStopped];
  plane.energy = row[kInFlightEnergyNow];
  for (std::size_t k = 0; k < plane.state.size(); ++k) plane.state[k] = row[kInFlightNumber + k];
  return plane;
}

/// Marches beams on a GPU. Spots that differ only in x and weight share a warp.
class CudaMarcher final : public Marcher {
 public:
  explicit CudaMarcher(const Problem& problem) : device_(make_cuda_moments(problem)) {}

  void run(std::span<March* const> marches, double /*depth*/) override {
    std::vector<Beam> beams;
    for (const March* each : marches) beams.push_back(each->spot());
    const std::vector<MarchedBeam> marched = device_->marches(beams);
    for (std::size_t i = 0; i < marched.size(); ++i) {
      const MarchedBeam& from = marched[i];
      March::Outcome to;
      for (std::size_t at = 0; at < from.planes.size(); at += beam_march::kComponents) {
        to.planes.push_back(plane_of(&from.planes[at]));
      }
      to.layer_begin.assign(from.layer_begin.begin(), from.layer_begin.end());
      to.bin_steps = from.planes[from.planes.size() - beam_march::kComponents + beam_march::kBinSteps];
      to.min_over_max = from.outcome.min_over_max;
      marches[i]->take(std::move(to));
    }
  }
  double device_seconds() const override { return device_->times().march; }
  double state_bytes() const override { return device_->state_bytes(); }
  std::vector<engine::SetupPart> setup_parts() const override { return device_->setup_parts(); }

 private:
  std::unique_ptr<CudaMoments> device_;
};

/// Readouts of beams, computed on the device.
class CudaReadouts final : public engine::ReadoutsSolver {
 public:
  explicit CudaReadouts(const Problem& problem) : device_(make_cuda_moments(problem)) {}

  engine::BeamTable solve(std::span<const Beam> beams, bool curves, const std::atomic<bool>& cancel) override {
    engine::BeamTable out;
    const auto readouts = device_->readouts(beams, curves ? &out.curves : nullptr, &cancel);
    out.rows = device_->rows();
    out.march_s = device_->times().march;
    out.readouts_s = device_->times().read;
    out.state_bytes = device_->state_bytes();
    out.parts = device_->setup_parts();
    out.columns.resize(beams.size() * u(beam_march::kReadoutColumns));
    constexpr std::size_t kTogether = 1024;
    cpu::on_all_cores(static_cast<int>((beams.size() + kTogether - 1) / kTogether), [&](int part) {
      const std::size_t first = u(part) * kTogether, end = std::min(first + kTogether, beams.size());
      for (std::size_t i = first; i < end; ++i) {
        const auto values = std::bit_cast<std::array<double, beam_march::kReadoutColumns>>(readouts[i]);
        for (std::size_t c = 0; c < values.size(); ++c) out.columns[c * beams.size() + i] = values[c];
      }
    });
    return out;
  }

 private:
  std::unique_ptr<CudaMoments> device_;
};

std::string refusal(const Problem& p) {
  if (p.nuclear == Nuclear::kIcru63) {
    return "physics.nuclear = icru63: moments follow products of reactions only on the CPU; allowed: off, "
           "attenuation, or solver.variant = moments";
  }
  if (p.straggling == Straggling::kOff) {
    return "physics.straggling = off: a beam in a single energy bin cannot be distributed over lanes; allowed: bohr, "
           "or solver.variant = moments";
  }
  if (!p.spectra.empty()) {
    return "output.spectra_mm: spectra are recorded only on the CPU; allowed: none, or solver.variant = moments";
  }
  return straight_moments_refusal(p);
}

}  // namespace

Variant cuda_moments_variant() {
  return {
      .id = "cuda-moments",
      .title = "Moments on the GPU",
      .changes =
          "One warp per beam, with its range bins in registers: neighbours are exchanged by shuffles, and the sums of "
          "a "
          "plane are butterfly reductions",
      .builds_on = "moments",
      .device = "cuda",
      .source = "kernels/transport/cuda/moments/beam_march.hpp",
      .precisions = {Precision::kFp32, Precision::kFp64},
      .steppings = {Stepping::kDepth},
      .bytes_per_cell_step = 32,
      .flops_per_cell_step = 120,
      .speed_rank = 1,
      .estimate_bytes =
          [](const Problem& p, const Tables&) {
            return kBytesOfBeam * static_cast<double>(std::max<std::size_t>(p.spots.size(), 1));
          },
      .make = [](const Problem& p, const Tables& t,
                 int) { return on_device([&] { return make_moments(p, t, std::make_unique<CudaMarcher>(p)); }); },
      .refuses = refusal,
      .needs_operators = false,
      .unavailable = cuda_unavailable,
      .make_readouts = [](const Problem& p) -> std::unique_ptr<engine::ReadoutsSolver> {
        return on_device([&] { return std::make_unique<CudaReadouts>(p); });
      },
  };
}

}  // namespace bb::transport
