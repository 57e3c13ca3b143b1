#include "beam_blocks.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <stdexcept>

#include "transport/run/axis_profile.hpp"

namespace bb::binding {
namespace {

using engine::LedgerRow;

/// Room for any beam: as many steps as are allowed, and a profile along any axis.
std::size_t most_values(const engine::Beams& beams) {
  const transport::GridSpec& grid = beams.problem().grid;
  const auto nz = static_cast<std::size_t>(grid.nz), nx = static_cast<std::size_t>(grid.nx);
  const auto bins = static_cast<std::size_t>(std::ceil(grid.nx * grid.dx / grid.dz)) + nz + 4;
  const auto steps = static_cast<std::size_t>(beams.run().steps_max());
  constexpr std::size_t kNumbers = 32;
  return kNumbers + nz * (nx + engine::Crossing::kCount) + steps * 2 * (ledger_width(true) + transport::kFaces) + bins;
}

/// Writes one value after the other.
class Writer {
 public:
  explicit Writer(std::span<double> room) : left_(room) {}

  void add(double value) { take(1)[0] = value; }
  void add(std::span<const double> values) { std::ranges::copy(values, take(values.size()).begin()); }
  void add_ledger(const std::vector<LedgerRow>& rows, bool energy) {
    write_ledger(rows, energy, take(rows.size() * ledger_width(energy)));
  }
  void add_faces(const std::vector<LedgerRow>& rows) { write_faces(rows, take(rows.size() * transport::kFaces)); }

 private:
  std::span<double> take(std::size_t n) {
    if (n > left_.size()) throw std::logic_error("a beam leaves more than its block holds");
    const std::span<double> out = left_.first(n);
    left_ = left_.subspan(n);
    return out;
  }

  std::span<double> left_;
};

void write(const engine::Beams& beams, double reach_mm, const engine::Beams::Ended& ended, Writer to) {
  const engine::RunResult& r = ended.result;
  const BeamNumbers numbers(ended.alone);
  const transport::Problem& problem = beams.problem();
  const transport::Beam& beam = problem.spots[ended.beam];
  const transport::AxisProfile profile = transport::axis_profile(r.dose,
                                                                 {.nz = static_cast<std::size_t>(problem.grid.nz),
                                                                  .nx = static_cast<std::size_t>(problem.grid.nx),
                                                                  .dz_mm = problem.grid.dz,
                                                                  .dx_mm = problem.grid.dx,
                                                                  .x_mm = beam.x,
                                                                  .z_mm = beam.z,
                                                                  .angle_rad = beam.angle,
                                                                  .reach_mm = reach_mm},
                                                                 {}, 1.0);
  for (const double value : {r.cancelled ? 1.0 : 0.0, static_cast<double>(r.threads), r.setup_s, r.solve_s, r.device_s,
                             r.cell_steps, r.state_bytes, r.bytes_per_cell_step, r.flops_per_cell_step, r.min_over_max,
                             numbers.x_variance, numbers.extra_straggling_mm, numbers.range_mean_mm,
                             numbers.end_excess_mm, static_cast<double>(r.steps), static_cast<double>(r.number.size()),
                             profile.start_mm, profile.step_mm, static_cast<double>(profile.values.size())}) {
    to.add(value);
  }
  to.add(r.dose);
  to.add(r.crossing);
  to.add_ledger(r.number, false);
  to.add_ledger(r.energy, true);
  to.add_faces(r.number);
  to.add_faces(r.energy);
  to.add(profile.values);
}

}  // namespace

BeamBlocks::BeamBlocks(Napi::Env env, const engine::Beams& beams, std::size_t count, double reach_mm)
    : beams_(beams), reach_mm_(reach_mm) {
  const std::size_t size = most_values(beams);
  for (std::size_t i = 0; i < count; ++i) {
    Napi::Float64Array array = Napi::Float64Array::New(env, size);
    const std::span<double> room(array.Data(), size);
    blocks_.push_back({Napi::Persistent(array), room});
  }
}

void BeamBlocks::fill(std::size_t i, const engine::Beams::Ended& ended) {
  write(beams_, reach_mm_, ended, Writer(blocks_[i].room));
}

}  // namespace bb::binding
