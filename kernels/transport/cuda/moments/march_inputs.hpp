#pragma once

#include <vector>

#include "beam_march.hpp"
#include "transport/model/matter/medium.hpp"
#include "transport/model/problem.hpp"

namespace bb::transport {

/// A problem as BeamMarch reads it, on the host. The problem must outlive it.
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

/// A spot as BeamMarch reads it.
beam_march::BeamInput beam_input(const Beam& spot);

}  // namespace bb::transport
