#include "march_inputs.hpp"

#include "transport/moments/layers.hpp"

namespace bb::transport {

MarchInputs::MarchInputs(const Problem& p) {
  for (const Material& material : p.materials) media_.emplace_back(material);
  for (const Medium& medium : media_) {
    const Material& m = medium.material;
    materials_.push_back({medium.table.view(), m.density, m.z_over_a, m.x0, m.xs});
  }
  for (const Layer& layer : layers_of(p)) {
    layers_.push_back({layer.material, layer.z0 * p.grid.dz, layer.z1 * p.grid.dz});
  }
  view_ = {.materials = materials_.data(),
           .layers = layers_.data(),
           .layer_count = static_cast<int>(layers_.size()),
           .entrance = p.beam.z,
           .depth = p.grid.nz * p.grid.dz,
           .cutoff = p.grid.cutoff,
           .scattering = p.scattering,
           .straggling = p.straggling,
           .attenuation = p.nuclear == Nuclear::kAttenuation};
}

beam_march::BeamInput beam_input(const Beam& spot) {
  return {spot.energy, spot.energy_sigma, spot.angle_sigma, spot.x_sigma, spot.focus};
}

}  // namespace bb::transport
