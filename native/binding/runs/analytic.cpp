#include <atomic>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "binding/addon.hpp"
#include "binding/choice.hpp"
#include "binding/convert.hpp"
#include "binding/job.hpp"
#include "problem.hpp"
#include "transport/model/theory/pencil.hpp"
#include "transport/moments/tangents.hpp"
#include "transport/moments/volume.hpp"

namespace bb::binding {

Napi::Value fermi_eyges(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  const Napi::Object problem = object_argument(info, "fermiEyges: expected a problem");
  return with_coded_errors(env, "not enough memory for this beam", [&]() -> Napi::Value {
    std::vector<double> sigma, theta;
    for (const physics::PencilMoments& m : transport::pencil_beam(read_problem(Fields(problem, "problem")))) {
      sigma.push_back(std::sqrt(m.x_x));
      theta.push_back(std::sqrt(m.theta_theta));
    }
    Napi::Object out = Napi::Object::New(env);
    out.Set("sigma_x_mm", to_array(env, sigma));
    out.Set("theta_rms_rad", to_array(env, theta));
    return out;
  });
}

namespace {

constexpr const char* kTooLarge = "not enough memory for this dose";

struct Tangents {
  transport::Problem problem;
  std::vector<transport::Direction> directions;
  transport::DoseTangents result;
  Job job;  // last member: its destructor waits for the thread
};

struct Volume {
  transport::Problem problem;
  std::vector<transport::AlongY> along_y;
  transport::LateralGrid across;
  transport::VolumeControl control;
  transport::VolumeDose result;
  Job job;  // last
};

transport::Direction direction(const Fields& f) {
  using transport::Input;
  const Input input = choice<Input>(f, "input",
                                    {{"energy", Input::kEnergy},
                                     {"energy_spread", Input::kEnergySpread},
                                     {"width", Input::kWidth},
                                     {"angular_spread", Input::kAngularSpread},
                                     {"mean_excitation", Input::kMeanExcitation},
                                     {"stopping", Input::kStopping},
                                     {"density", Input::kDensity},
                                     {"thickness", Input::kThickness},
                                     {"scattering", Input::kScattering}});
  return {input, f.integer("layer")};
}

}  // namespace

Napi::Value dose_tangents(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  const Napi::Object problem = object_argument(info, "doseTangents: expected a problem");
  auto state = std::make_shared<Tangents>();
  with_coded_errors(env, kTooLarge, [&] {
    state->problem = read_problem(Fields(problem, "problem"));
    const Napi::Array directions = info[1].As<Napi::Array>();
    for (uint32_t i = 0; i < directions.Length(); ++i) {
      state->directions.push_back(direction(Fields(directions.Get(i).As<Napi::Object>(), "directions")));
    }
  });
  Tangents* under = state.get();
  return under->job.start(
      env, env.Undefined(), kTooLarge,
      [under](const Job::ReportProgress&) {
        under->result = transport::dose_tangents(under->problem, under->directions);
      },
      [state](Napi::Env to) -> Napi::Value {
        const transport::DoseTangents& result = state->result;
        Napi::Object out = Napi::Object::New(to);
        out.Set("depth_dose", to_array(to, result.depth_dose));
        out.Set("x_sigma_mm", to_array(to, result.x_sigma));
        out.Set("dose_by", to_array(to, result.dose_by));
        out.Set("x_sigma_by", to_array(to, result.x_sigma_by));
        out.Set("energy_in_MeV", result.energy_in);
        out.Set("energy_by", to_array(to, result.energy_by));
        return out;
      });
}

Napi::Value volume_dose(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  const Napi::Object problem = object_argument(info, "volumeDose: expected a problem");
  auto state = std::make_shared<Volume>();
  with_coded_errors(env, kTooLarge, [&] {
    state->problem = read_problem(Fields(problem, "problem"));
    const Fields fields(problem, "problem");
    const auto along_y = [](const Fields& beam) {
      return transport::AlongY{beam.has("y_mm") ? beam.number("y_mm") : 0.0,
                               beam.number(beam.has("y_sigma_mm") ? "y_sigma_mm" : "x_sigma_mm")};
    };
    if (state->problem.spots.empty()) {
      state->along_y.push_back(along_y(fields.child("beam")));
    } else {
      for (const Fields& spot : fields.list("spots")) state->along_y.push_back(along_y(spot));
    }
    const Fields across(info[1].As<Napi::Object>(), "across");
    state->across = {across.integer("nx"), across.integer("ny"), across.number("dx_mm"), across.number("dy_mm")};
  });
  Volume* under = state.get();
  Napi::Object handle = Napi::Object::New(env);
  handle.Set("cancel", Napi::Function::New(env, [state](const Napi::CallbackInfo& call) {
               state->control.cancelled = true;
               return call.Env().Undefined();
             }));
  handle.Set("progress", Napi::Function::New(env, [state](const Napi::CallbackInfo& call) {
               Napi::Object out = Napi::Object::New(call.Env());
               out.Set("kinds", state->control.kinds.load());
               out.Set("solved", state->control.solved.load());
               out.Set("summed", state->control.summed.load());
               return out;
             }));
  handle.Set("done", under->job.start(
                         env, env.Undefined(), kTooLarge,
                         [under](const Job::ReportProgress&) {
                           under->result =
                               transport::volume_dose(under->problem, under->along_y, under->across, under->control);
                         },
                         [state](Napi::Env to) -> Napi::Value {
                           const transport::VolumeDose& result = state->result;
                           Napi::Object energy = Napi::Object::New(to);
                           energy.Set("in", result.energy_in);
                           energy.Set("outside", result.outside);
                           energy.Set("neutral", result.neutral);
                           energy.Set("left", result.left);
                           energy.Set("products", result.products);
                           energy.Set("misfit", result.misfit);
                           energy.Set("rel_error", result.rel_error());
                           Napi::Object out = Napi::Object::New(to);
                           out.Set("dose_MeV", to_array(to, result.dose));
                           out.Set("depth_dose_MeV", to_array(to, result.depth_dose));
                           out.Set("energy", energy);
                           return out;
                         }));
  return handle;
}

}  // namespace bb::binding
