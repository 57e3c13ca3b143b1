#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/problem_error.hpp"
#include "step_model.hpp"

// A resolved transport problem, as the host passes it to every engine. Units: MeV, mm, rad, g/cm³.
namespace bb::transport {

enum class EnergyGridKind { kRange, kUniform };
enum class Stepping { kPath, kDepth };
enum class Remap { kHighOrder, kLinear };
enum class Precision { kFp32, kFp64 };

struct Beam {
  double energy = 0, energy_sigma = 0;  // MeV
  double angle = 0, angle_sigma = 0;    // rad from +z
  double x = 0, x_sigma = 0, z = 0;     // mm
  double focus = 0;                     // mm along the beam to its narrowest point; < 0: before the entrance
  double weight = 1;                    // protons
};

struct GridSpec {
  int nx = 0, nz = 0, ntheta = 0;
  double dx = 0, dz = 0, dtheta = 0;  // mm, mm, rad
  double theta_centre = 0;            // rad
  EnergyGridKind energy_kind = EnergyGridKind::kRange;
  double energy_step = 0;  // mm of water-equivalent range, or MeV
  double energy_min = 0;   // MeV, uniform grid only
  double cutoff = 2;       // MeV
};

struct ElementShare {
  std::string symbol;
  double mass_fraction = 0;

  bool operator==(const ElementShare&) const = default;
};

struct Material {
  std::string name;
  double density = 0, z_over_a = 0;
  double x0 = 0, xs = 0;                   // g/cm²
  std::vector<double> energies, stopping;  // MeV, MeV cm²/g
  std::vector<ElementShare> elements;

  bool operator==(const Material&) const = default;
};

/// Text of a file in assets/nuclear, shared by the copies of a problem because it is long.
struct NuclearText {
  std::string name;
  std::shared_ptr<const std::string> text;

  bool operator==(const NuclearText& other) const {
    return name == other.name && (text == other.text || *text == *other.text);
  }
};

struct Problem {
  /// The beam's axis, depth of entry and energy. If there are spots, the energy is the highest of theirs.
  Beam beam;
  /// Spots that replace the single beam; if empty, the problem has the beam alone. Spots of weight 0 only affect the
  /// grid. Their depth of entry is that of the beam.
  std::vector<Beam> spots;
  GridSpec grid;
  std::vector<Material> materials;  // [0] is water, which defines the range grid
  std::vector<std::uint8_t> map;    // [z][x], index into materials
  bool filled = false;              // a random positive number in every cell instead of the beam
  std::uint64_t seed = 1;
  Scattering scattering = Scattering::kGottschalk;
  Straggling straggling = Straggling::kBohr;
  Nuclear nuclear = Nuclear::kOff;
  std::vector<NuclearText> nuclear_texts;  // used with kIcru63
  Stepping stepping = Stepping::kPath;
  Remap remap = Remap::kHighOrder;
  Precision precision = Precision::kFp32;
  std::string variant = "auto";
  std::string device;  // GPU by index or UUID; "" is BRAGGBENCH_CUDA_DEVICE, or the first usable GPU
  double step = 0;     // mm of path
  int max_steps = 5000;
  double stop_weight = 1e-6;  // the run ends at this fraction of the protons
  int threads = 0;            // 0 = all
  double memory_limit = 0;    // bytes; 0 = no limit
  bool dose_map = true;       // false: variants that can compute rows of the dose on request do so instead of the map
  int keyframes = 64;
  bool angles_by_fft = false;   // option of `gather`, set by `gather-fft`
  bool track_scores = false;    // score the moments of tracks, from which LET is derived
  std::vector<double> spectra;  // mm of depth: planes with recorded energy spectra
};

using bb::ProblemError;

}  // namespace bb::transport
