#include "setup.hpp"

#include <utility>

#include "frame.hpp"
#include "mosaic.hpp"
#include "physics/thomson.hpp"

namespace bb::diffraction {

Setup make_setup(const Problem& p, const std::function<void(const char*)>& begins, const std::atomic<bool>& cancel) {
  const Crystal& crystal = p.crystal;
  Outline outline = outline_of(p);
  begins("structure factors");
  Setup s(std::move(outline), StructureFactors(p.reflections, p.default_f, cancel));
  begins("detector and beam");
  s.cell = mounted_cell(crystal);
  s.sources = make_sources(p.beam);

  begins("orientations");
  s.spindle = frame::kSpindle;
  s.domains = mosaic_domains(crystal.mosaic_spread, crystal.mosaic_domains, crystal.mosaic_seed);
  for (int i = 0; i < p.rotation.steps; ++i) {
    if (cancel.load(std::memory_order_relaxed)) break;
    const double phi = p.rotation.phi0 + p.rotation.oscillation / p.rotation.steps * i;
    s.phis.push_back(phi);
    for (const Mat3& domain : s.domains) s.orientations.push_back(s.orientation(phi, domain));
  }

  const double beams = static_cast<double>(s.oversample) * s.oversample * static_cast<double>(s.sources.size());
  const double photons = physics::kElectronRadius2_m2 * p.beam.fluence;
  s.scale = photons / (beams * static_cast<double>(s.orientations.size()));
  s.water = photons / beams * physics::water_scattering(p.water);
  return s;
}

}  // namespace bb::diffraction
