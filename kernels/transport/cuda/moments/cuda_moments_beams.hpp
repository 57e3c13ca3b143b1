#pragma once

#include <memory>
#include <span>
#include <vector>

#include "beam_readouts.hpp"
#include "engine/setup_part.hpp"
#include "transport/model/problem.hpp"

namespace bb::transport {

/// The march of one beam, read back from a device.
struct MarchedBeam {
  beam_march::MarchOutcome outcome{};
  std::vector<double> planes;    // [outcome.planes][beam_march::kComponents]
  std::vector<int> layer_begin;  // [outcome.layers + 1]
};

/// Time of a batch of beams, s.
struct MomentsTimes {
  double march = 0, read = 0;  // by the device's clock: marches with their rows, and readouts of them
};

/// Marches of beams in layered matter on a GPU, a warp a beam.
class CudaMoments {
 public:
  virtual ~CudaMoments() = default;

  /// Readouts of each, made on the device; nothing else comes back. Throws ProblemError.
  virtual std::vector<beam_march::BeamReadouts> readouts(std::span<const Beam> beams) = 0;
  /// Planes of each, as March has them.
  virtual std::vector<MarchedBeam> marches(std::span<const Beam> beams) = 0;
  /// The times of the last call.
  virtual MomentsTimes times() const = 0;
  /// Bytes of the device's memory in use.
  virtual double state_bytes() const = 0;
  virtual const std::vector<engine::SetupPart>& setup_parts() const = 0;
};

/// Opens the device and sends it the problem's tables. `problem` must outlive it.
std::unique_ptr<CudaMoments> make_cuda_moments(const Problem& problem);

}  // namespace bb::transport
