#include "pencil.hpp"

#include <cmath>
#include <stdexcept>
#include <vector>

#include "convert.hpp"
#include "problem.hpp"
#include "transport/pencil.hpp"

namespace bb::binding {

Napi::Value fermi_eyges(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  if (info.Length() < 1 || !info[0].IsObject()) throw Napi::TypeError::New(env, "fermiEyges: expected a problem");
  try {
    std::vector<double> sigma, theta;
    for (const physics::PencilMoments& m : transport::pencil_beam(read_problem(info[0].As<Napi::Object>()))) {
      sigma.push_back(std::sqrt(m.x_x));
      theta.push_back(std::sqrt(m.theta_theta));
    }
    Napi::Object out = Napi::Object::New(env);
    out.Set("sigma_x_mm", to_array(env, sigma));
    out.Set("theta_rms_rad", to_array(env, theta));
    return out;
  } catch (const transport::ProblemError& error) {
    throw coded_error(env, error.code(), error.what());
  } catch (const std::invalid_argument& error) {
    throw coded_error(env, "invalid", error.what());
  }
}

}  // namespace bb::binding
