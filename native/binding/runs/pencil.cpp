#include "pencil.hpp"

#include <cmath>
#include <vector>

#include "binding/convert.hpp"
#include "binding/job.hpp"
#include "problem.hpp"
#include "transport/model/theory/pencil.hpp"

namespace bb::binding {

Napi::Value fermi_eyges(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  const Napi::Object problem = object_argument(info, "fermiEyges: expected a problem");
  return refusing(env, "not enough memory for this beam", [&]() -> Napi::Value {
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

}  // namespace bb::binding
