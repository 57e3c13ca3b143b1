#include "registry.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "cpu/memory.hpp"
#include "cuda/opened/opened_device.hpp"
#include "variant.hpp"
#include "variants.hpp"

namespace bb::transport {
namespace {

bool has(const std::vector<Precision>& list, Precision p) { return std::ranges::find(list, p) != list.end(); }
bool has(const std::vector<Stepping>& list, Stepping s) { return std::ranges::find(list, s) != list.end(); }

/// Limits of the GPU that a run would use.
GpuLimits gpu_of(const Problem& p) {
  try {
    const cuda::DeviceInfo info = cuda::chosen_device(p.device);
    return {info.name, static_cast<double>(info.memory_bytes), static_cast<double>(info.shared_per_block_optin_bytes)};
  } catch (const cuda::Error&) {
    return {};
  }
}

/// Rejects a variant if a block needs more shared memory than `gpu` has. `auto` avoids variants that may need too much.
Refusal too_little_shared(const Variant& v, const Problem& p, const Tables& t, const GpuLimits& gpu) {
  if (v.shared_need == nullptr || gpu.shared_bytes == 0.0) return {nullptr, ""};
  const SharedNeed need = v.shared_need(p, t);
  const bool any = p.variant == "auto";
  if ((any ? need.most : need.least) <= gpu.shared_bytes) return {nullptr, ""};
  const double bytes = any ? need.most : need.least;
  return {"unsupported", std::string("solver.variant = ") + v.id + ": " + std::to_string(t.ne) + " energies and " +
                             std::to_string(t.ntheta) + " angles need " + (any ? "up to " : "at least ") +
                             cpu::bytes_text(bytes) + " of shared memory per block, " + gpu.name + " has " +
                             cpu::bytes_text(gpu.shared_bytes) + "; use fewer, or solver.variant = cuda-gather"};
}

/// `gpu` is used in place of the actual GPU if it is not null.
Refusal refusal(const Variant& v, const Problem& p, const Tables& t, const GpuLimits* gpu) {
  const std::string name = std::string("solver.variant = ") + v.id;
  if (!has(v.steppings, p.stepping)) {
    return {"unsupported",
            name + ": does not offer solver.stepping = " + (p.stepping == Stepping::kDepth ? "depth" : "path")};
  }
  if (!has(v.precisions, p.precision)) {
    return {"unsupported",
            name + ": does not offer solver.precision = " + (p.precision == Precision::kFp32 ? "fp32" : "fp64")};
  }
  if (p.track_scores && !v.scores_tracks) {
    return {"unsupported",
            name +
                ": does not score LET; output.let = true needs a variant that does, such as cuda-window, "
                "cuda-depth or a CPU variant"};
  }
  if (v.refuses != nullptr) {
    if (const std::string why = v.refuses(p); !why.empty()) return {"unsupported", name + ": " + why};
  }
  if (gpu == nullptr || !on_gpu(v)) {
    if (const std::string missing = v.unavailable(); !missing.empty()) return {"device", name + ": " + missing};
  }
  const double need = v.estimate_bytes(p, t);
  // The memory limit of the scenario applies to the machine's memory; a GPU has a separate limit.
  const GpuLimits there = gpu != nullptr || !on_gpu(v) ? GpuLimits{} : gpu_of(p);
  const GpuLimits& device = gpu != nullptr ? *gpu : there;
  const double limit = on_gpu(v) ? device.memory_bytes : p.memory_limit;
  if (limit > 0.0 && need > limit) {
    return {"memory", name + ": needs about " + cpu::bytes_text(need) + " for " + std::to_string(t.ne) + " x " +
                          std::to_string(t.ntheta) + " x " + std::to_string(t.nz) + " x " + std::to_string(t.nx) +
                          " cells (energy, angle, z, x), the limit is " + cpu::bytes_text(limit)};
  }
  return too_little_shared(v, p, t, device);
}

}  // namespace

std::span<const Variant> variants() {
  static const std::vector<Variant> all = {
      reference_variant(),
      scatter_variant(),
      gather_variant(),
      gather_fft_variant(),
      fused_variant(),
      window_variant(),
      depth_variant(),
      moments_variant(),
#ifndef BB_FIRST  // not in the addon for the first start, which solves on the CPU while the rest is compiled
      cuda_slice_launches_variant(),
      cuda_scatter_variant(),
      cuda_warp_reduced_variant(),
      cuda_gather_variant(),
      cuda_uncoalesced_variant(),
      cuda_gather_fft_variant(),
      cuda_gather_tensor_variant(),
      cuda_tiled_variant(),
      cuda_fused_variant(),
      cuda_graph_variant(),
      cuda_persistent_variant(),
      cuda_window_variant(),
      cuda_depth_variant(),
      cuda_moments_variant(),
#endif
  };
  return all;
}

const Variant& choose_variant(const Problem& problem, const Tables& tables, const GpuLimits* gpu) {
  if (problem.variant != "auto") {
    std::string names;
    for (const Variant& v : variants()) {
      names += std::string(names.empty() ? "" : ", ") + v.id;
      if (problem.variant != v.id) continue;
      const Refusal refused = refusal(v, problem, tables, gpu);
      if (refused.code == nullptr) return v;
      throw ProblemError(refused.code, refused.why);
    }
    refuse_unknown(problem.variant, names);
  }
  const Variant* best = nullptr;
  std::string last;
  for (const Variant& v : variants()) {
#ifndef BB_FIRST
    if (on_gpu(v) && cuda::kernels_warming("transport")) continue;  // meanwhile the CPU is used
#endif
    // A variant that uses its own planes instead of the grid's rows is chosen only by name.
    if (!v.needs_operators || (best != nullptr && v.speed_rank <= best->speed_rank)) continue;
    const Refusal refused = refusal(v, problem, tables, gpu);
    if (refused.code == nullptr) {
      best = &v;
    } else if (!on_gpu(v)) {  // a missing GPU is not the reason why nothing fits
      last = refused.why;
    }
  }
  if (best == nullptr) throw ProblemError("memory", "solver.variant = auto: no variant fits; " + last);
  return *best;
}

}  // namespace bb::transport
