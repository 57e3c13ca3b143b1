#include "transport_beams.hpp"

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "beam_blocks.hpp"
#include "binding/convert.hpp"
#include "binding/job.hpp"
#include "cpu/host.hpp"
#include "problem.hpp"
#include "transport/run/beams.hpp"
#include "transport_result.hpp"

namespace bb::binding {
namespace {

constexpr const char* kNoMemory = "not enough memory for the tables of these beams";
constexpr int kMostWaiting = 512;  // answers that JavaScript has not taken yet: half a megabyte each

/// Lets one side run ahead of the other by so many answers.
class Ahead {
 public:
  void wait_and_count() {
    std::unique_lock lock(mutex_);
    room_.wait(lock, [&] { return waiting_ < kMostWaiting; });
    ++waiting_;
  }
  void take() {
    const std::scoped_lock lock(mutex_);
    --waiting_;
    room_.notify_one();
  }

 private:
  std::mutex mutex_;
  std::condition_variable room_;
  int waiting_ = 0;
};

struct State {
  State(transport::Problem problem, std::vector<std::string> devices) : beams(std::move(problem), std::move(devices)) {}
  ~State() { beams.cancel(); }

  engine::Beams beams;
  double estimate_bytes = beams.run().estimate_bytes();  // of a window it takes a while
  Ahead ahead;
  std::optional<BeamBlocks> blocks;  // where each is read as it is told
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

/// As {beam, result}.
void tell_result(const Job::Tell& tell, State* state, engine::Beams::Ended&& ended) {
  state->ahead.wait_and_count();
  // A Telling is copied on its way.
  auto result = std::make_shared<engine::RunResult>(std::move(ended.result));
  tell([state, result, beam = ended.beam, numbers = BeamNumbers(ended.alone)](Napi::Env to) {
    state->ahead.take();
    Napi::Object out = Napi::Object::New(to);
    out.Set("beam", static_cast<double>(beam));
    out.Set("result", transport_result(to, state->beams.run(), numbers, *result));
    return out;
  });
}

/// As {beam, block}, which holds until the call is over.
void tell_block(const Job::Tell& tell, State* state, const engine::Beams::Ended& ended) {
  const std::optional<std::size_t> block = state->blocks->fill(ended, state->beams.cancelled());
  if (!block) return;
  // Goes with the last copy of the Telling, when JavaScript has read.
  const std::shared_ptr<void> read(nullptr, [state, block = *block](void*) { state->blocks->give_back(block); });
  tell([state, block = *block, beam = ended.beam, read](Napi::Env to) {
    Napi::Object out = Napi::Object::New(to);
    out.Set("beam", static_cast<double>(beam));
    out.Set("block", state->blocks->block(block));
    return out;
  });
}

Napi::Value start(const Napi::CallbackInfo& info, const std::shared_ptr<State>& state, bool in_blocks) {
  const Napi::Env env = info.Env();
  if (state->started) throw Napi::Error::New(env, "these beams were started before");
  state->started = true;
  State* under = state.get();
  if (in_blocks) under->blocks.emplace(env, under->beams, info[1].ToNumber());
  return under->job.start(
      env, info[0], "the machine has not enough memory for these beams",
      [under](const Job::Tell& tell) {
        under->beams.execute([&](engine::Beams::Ended&& ended) {
          if (under->blocks && !ended.result.failure) return tell_block(tell, under, ended);
          tell_result(tell, under, std::move(ended));
        });
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
