#include "transport_result.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "binding/convert.hpp"
#include "binding/job.hpp"

namespace bb::binding {
namespace {

using engine::LedgerRow;
using engine::RunResult;

Napi::Float64Array ledger_array(Napi::Env env, const std::vector<LedgerRow>& rows, bool energy) {
  Napi::Float64Array out = Napi::Float64Array::New(env, rows.size() * ledger_width(energy));
  write_ledger(rows, energy, {out.Data(), out.ElementLength()});
  return out;
}

Napi::Float64Array faces_array(Napi::Env env, const std::vector<LedgerRow>& rows) {
  Napi::Float64Array out = Napi::Float64Array::New(env, rows.size() * transport::kFaces);
  write_faces(rows, {out.Data(), out.ElementLength()});
  return out;
}

Napi::Object failure_object(Napi::Env env, const engine::Failure& failure) {
  Napi::Object out = Napi::Object::New(env);
  out.Set("code", failure.code);
  out.Set("message", failure.message);
  return out;
}

Napi::Object secondaries_object(Napi::Env env, const RunResult& r) {
  Napi::Object out = Napi::Object::New(env);
  for (const auto& [name, value] : secondaries_values(r)) out.Set(name, value);
  return out;
}

}  // namespace

std::array<NamedValue, 6> secondaries_values(const RunResult& r) {
  const transport::Secondaries none;
  const transport::Secondaries& s = r.secondaries ? *r.secondaries : none;
  return {{{"local_MeV", s.local},
           {"protons_MeV", s.protons},
           {"deuterons_MeV", s.deuterons},
           {"neutral_MeV", s.neutral},
           {"escaped_MeV", std::accumulate(s.escaped.begin(), s.escaped.end(), 0.0)},
           {"seconds", r.secondaries_s}}};
}

BeamNumbers::BeamNumbers(const transport::Tables& t)
    : x_variance(t.start.x_variance),
      extra_straggling_mm(std::hypot(t.extra_straggling_mm, t.row_spread_mm)),
      range_mean_mm(t.beam_range_mm),
      end_excess_mm(t.end_excess_mm) {}

std::size_t ledger_width(bool energy) {
  return static_cast<std::size_t>(std::ranges::count_if(
      engine::kLedgerColumns, [energy](const engine::LedgerColumn& column) { return energy || !column.energy_only; }));
}

void write_ledger(const std::vector<LedgerRow>& rows, bool energy, std::span<double> to) {
  auto at = to.begin();
  for (const LedgerRow& row : rows) {
    for (const engine::LedgerColumn& column : engine::kLedgerColumns) {
      if (energy || !column.energy_only) *at++ = column.value(row);
    }
  }
}

void write_faces(const std::vector<LedgerRow>& rows, std::span<double> to) {
  auto at = to.begin();
  for (const LedgerRow& row : rows) at = std::ranges::copy(row.escaped, at).out;
}

const char* precision_name(transport::Precision p) { return p == transport::Precision::kFp32 ? "fp32" : "fp64"; }

Napi::Object transport_result(Napi::Env env, const engine::Run& run, const BeamNumbers& beam, const RunResult& r) {
  Napi::Object out = Napi::Object::New(env);
  out.Set("status", r.failure ? "failed" : r.cancelled ? "cancelled" : "done");
  out.Set("error", r.failure ? Napi::Value(failure_object(env, *r.failure)) : env.Null());
  out.Set("variant", run.variant().id);
  out.Set("precision", precision_name(run.problem().precision));
  out.Set("steps", r.steps);
  out.Set("setup_s", r.setup_s);
  out.Set("solve_s", r.solve_s);
  out.Set("device_s", r.device_s);
  out.Set("setup_parts", setup_parts_array(env, r.setup_parts));
  out.Set("cell_steps", r.cell_steps);
  out.Set("peak_state_bytes", r.state_bytes);
  out.Set("bytes_per_cell_step", r.bytes_per_cell_step);
  out.Set("flops_per_cell_step", r.flops_per_cell_step);
  out.Set("dose", to_array(env, r.dose));
  out.Set("crossing", to_array(env, r.crossing));
  out.Set("x_variance_of_representation_mm2", beam.x_variance);
  out.Set("extra_straggling_mm", beam.extra_straggling_mm);
  out.Set("range_mean_mm", beam.range_mean_mm);
  out.Set("end_excess_mm", beam.end_excess_mm);
  if (r.secondaries) out.Set("secondaries", secondaries_object(env, r));
  out.Set("ledger_number", ledger_array(env, r.number, false));
  out.Set("ledger_energy", ledger_array(env, r.energy, true));
  out.Set("faces_number", faces_array(env, r.number));
  out.Set("faces_energy", faces_array(env, r.energy));
  out.Set("min_psi_over_max", r.min_over_max);
  out.Set("threads", r.threads);
  out.Set("isa", r.isa);
  return out;
}

}  // namespace bb::binding
