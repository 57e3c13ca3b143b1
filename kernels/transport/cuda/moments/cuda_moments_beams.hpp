#pragma once

#include <atomic>
#include <memory>
#include <span>
#include <vector>

#include "beam_march.hpp"
#include "engine/measuring.hpp"
#include "transport/model/medium.hpp"
#include "transport/model/problem.hpp"
#include "transport/moments/beam_readouts.hpp"

namespace bb::transport {

/// Inputs of BeamMarch for a problem, on the host. The problem must outlive this object.
class MarchInputs {
 public:
  explicit MarchInputs(const Problem& problem);

  const beam_march::MarchInput& view() const { return view_; }
  const std::vector<Medium>& media() const { return media_; }
  const std::vector<beam_march::MaterialInput>& materials() const { return materials_; }
  const std::vector<beam_march::LayerInput>& layers() const { return layers_; }

 private:
  std::vector<Medium> media_;
  std::vector<beam_march::MaterialInput> materials_;
  std::vector<beam_march::LayerInput> layers_;
  beam_march::MarchInput view_{};
};

/// Inputs of BeamMarch for a spot.
beam_march::BeamInput beam_input(const Beam& spot);

/// March of one beam, downloaded from a device.
struct MarchedBeam {
  beam_march::MarchOutcome outcome{};
  std::vector<double> planes;    // [outcome.planes][beam_march::kComponents]
  std::vector<int> layer_begin;  // [outcome.layers + 1]
};

/// Times for a batch of beams, s.
struct MomentsTimes {
  double march = 0, read = 0;  // device time of marches with their rows, and of readouts
};

/// Marches beams in layered matter on a GPU, one warp per beam.
class CudaMoments {
 public:
  virtual ~CudaMoments() = default;

  /// Returns the readouts of each beam, which are computed on the device; planes are not downloaded. `curves`, if not
  /// null, receives depth doses as [rows()][beams] in MeV/mm. After a cancellation, the readouts are incomplete. Throws
  /// ProblemError.
  virtual std::vector<beam_march::BeamReadouts> readouts(std::span<const Beam> beams,
                                                         std::vector<float>* curves = nullptr,
                                                         const std::atomic<bool>* cancel = nullptr) = 0;
  /// Rows of the map from the entrance on.
  virtual int rows() const = 0;
  /// Returns the planes of each beam, as March stores them.
  virtual std::vector<MarchedBeam> marches(std::span<const Beam> beams) = 0;
  /// Times of the last call.
  virtual MomentsTimes times() const = 0;
  /// Device memory in use, bytes.
  virtual double state_bytes() const = 0;
  virtual const std::vector<engine::SetupPart>& setup_parts() const = 0;
};

/// Opens the device and uploads the problem's tables. `problem` must outlive the result.
std::unique_ptr<CudaMoments> make_cuda_moments(const Problem& problem);

}  // namespace bb::transport
