#include "setup.hpp"

#include <algorithm>

#include "frame.hpp"
#include "mosaic.hpp"
#include "physics/thomson.hpp"

namespace bb::diffraction {

Setup make_setup(const Problem& p, const std::function<void(const char*)>& begins) {
  const Crystal& crystal = p.crystal;
  const DetectorSpec& plate = p.detector;
  begins("structure factors");
  Setup s(StructureFactors(p.reflections, p.default_f, p.memory_limit));
  begins("detector and beam");
  s.width = plate.width;
  s.height = plate.height;
  s.detector = place_detector(plate);
  s.cell = mounted_cell(crystal);
  s.na = std::max(1, crystal.na);
  s.nb = std::max(1, crystal.nb);
  s.nc = std::max(1, crystal.nc);
  s.shape = crystal.shape;
  const double edge = std::max({length(s.cell.a) * s.na, length(s.cell.b) * s.nb, length(s.cell.c) * s.nc});
  s.oversample = plate.oversample > 0 ? plate.oversample : needed_oversampling(edge, plate, p.beam.wavelength);
  s.pixel = plate.pixel;
  s.subpixel = plate.pixel / s.oversample;
  if (plate.thickness > 0.0 && plate.attenuation_depth > 0.0) {
    s.layers = plate.layers;
    s.layer = plate.thickness / plate.layers;
    s.attenuation_depth = plate.attenuation_depth;
  }

  s.sources = make_sources(p.beam);
  s.kahn = p.beam.polarisation;

  begins("orientations");
  s.spindle = frame::kSpindle;
  s.domains = mosaic_domains(crystal.mosaic_spread, crystal.mosaic_domains, crystal.mosaic_seed);
  for (int i = 0; i < p.rotation.steps; ++i) {
    const double phi = p.rotation.phi0 + p.rotation.oscillation / p.rotation.steps * i;
    s.phis.push_back(phi);
    for (const Mat3& domain : s.domains) s.orientations.push_back(s.orientation(phi, domain));
  }

  s.device = p.device;
  s.lookup = p.lookup;
  s.corrections = plate.corrections;
  const double beams = static_cast<double>(s.oversample) * s.oversample * static_cast<double>(s.sources.size());
  const double photons = physics::kElectronRadius2_m2 * p.beam.fluence;
  s.scale = photons / (beams * static_cast<double>(s.orientations.size()));
  s.water = photons / beams * physics::water_scattering(p.water);
  return s;
}

}  // namespace bb::diffraction
