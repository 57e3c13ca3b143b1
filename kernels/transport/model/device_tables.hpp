#pragma once

#include "faces.hpp"
#include "physics/hd.hpp"

// Inputs and outputs of every CUDA variant, as plain pointers into device memory. Included by nvcc, by NVRTC and by the
// host. Includes no standard header, so that all three see the same layout.
namespace bb::transport {

/// The operator tables in the state's precision T, indexed as in tables.hpp.
template <typename T>
struct DeviceTables {
  int ne, ntheta, nz, nx;
  int materials, classes;
  int depth;  // 1: depth stepping; the class of a step is its angle at the start
  int angle_half_max;
  int reach_down, reach_up;  // bin e' has sources e' + reach_down … e' + reach_up
  double dx, dz;

  const int* path_of;  // [classes] path of each class

  // Null if the variant has its own layout of the energy gather and the angle kernels.
  const int* gather_begin;   // [paths·materials·ne + 1]
  const int* gather_source;  // bins
  const T* gather_weight;
  const T* deposit;  // [paths·materials·ne]
  const T* stopped;
  const T* nuclear;
  const T* nuclear_escape;
  const int* angle_begin;  // [paths·materials·ne + 1]
  const T* angle_weight;   // distance 0 … half
  const int* whole_x;      // [ntheta] whole cells of the shift in x
  const int* whole_z;
  const T* flux_x;  // [ntheta][5]
  const T* flux_z;
  const T* plane_weight;       // [ntheta]
  const T* theta;              // [ntheta] rad from +z
  const double* energy;        // [ne] MeV
  const unsigned char* map;    // [nz][nx]
  const unsigned char* mixed;  // [nz] 1 for a row of several materials
};

/// Columns of one ledger row on the device, in FP64: numbers of protons first, then energies in MeV.
enum LedgerColumn {
  kInFlight,  // protons at the start of the step
  kStopped,
  kEscaped,  // one column for each Face
  kNuclear = kEscaped + kFaces,
  kSkipped,
  kEnergyInFlight,
  kEnergyEscaped,  // one column per Face
  kEnergyNuclear = kEnergyEscaped + kFaces,
  kEnergySkipped,
  kDeposited,
  kCellsVisited,  // 0 in variants that visit the same cells in every step; otherwise the number of cells visited
  kLedgerColumns = 24,
};

/// The column for protons that leave through a face.
BB_HD inline constexpr LedgerColumn escaped_column(int face) { return static_cast<LedgerColumn>(kEscaped + face); }
BB_HD inline constexpr LedgerColumn escaped_energy_column(int face) {
  return static_cast<LedgerColumn>(kEnergyEscaped + face);
}

/// Protons in flight after the step of a ledger row: those at its start minus its losses.
BB_HD inline double in_flight_after(const double* row) {
  double rest = row[kInFlight] - row[kStopped] - row[kNuclear] - row[kSkipped];
  for (int face = 0; face < kFaces; ++face) rest -= row[kEscaped + face];
  return rest;
}

/// Device arrays to which nuclear reactions are added, in the layout of ReactionGrid; all null or 0 if reactions are
/// not recorded.
struct DeviceReactions {
  double* number;       // [planes][bins][columns]
  const int* bin;       // [ne] lower of the two bins of a reaction
  const double* upper;  // [ne] share of the upper bin
  const int* plane_of;  // [nz]
  int cells, bins, columns;

  BB_HD bool on() const { return number != nullptr; }
};

/// Device arrays to which the moments of tracks are added, in the layout of TrackScores. Per-angle lengths are in the
/// state's precision T.
template <typename T>
struct DeviceTracks {
  static constexpr bool kOn = true;

  double* scored;             // [3][z][x], then spectra by bin
  const double* moment;       // [3][materials·ne]
  const T* way;               // [ntheta] path length relative to the beam's
  const long long* spectrum;  // [nz] start of a row's spectrum in `scored`, or -1
};

/// Replaces DeviceTracks in kernels that score no tracks.
struct NoTracks {
  static constexpr bool kOn = false;
};

/// Device arrays to which a step adds its scores. `dose` and the three currents are FP64 fields [z][x]; the crossing
/// moments follow from the currents on the host (weights 1, θ, θ² times planes crossed).
struct DeviceScores {
  double* dose;
  double* current;
  double* current_theta;
  double* current_theta_theta;
  double* ledger;   // [steps][kLedgerColumns]; row n is written by step n
  float* extremes;  // [2] largest -ψ and largest ψ so far, both >= 0, so that atomicMax on their bits is correct
  DeviceReactions reactions;
};

/// Argument of the kernels for one step of a variant with ψ[e][θ][z][x] of the whole grid.
template <typename T>
struct DeviceStep {
  DeviceTables<T> tables;
  DeviceScores scores;
  const T* from;
  T* to;
  int step;       // row of the ledger
  int rows;       // z rows of ψ: nz, or 1 with depth stepping
  int plane;      // row of the map for row 0 of ψ
  int first_bin;  // energies first_bin … first_bin + bins - 1 are computed (or scored)
  int bins;
  double stop_number;  // the run is over at this number of protons in flight
};

}  // namespace bb::transport
