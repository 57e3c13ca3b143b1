#include "transport_beams.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "beam_blocks.hpp"
#include "binding/convert.hpp"
#include "binding/job.hpp"
#include "cpu/host.hpp"
#include "problem.hpp"
#include "seats.hpp"
#include "transport/run/beams.hpp"
#include "transport_result.hpp"

namespace bb::binding {
namespace {

constexpr const char* kNoMemory = "not enough memory for the tables of these beams";
constexpr std::size_t kMostSeats = 128;  // what a beam leaves is half a megabyte

struct State {
  State(transport::Problem problem, std::vector<std::string> devices) : beams(std::move(problem), std::move(devices)) {}
  ~State() { beams.cancel(); }

  engine::Beams beams;
  double estimate_bytes = beams.run().estimate_bytes();  // of a window it takes a while
  Seats seats{std::min(kMostSeats, beams.count())};
  std::optional<BeamBlocks> blocks;  // one per slot, where beams are read as they complete
  bool started = false;
  Job job;  // last: waits for the thread before what that uses goes
};

Napi::Object plan_object(Napi::Env env, const State& state) {
  const engine::Beams& beams = state.beams;
  const engine::Run& run = beams.run();
  const transport::Tables& t = run.outline();
  Napi::Object out = Napi::Object::New(env);
  out.Set("variant", run.variant().id);
  out.Set("precision", precision_name(run.problem().precision));
  out.Set("device", run.variant().device);
  out.Set("ne", t.ne);
  out.Set("ntheta", t.ntheta);
  out.Set("nz", t.nz);
  out.Set("nx", t.nx);
  out.Set("energies_MeV", to_array(env, t.energy));
  out.Set("estimate_bytes", state.estimate_bytes);
  out.Set("steps_max", run.steps_max());
  out.Set("lanes", beams.lanes());
  out.Set("isa", cpu::instruction_set_name());
  return out;
}

Napi::Object told(Napi::Env env, std::size_t beam, const char* as, const Napi::Value& what) {
  Napi::Object out = Napi::Object::New(env);
  out.Set("beam", static_cast<double>(beam));
  out.Set(as, what);
  return out;
}

/// As {beam, block}, which holds until the call is over, or as {beam, result}: without blocks, and of one that failed.
void tell_ended(const Job::Tell& tell, State* state, engine::Beams::Ended&& ended) {
  const std::optional<std::size_t> taken = state->seats.take(state->beams.cancelled());
  if (!taken) return;
  const std::size_t seat = *taken;
  // Goes with the last copy of the Telling, when JavaScript has read.
  const std::shared_ptr<void> read(nullptr, [state, seat](void*) { state->seats.give_back(seat); });
  if (state->blocks && !ended.result.failure) {
    state->blocks->fill(seat, ended);
    tell([state, seat, beam = ended.beam, read](Napi::Env to) {
      return told(to, beam, "block", state->blocks->block(seat));
    });
    return;
  }
  // A Telling is copied on its way.
  auto result = std::make_shared<engine::RunResult>(std::move(ended.result));
  tell([state, result, beam = ended.beam, numbers = BeamNumbers(ended.alone), read](Napi::Env to) {
    return told(to, beam, "result", transport_result(to, state->beams.run(), numbers, *result));
  });
}

Napi::Value start(const Napi::CallbackInfo& info, const std::shared_ptr<State>& state, bool in_blocks) {
  const Napi::Env env = info.Env();
  if (state->started) throw Napi::Error::New(env, "these beams were started before");
  state->started = true;
  State* under = state.get();
  if (in_blocks) under->blocks.emplace(env, under->beams, under->seats.count(), info[1].ToNumber());
  return under->job.start(
      env, info[0], "the machine has not enough memory for these beams",
      [under](const Job::Tell& tell) {
        under->beams.execute([&](engine::Beams::Ended&& ended) { tell_ended(tell, under, std::move(ended)); });
      },
      [kept = state](Napi::Env to) -> Napi::Value { return to.Undefined(); });
}

Napi::Object beams_object(Napi::Env env, const std::shared_ptr<State>& state) {
  Napi::Object out = Napi::Object::New(env);
  out.Set("plan", plan_object(env, *state));
  const auto starting = [&](bool in_blocks) {
    return Napi::Function::New(env, [=](const Napi::CallbackInfo& info) { return start(info, state, in_blocks); });
  };
  out.Set("start", starting(false));
  out.Set("startInBlocks", starting(true));
  out.Set("cancel", Napi::Function::New(env, [state](const Napi::CallbackInfo& info) {
            state->beams.cancel();
            return info.Env().Undefined();
          }));
  return out;
}

/// Beams on their way: what the thread makes of a problem.
struct Layout {
  transport::Problem problem;
  std::vector<std::string> devices;
  std::shared_ptr<State> state;
  Job job;  // last: waits for the thread before what that uses goes
};

}  // namespace

Napi::Value lay_beams(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  const Napi::Object problem = object_argument(info, "layBeams: expected a problem");
  auto layout = std::make_shared<Layout>();
  layout->problem = refusing(env, kNoMemory, [&] { return read_problem(Fields(problem, "problem")); });
  if (info.Length() > 1 && info[1].IsArray()) {
    const Napi::Array devices = info[1].As<Napi::Array>();
    for (uint32_t i = 0; i < devices.Length(); ++i) layout->devices.push_back(devices.Get(i).ToString());
  }
  Layout* under = layout.get();
  return under->job.start(
      env, env.Undefined(), kNoMemory,
      [under](const Job::Tell&) {
        under->state = std::make_shared<State>(std::move(under->problem), std::move(under->devices));
      },
      [layout](Napi::Env to) -> Napi::Value { return beams_object(to, layout->state); });
}

}  // namespace bb::binding
