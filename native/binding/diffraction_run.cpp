#include "diffraction_run.hpp"

#include <atomic>
#include <exception>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "convert.hpp"
#include "cpu/host.hpp"
#include "diffraction_problem.hpp"
#include "engine/image_run.hpp"
#include "span_columns.hpp"

namespace bb::binding {
namespace {

using engine::ImageProgress;
using engine::ImageResult;

/// The thread that renders, and what it leaves behind; kept alive by the functions of the JavaScript object and by
/// the promise. Joined when the last of them goes.
struct Job {
  explicit Job(diffraction::Problem problem) : run(std::move(problem)) {}
  ~Job() {
    run.cancel();
    if (thread.joinable()) thread.join();
  }

  engine::ImageRun run;
  std::thread thread;
  ImageResult result;
  bool started = false, failed = false;
  std::string error_code, error_message;
};

Napi::Object plan_object(Napi::Env env, const engine::ImageRun& run) {
  const diffraction::Setup& setup = run.setup();
  Napi::Object out = Napi::Object::New(env);
  out.Set("variant", run.variant().id);
  out.Set("precision", run.variant().arithmetic);
  out.Set("width", setup.width);
  out.Set("height", setup.height);
  out.Set("oversample", setup.oversample);
  out.Set("sources", static_cast<double>(setup.sources.size()));
  out.Set("orientations", static_cast<double>(setup.orientations.size()));
  out.Set("layers", setup.layers);
  out.Set("terms", run.terms());
  out.Set("estimate_bytes", run.estimate_bytes());
  out.Set("threads", run.threads());
  return out;
}

/// Pixels as FP32, which is what image files hold: half the copy.
Napi::Float32Array image_array(Napi::Env env, const std::vector<double>& image) {
  Napi::Float32Array out = Napi::Float32Array::New(env, image.size());
  float* to = out.Data();
  for (const double v : image) *to++ = static_cast<float>(v);
  return out;
}

Napi::Object result_object(Napi::Env env, const Job& job) {
  const ImageResult& r = job.result;
  Napi::Object out = Napi::Object::New(env);
  out.Set("status", r.cancelled ? "cancelled" : "done");
  out.Set("done", r.done);
  out.Set("variant", job.run.variant().id);
  out.Set("precision", job.run.variant().arithmetic);
  out.Set("threads", r.threads);
  out.Set("isa", r.isa);
  out.Set("setup_s", r.setup_s);
  out.Set("solve_s", r.solve_s);
  out.Set("device_s", r.device_s);
  Napi::Array parts = Napi::Array::New(env, r.setup_parts.size());
  for (uint32_t i = 0; i < r.setup_parts.size(); ++i) {
    Napi::Object part = Napi::Object::New(env);
    part.Set("name", r.setup_parts[i].name);
    part.Set("seconds", r.setup_parts[i].seconds);
    parts.Set(i, part);
  }
  out.Set("setup_parts", parts);
  out.Set("terms", r.terms);
  out.Set("scratch_bytes", r.scratch_bytes);
  out.Set("image", image_array(env, r.image));
  out.Set("spans", spans_object(env, job.run.spans()));
  return out;
}

void render(Job& job, const std::function<void(const ImageProgress&)>& report) {
  cpu::give_way_to_interactive_threads();
  const auto fail = [&](const std::string& code, const std::string& message) {
    job.failed = true;
    job.error_code = code;
    job.error_message = message;
  };
  try {
    job.result = job.run.execute(report);
  } catch (const ProblemError& error) {
    fail(error.code(), error.what());
  } catch (const std::bad_alloc&) {
    fail("memory", "the machine has not enough memory for this image");
  } catch (const std::exception& error) {
    fail("internal", error.what());
  }
}

Napi::Value start(const Napi::CallbackInfo& info, const std::shared_ptr<Job>& job) {
  const Napi::Env env = info.Env();
  if (job->started) throw Napi::Error::New(env, "this run was started before");
  job->started = true;
  struct Done {
    Napi::Promise::Deferred deferred;
    std::shared_ptr<Job> job;
  };
  auto* done = new Done{Napi::Promise::Deferred::New(env), job};
  const Napi::Promise promise = done->deferred.Promise();
  const bool reports = info.Length() > 0 && info[0].IsFunction();
  const Napi::Function callback =
      reports ? info[0].As<Napi::Function>() : Napi::Function::New(env, [](const Napi::CallbackInfo&) {});
  Napi::ThreadSafeFunction tell =
      Napi::ThreadSafeFunction::New(env, callback, "braggbench image", 0, 1, done, [](Napi::Env finish_env, Done* d) {
        if (d->job->thread.joinable()) d->job->thread.join();
        if (d->job->failed) {
          d->deferred.Reject(coded_error(finish_env, d->job->error_code, d->job->error_message).Value());
        } else {
          d->deferred.Resolve(result_object(finish_env, *d->job));
        }
        delete d;
      });
  Job* own = job.get();
  job->thread = std::thread([own, tell]() mutable {
    render(*own, [&tell](const ImageProgress& p) {
      tell.NonBlockingCall([p](Napi::Env call_env, Napi::Function to) {
        Napi::Object o = Napi::Object::New(call_env);
        o.Set("done", p.done);
        o.Set("terms_per_s", p.terms_per_s);
        o.Set("eta_s", p.eta_s);
        to.Call({o});
      });
    });
    tell.Release();
  });
  return promise;
}

}  // namespace

Napi::Value create_diffraction(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  if (info.Length() < 1 || !info[0].IsObject()) {
    throw Napi::TypeError::New(env, "createDiffraction: expected a problem");
  }
  std::shared_ptr<Job> job;
  try {
    job = std::make_shared<Job>(read_diffraction(info[0].As<Napi::Object>()));
  } catch (const ProblemError& error) {
    throw coded_error(env, error.code(), error.what());
  } catch (const std::bad_alloc&) {
    throw coded_error(env, "memory", "not enough memory for the tables of this scenario");
  }
  Napi::Object out = Napi::Object::New(env);
  out.Set("plan", plan_object(env, job->run));
  out.Set("start", Napi::Function::New(env, [job](const Napi::CallbackInfo& call) { return start(call, job); }));
  out.Set("cancel", Napi::Function::New(env, [job](const Napi::CallbackInfo&) { job->run.cancel(); }));
  return out;
}

Napi::Value diffraction_variants(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  Napi::Array out = Napi::Array::New(env);
  uint32_t n = 0;
  for (const diffraction::Variant& v : diffraction::variants()) {
    Napi::Object o = Napi::Object::New(env);
    o.Set("id", v.id);
    o.Set("workload", "diffraction");
    o.Set("title", v.title);
    o.Set("changes", v.changes);
    o.Set("buildsOn", *v.builds_on != '\0' ? Napi::Value(Napi::String::New(env, v.builds_on)) : env.Null());
    o.Set("device", v.device);
    o.Set("source", v.source);
    o.Set("precision", v.arithmetic);
    o.Set("flopsPerTerm", v.flops_per_term);
    o.Set("brightError", v.bright_error);
    const std::string reason = v.unavailable();
    o.Set("available", reason.empty());
    o.Set("reason", reason.empty() ? env.Null() : Napi::Value(Napi::String::New(env, reason)));
    out.Set(n++, o);
  }
  return out;
}

}  // namespace bb::binding
