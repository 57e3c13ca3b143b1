#include "diffraction_problem.hpp"

#include <string>
#include <vector>

#include "binding/choice.hpp"

namespace bb::binding {
namespace {

using namespace diffraction;

Vec3 vector_of(const Fields& f, const char* key) {
  const std::vector<double> v = f.doubles(key);
  if (v.size() != 3) throw ProblemError("invalid", f.path() + "." + key + ": expected three numbers");
  return {v[0], v[1], v[2]};
}

void read_beam(const Fields& f, Beam& beam) {
  beam.wavelength = f.number("wavelength_m");
  beam.dispersion = f.number("dispersion");
  beam.dispersion_steps = f.integer("dispersion_steps");
  beam.divergence_h = f.number("divergence_h_rad");
  beam.divergence_h_steps = f.integer("divergence_h_steps");
  beam.divergence_v = f.number("divergence_v_rad");
  beam.divergence_v_steps = f.integer("divergence_v_steps");
  beam.fluence = f.number("fluence_m2");
  beam.polarisation = f.number("polarisation");
}

void read_crystal(const Fields& f, Crystal& crystal) {
  if (f.has("cell")) {
    const Fields c = f.child("cell");
    crystal.cell = Cell{c.number("a_m"),       c.number("b_m"),      c.number("c_m"),
                        c.number("alpha_rad"), c.number("beta_rad"), c.number("gamma_rad")};
  } else {
    const Fields m = f.child("reciprocal");
    crystal.reciprocal = Basis{vector_of(m, "a_per_m"), vector_of(m, "b_per_m"), vector_of(m, "c_per_m")};
  }
  crystal.misset = vector_of(f, "misset_rad");
  const Vec3 cells = vector_of(f, "cells");
  crystal.na = static_cast<int>(cells.x);
  crystal.nb = static_cast<int>(cells.y);
  crystal.nc = static_cast<int>(cells.z);
  crystal.shape = choice<Shape>(
      f, "shape",
      {{"square", Shape::kSquare}, {"round", Shape::kRound}, {"gauss", Shape::kGauss}, {"tophat", Shape::kTophat}});
  crystal.mosaic_spread = f.number("mosaic_spread_rad");
  crystal.mosaic_domains = f.integer("mosaic_domains");
  crystal.mosaic_seed = f.integer("mosaic_seed");
}

void read_detector(const Fields& f, DetectorSpec& d) {
  d.width = f.integer("width");
  d.height = f.integer("height");
  d.pixel = f.number("pixel_m");
  d.distance = f.number("distance_m");
  d.beam_x = f.number("beam_x_m");
  d.beam_y = f.number("beam_y_m");
  const Vec3 turned = vector_of(f, "rotation_rad");
  d.rotx = turned.x;
  d.roty = turned.y;
  d.rotz = turned.z;
  d.twotheta = f.number("twotheta_rad");
  d.thickness = f.number("thickness_m");
  d.attenuation_depth = f.number("attenuation_depth_m");
  d.layers = f.integer("layers");
  d.oversample = f.integer("oversample");
  d.corrections =
      choice<Corrections>(f, "corrections", {{"pixel", Corrections::kPixel}, {"subpixel", Corrections::kSubpixel}});
}

/// Reflections from columns h, k, l, F: four numbers each. The list may have a million of them, so it is copied only
/// once.
std::vector<Reflection> read_reflections(const Fields& f) {
  const std::span<const double> all = f.view_of_doubles("reflections");
  if (all.size() % 4 != 0) throw ProblemError("invalid", f.path() + ".reflections: expected four numbers each");
  std::vector<Reflection> out;
  out.reserve(all.size() / 4);
  for (std::size_t i = 0; i < all.size(); i += 4) {
    out.push_back({static_cast<int>(all[i]), static_cast<int>(all[i + 1]), static_cast<int>(all[i + 2]), all[i + 3]});
  }
  return out;
}

}  // namespace

Problem read_diffraction(const Fields& f) {
  Problem p;
  read_beam(f.child("beam"), p.beam);
  read_crystal(f.child("crystal"), p.crystal);
  read_detector(f.child("detector"), p.detector);
  const Fields turn = f.child("rotation");
  p.rotation = {turn.number("phi0_rad"), turn.number("oscillation_rad"), turn.integer("steps")};
  const Fields factors = f.child("structure_factors");
  p.default_f = factors.number("default");
  p.reflections = read_reflections(factors);
  p.lookup = choice<Lookup>(factors, "lookup", {{"nearest", Lookup::kNearest}, {"tricubic", Lookup::kTricubic}});
  p.water = f.number("water_m");
  const Fields solver = f.child("solver");
  p.variant = solver.text("variant");
  if (solver.has("device")) p.device = solver.text("device");
  p.threads = solver.integer("threads");
  p.memory_limit = solver.number("memory_limit_bytes");
  return p;
}

}  // namespace bb::binding
