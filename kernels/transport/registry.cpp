#include "registry.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "variants.hpp"

namespace bb::transport {
namespace {

std::string gigabytes(double bytes) {
  const double mb = bytes / 1e6;
  return mb < 1000.0 ? std::to_string(static_cast<int>(std::lround(mb))) + " MB"
                     : std::to_string(std::lround(mb / 100.0) / 10) + "." +
                           std::to_string(std::lround(mb / 100.0) % 10) + " GB";
}

bool has(const std::vector<Precision>& list, Precision p) { return std::ranges::find(list, p) != list.end(); }
bool has(const std::vector<Stepping>& list, Stepping s) { return std::ranges::find(list, s) != list.end(); }

/// Empty when `v` can solve `p`, else why not.
std::string refusal(const Variant& v, const Problem& p, const Tables& t) {
  if (!has(v.steppings, p.stepping)) {
    return std::string("solver.variant = ") + v.id +
           ": does not offer solver.stepping = " + (p.stepping == Stepping::kDepth ? "depth" : "path");
  }
  if (!has(v.precisions, p.precision)) {
    return std::string("solver.variant = ") + v.id +
           ": does not offer solver.precision = " + (p.precision == Precision::kFp32 ? "fp32" : "fp64");
  }
  const double need = v.estimate_bytes(p, t);
  if (p.memory_limit > 0.0 && need > p.memory_limit) {
    return std::string("solver.variant = ") + v.id + ": needs about " + gigabytes(need) + " for " +
           std::to_string(t.ne) + " x " + std::to_string(t.ntheta) + " x " + std::to_string(t.nz) + " x " +
           std::to_string(t.nx) + " cells (energy, angle, z, x), the limit is " + gigabytes(p.memory_limit);
  }
  return "";
}

}  // namespace

std::span<const Variant> variants() {
  static const std::vector<Variant> all = {
      reference_variant(), scatter_variant(), gather_variant(), fused_variant(), window_variant(), depth_variant(),
  };
  return all;
}

const Variant& choose_variant(const Problem& problem, const Tables& tables) {
  if (problem.variant != "auto") {
    std::string names;
    for (const Variant& v : variants()) {
      names += std::string(names.empty() ? "" : ", ") + v.id;
      if (problem.variant != v.id) continue;
      const std::string why = refusal(v, problem, tables);
      if (why.empty()) return v;
      throw ProblemError(why.find("needs about") != std::string::npos ? "memory" : "unsupported", why);
    }
    throw ProblemError("unsupported", "solver.variant = " + problem.variant + ": unknown; allowed: auto, " + names);
  }
  const Variant* best = nullptr;
  std::string last;
  for (const Variant& v : variants()) {
    const std::string why = refusal(v, problem, tables);
    if (!why.empty()) {
      last = why;
      continue;
    }
    if (best == nullptr || v.speed_rank > best->speed_rank) best = &v;
  }
  if (best == nullptr) throw ProblemError("memory", "solver.variant = auto: no variant fits; " + last);
  return *best;
}

}  // namespace bb::transport
