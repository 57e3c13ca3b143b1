#pragma once

#include "faces.hpp"
#include "physics/hd.hpp"

// Inputs and outputs of every CUDA variant, as plain pointers into device memory. Included by nvcc, by NVRTC and by the
// host; no standard header, so that all three see the same layout.
namespace bb::transport {

/// The operator tables in the state's precision T, indexed as in tables.hpp.
template <typename T>
struct DeviceTables {
  int ne, ntheta, nz, nx;
  int materials, classes;
  int depth;  // 1: depth stepping, the class of a step is the angle it starts with
  int angle_half_max;
  int reach_down, reach_up;  // a bin is fed from e' + reach_down … e' + reach_up
  double dx, dz;

  const int* path_of;  // [classes] whose rows are those of a class

  // Null if the variant receives the energy gather and the angle kernels in its own order.
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
  const unsigned char* mixed;  // [nz] 1 where a row holds more than one material
};

/// Columns of one ledger row on the device, FP64. Numbers first, then energies in MeV.
enum LedgerColumn {
  kInFlight,  // of the state at the start of the step
  kStopped,
  kEscaped,  // one column for each Face
  kNuclear = kEscaped + kFaces,
  kSkipped,
  kEnergyInFlight,
  kEnergyEscaped,  // as kEscaped
  kEnergyNuclear = kEnergyEscaped + kFaces,
  kEnergySkipped,
  kDeposited,
  kCellsVisited,  // 0 from variants whose every step visits the same cells
  kLedgerColumns = 24,
};

/// The column of what leaves through a face.
BB_HD inline constexpr LedgerColumn escaped_column(int face) { return static_cast<LedgerColumn>(kEscaped + face); }
BB_HD inline constexpr LedgerColumn escaped_energy_column(int face) {
  return static_cast<LedgerColumn>(kEnergyEscaped + face);
}

/// Protons in flight after the step of a ledger row, from what it began with and lost.
BB_HD inline double in_flight_after(const double* row) {
  double rest = row[kInFlight] - row[kStopped] - row[kNuclear] - row[kSkipped];
  for (int face = 0; face < kFaces; ++face) rest -= row[kEscaped + face];
  return rest;
}

/// Destinations of nuclear reactions, laid out as in ReactionGrid; all null and 0 if they are not recorded.
struct DeviceReactions {
  double* number;       // [planes][bins][columns]
  const int* bin;       // [ne] the lower of two bins
  const double* upper;  // [ne] share of the upper one
  const int* plane_of;  // [nz]
  int cells, bins, columns;

  BB_HD bool on() const { return number != nullptr; }
};

/// Destinations of the moments of tracks, laid out as in TrackScores, in the state's precision T where it is many.
template <typename T>
struct DeviceTracks {
  static constexpr bool kOn = true;

  double* scored;             // [3][z][x], then spectra by bin
  const double* moment;       // [3][materials·ne]
  const T* way;               // [ntheta]
  const long long* spectrum;  // [nz] where the spectrum of a row begins in `scored`, or -1
};

/// Stands for it in kernels that keep none.
struct NoTracks {
  static constexpr bool kOn = false;
};

/// Destinations of a step's scores. `dose` and the three currents are FP64 fields [z][x]; the crossing moments follow
/// from the currents on the host (weights 1, θ, θ² times planes crossed).
struct DeviceScores {
  double* dose;
  double* current;
  double* current_theta;
  double* current_theta_theta;
  double* ledger;   // [steps][kLedgerColumns]; row n is written by step n
  float* extremes;  // [2] largest -ψ and largest ψ so far, both >= 0: atomicMax on their bits orders them
  DeviceReactions reactions;
};

/// One step of a variant that holds ψ[e][θ][z][x] over the whole grid, as its kernels get it.
template <typename T>
struct DeviceStep {
  DeviceTables<T> tables;
  DeviceScores scores;
  const T* from;
  T* to;
  int step;       // row of the ledger
  int rows;       // of z in ψ: nz, or 1 with depth stepping
  int plane;      // row of the map that row 0 of ψ lies in
  int first_bin;  // energies first_bin … first_bin + bins - 1 are made (or scored)
  int bins;
  double stop_number;  // the run is over when no more protons than this are in flight
};

}  // namespace bb::transport
