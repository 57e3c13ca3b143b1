#include "problem.hpp"

#include <string>
#include <utility>

#include "binding/choice.hpp"

namespace bb::binding {
namespace {

using namespace transport;

void read_beam(const Fields& f, Beam& beam) {
  beam.energy = f.number("energy_MeV");
  beam.energy_sigma = f.number("energy_sigma_MeV");
  beam.angle = f.number("angle_rad");
  beam.angle_sigma = f.number("angle_sigma_rad");
  beam.x = f.number("x_mm");
  beam.x_sigma = f.number("x_sigma_mm");
  beam.z = f.number("z_mm");
  if (f.has("focus_mm")) beam.focus = f.number("focus_mm");
  beam.weight = f.number("weight");
}

void read_grid(const Fields& f, GridSpec& grid) {
  grid.nx = f.integer("nx");
  grid.nz = f.integer("nz");
  grid.ntheta = f.integer("ntheta");
  grid.dx = f.number("dx_mm");
  grid.dz = f.number("dz_mm");
  grid.dtheta = f.number("dtheta_rad");
  grid.theta_centre = f.number("theta_centre_rad");
  grid.cutoff = f.number("cutoff_MeV");
  const Fields energy = f.child("energy");
  grid.energy_kind = choice<EnergyGridKind>(energy, "kind",
                                            {{"range", EnergyGridKind::kRange}, {"uniform", EnergyGridKind::kUniform}});
  if (grid.energy_kind == EnergyGridKind::kRange) {
    grid.energy_step = energy.number("step_mm");
  } else {
    grid.energy_step = energy.number("step_MeV");
    grid.energy_min = energy.number("min_MeV");
  }
}

void read_solver(const Fields& f, Problem& p) {
  p.stepping = choice<Stepping>(f, "stepping", {{"path", Stepping::kPath}, {"depth", Stepping::kDepth}});
  p.remap = choice<Remap>(f, "remap", {{"high-order", Remap::kHighOrder}, {"linear", Remap::kLinear}});
  p.precision = choice<Precision>(f, "precision", {{"fp32", Precision::kFp32}, {"fp64", Precision::kFp64}});
  p.variant = f.text("variant");
  if (f.has("device")) p.device = f.text("device");
  p.step = f.number("step_mm");
  p.max_steps = f.integer("max_steps");
  p.stop_weight = f.number("stop_weight");
  p.threads = f.integer("threads");
  p.memory_limit = f.number("memory_limit_bytes");
}

}  // namespace

Problem read_problem(const Fields& f) {
  Problem p;
  read_beam(f.child("beam"), p.beam);
  if (f.has("spots")) {
    for (const Fields& spot : f.list("spots")) read_beam(spot, p.spots.emplace_back());
  }
  read_grid(f.child("grid"), p.grid);
  for (const Fields& m : f.list("materials")) {
    p.materials.push_back({m.text("name"),
                           m.number("density_g_cm3"),
                           m.number("z_over_a"),
                           m.number("x0_g_cm2"),
                           m.number("xs_g_cm2"),
                           m.doubles("energies_MeV"),
                           m.doubles("stopping_MeV_cm2_g"),
                           {}});
    for (const Fields& element : m.list("elements")) {
      p.materials.back().elements.push_back({element.text("symbol"), element.number("mass_fraction")});
    }
  }
  p.map = f.bytes("map");
  const Fields initial = f.child("initial");
  p.filled = choice<bool>(initial, "kind", {{"beam", false}, {"filled", true}});
  if (p.filled) p.seed = static_cast<std::uint64_t>(initial.number("seed"));
  const Fields physics = f.child("physics");
  p.scattering = choice<Scattering>(physics, "scattering",
                                    {{"gottschalk", Scattering::kGottschalk},
                                     {"fermi-rossi", Scattering::kFermiRossi},
                                     {"highland", Scattering::kHighland},
                                     {"off", Scattering::kOff}});
  p.straggling = choice<Straggling>(physics, "straggling", {{"bohr", Straggling::kBohr}, {"off", Straggling::kOff}});
  p.nuclear =
      choice<Nuclear>(physics, "nuclear",
                      {{"off", Nuclear::kOff}, {"attenuation", Nuclear::kAttenuation}, {"icru63", Nuclear::kIcru63}});
  if (p.nuclear == Nuclear::kIcru63) {
    for (const Fields& file : physics.list("nuclear_tables")) {
      const std::string name = file.text("name");
      p.nuclear_texts.push_back({name, file.shared_text("text", name)});
    }
  }
  read_solver(f.child("solver"), p);
  p.keyframes = f.integer("keyframes");
  p.track_scores = f.has("tracks");
  if (p.track_scores) p.spectra = f.child("tracks").doubles("spectra_mm");
  return p;
}

engine::TaskProblem read_task(const Fields& f) {
  engine::TaskProblem p;
  p.workload = f.text("workload");
  p.bench = f.text("bench");
  p.variant = f.text("variant");
  if (f.has("device")) p.device = f.text("device");
  p.threads = f.integer("threads");
  p.memory_limit = f.number("memory_limit_bytes");
  p.seed = static_cast<std::uint64_t>(f.number("seed"));
  const Fields numbers = f.child("numbers"), words = f.child("words"), switches = f.child("switches");
  for (const std::string& name : numbers.names()) p.numbers.emplace(name, numbers.number(name.c_str()));
  for (const std::string& name : words.names()) p.words.emplace(name, words.text(name.c_str()));
  for (const std::string& name : switches.names()) p.switches.emplace(name, switches.flag(name.c_str()));
  return p;
}

}  // namespace bb::binding
