#include "addon.hpp"

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "convert.hpp"
#include "engine/reduction.hpp"
#include "transport/run/axis_profile.hpp"

namespace bb::binding {
namespace {

/// Runs work on a libuv thread, then makes the result on the JavaScript thread. Holds references to the arrays that it
/// reads.
class AsyncReduction : public Napi::AsyncWorker {
 public:
  AsyncReduction(Napi::Env env, std::function<void()> work, std::function<Napi::Value(Napi::Env)> answer,
                 std::vector<Napi::ObjectReference> held)
      : AsyncWorker(env),
        deferred_(Napi::Promise::Deferred::New(env)),
        work_(std::move(work)),
        answer_(std::move(answer)),
        held_(std::move(held)) {}

  Napi::Promise promise() const { return deferred_.Promise(); }

 protected:
  void Execute() override { work_(); }
  void OnOK() override { deferred_.Resolve(answer_(Env())); }
  void OnError(const Napi::Error& error) override { deferred_.Reject(error.Value()); }

 private:
  Napi::Promise::Deferred deferred_;
  std::function<void()> work_;
  std::function<Napi::Value(Napi::Env)> answer_;
  std::vector<Napi::ObjectReference> held_;
};

Napi::Value run_async(Napi::Env env, std::function<void()> work, std::function<Napi::Value(Napi::Env)> answer,
                      std::vector<Napi::ObjectReference> held) {
  auto* worker =
      new AsyncReduction(env, std::move(work), std::move(answer), std::move(held));  // deletes itself when finished
  const Napi::Promise promise = worker->promise();
  worker->Queue();
  return promise;
}

std::span<const double> doubles(const Napi::Value& value) {
  if (!value.IsTypedArray() || value.As<Napi::TypedArray>().TypedArrayType() != napi_float64_array) {
    throw Napi::TypeError::New(value.Env(), "expected a Float64Array");
  }
  const Napi::Float64Array array = value.As<Napi::Float64Array>();
  return {array.Data(), array.ElementLength()};
}

/// Divisor of each value, and a factor for all of them.
struct ScaledDivisor {
  std::span<const double> divisor;
  double factor = 1.0;
};

ScaledDivisor read_divisor(const Napi::Value& value, std::size_t size, std::vector<Napi::ObjectReference>& held) {
  if (!value.IsObject()) return {};
  const Napi::Object object = value.As<Napi::Object>();
  const Napi::Value divisor = object.Get("divisor");
  const ScaledDivisor out{.divisor = doubles(divisor), .factor = Fields(object, "per").number("factor")};
  if (out.divisor.size() != size)
    throw Napi::TypeError::New(value.Env(), "per.divisor: expected one value for each cell");
  held.push_back(Napi::Persistent(divisor.As<Napi::Object>()));
  return out;
}

engine::Sampling read_sampling(const Fields& f) {
  const auto count = [&](const char* key) { return static_cast<std::size_t>(std::max(0, f.integer(key))); };
  return {.first = count("first"), .end = count("end"), .cells = count("cells"), .count = count("count")};
}

/// True if reads would exceed the array: `samples` do not fit the axis, or the strides do not fit the field.
bool exceeds_array(const engine::Sampling& across, const engine::Sampling& down, const Fields& f, std::size_t size) {
  const auto fits = [](const engine::Sampling& s) {
    return s.cells > 0 && s.count > 0 && s.first < s.end && s.first + (s.count - 1) * s.cells < s.end;
  };
  if (!fits(across) || !fits(down) || f.integer("strideAcross") < 1 || f.integer("strideDown") < 1) return true;
  const auto last = (across.end - 1) * static_cast<std::size_t>(f.integer("strideAcross")) +
                    (down.end - 1) * static_cast<std::size_t>(f.integer("strideDown"));
  return last >= size;
}

struct ReducedField {
  std::vector<float> values;
  engine::Extent extent;
};

template <typename T>
std::function<void()> reducing(engine::Field<T> field, const Fields& f, std::shared_ptr<ReducedField> out) {
  const engine::Sampling across = read_sampling(f.child("across")), down = read_sampling(f.child("down"));
  const auto statistic = f.text("statistic") == "max" ? engine::Statistic::kMax : engine::Statistic::kMean;
  field.stride_across = static_cast<std::size_t>(f.integer("strideAcross"));
  field.stride_down = static_cast<std::size_t>(f.integer("strideDown"));
  const double scale = f.number("scale");
  const bool whole = f.integer("extent") != 0;
  return [=] {
    out->values.resize(across.count * down.count);
    engine::reduce(field, across, down, statistic, scale, out->values);
    if (whole) out->extent = engine::extent(field);
  };
}

Napi::Value profile_object(Napi::Env env, const transport::AxisProfile& profile) {
  Napi::Object out = Napi::Object::New(env);
  out.Set("start_mm", profile.start_mm);
  out.Set("step_mm", profile.step_mm);
  out.Set("values", to_array(env, profile.values));
  return out;
}

struct Profiling {
  std::span<const double> dose;
  transport::AxisGeometry geometry;
  ScaledDivisor per;
  std::vector<Napi::ObjectReference> held;

  transport::AxisProfile make() const { return transport::axis_profile(dose, geometry, per.divisor, per.factor); }
};

Profiling read_profiling(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  if (info.Length() < 2 || !info[1].IsObject()) throw Napi::TypeError::New(env, "axisProfile(dose, geometry, per?)");
  Profiling out{.dose = doubles(info[0]), .geometry = {}, .per = {}, .held = {}};
  const Fields f(info[1].As<Napi::Object>(), "geometry");
  const int nz = f.integer("nz"), nx = f.integer("nx");
  if (nz < 1 || nx < 1 || static_cast<std::size_t>(nz) * static_cast<std::size_t>(nx) != out.dose.size()) {
    throw Napi::TypeError::New(env, "axisProfile: dose must have nz × nx values");
  }
  out.geometry = {.nz = static_cast<std::size_t>(nz),
                  .nx = static_cast<std::size_t>(nx),
                  .dz_mm = f.number("dz_mm"),
                  .dx_mm = f.number("dx_mm"),
                  .x_mm = f.number("x_mm"),
                  .z_mm = f.number("z_mm"),
                  .angle_rad = f.number("angle_rad"),
                  .reach_mm = f.number("reach_mm")};
  out.held.push_back(Napi::Persistent(info[0].As<Napi::Object>()));
  out.per = read_divisor(info[2], out.dose.size(), out.held);
  return out;
}

}  // namespace

Napi::Value reduce_field(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  if (info.Length() < 2 || !info[0].IsTypedArray() || !info[1].IsObject()) {
    throw Napi::TypeError::New(env, "reduceField(values, how, per?)");
  }
  const Fields f(info[1].As<Napi::Object>(), "how");
  const Napi::TypedArray array = info[0].As<Napi::TypedArray>();
  const std::size_t size = array.ElementLength();
  if (exceeds_array(read_sampling(f.child("across")), read_sampling(f.child("down")), f, size)) {
    throw Napi::TypeError::New(env, "reduceField: the samples extend beyond the field");
  }
  std::vector<Napi::ObjectReference> held;
  held.push_back(Napi::Persistent(info[0].As<Napi::Object>()));
  const ScaledDivisor per = read_divisor(info[2], size, held);
  const auto out = std::make_shared<ReducedField>();
  std::function<void()> work;
  if (array.TypedArrayType() == napi_float32_array) {
    const std::span<const float> values(array.As<Napi::Float32Array>().Data(), size);
    work = reducing<float>({.values = values, .divisor = per.divisor, .factor = per.factor}, f, out);
  } else {
    work = reducing<double>({.values = doubles(info[0]), .divisor = per.divisor, .factor = per.factor}, f, out);
  }
  const auto answer = [out](Napi::Env to) -> Napi::Value {
    Napi::Object object = Napi::Object::New(to);
    object.Set("values", to_array(to, out->values));
    object.Set("min", out->extent.min);
    object.Set("max", out->extent.max);
    object.Set("minPositive", out->extent.min_positive);
    return object;
  };
  return run_async(env, std::move(work), answer, std::move(held));
}

Napi::Value axis_profile(const Napi::CallbackInfo& info) {
  return profile_object(info.Env(), read_profiling(info).make());
}

Napi::Value axis_profile_later(const Napi::CallbackInfo& info) {
  const auto profiling = std::make_shared<Profiling>(read_profiling(info));
  const auto made = std::make_shared<transport::AxisProfile>();
  std::vector<Napi::ObjectReference> held = std::move(profiling->held);
  return run_async(
      info.Env(), [profiling, made] { *made = profiling->make(); },
      [made](Napi::Env to) { return profile_object(to, *made); }, std::move(held));
}

}  // namespace bb::binding
