#include "runtime_compiler.hpp"

#include <algorithm>
#include <iterator>
#include <vector>

#include "cpu/stopwatch.hpp"
#include "image_cache.hpp"
#include "standard_headers.hpp"

namespace bb::cuda {
namespace {

// The same options as for nvcc in electron/build/steps/kernels.mjs. a*b+c is fused, as in the CPU's fast variants.
constexpr const char* kOptions[] = {"--std=c++20", "--fmad=true", "--device-as-default-execution-space"};

class Program {
 public:
  Program(const api::NvrtcApi& nvrtc, const std::string& source, const std::string& name) : nvrtc_(nvrtc) {
    std::vector<const char*> texts, names;
    for (const StandardHeader& header : kStandardHeaders) {
      texts.push_back(header.text);
      names.push_back(header.name);
    }
    check(nvrtc_.CreateProgram(&program_, source.c_str(), name.c_str(), static_cast<int>(texts.size()), texts.data(),
                               names.data()),
          "nvrtcCreateProgram");
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  ~Program() { nvrtc_.DestroyProgram(&program_); }

  api::NvrtcStatus compile(const std::vector<std::string>& options) {
    std::vector<const char*> pointers;
    for (const std::string& option : options) pointers.push_back(option.c_str());
    return nvrtc_.CompileProgram(program_, static_cast<int>(pointers.size()), pointers.data());
  }

  std::string log() { return fetch(nvrtc_.GetProgramLogSize, nvrtc_.GetProgramLog, "nvrtcGetProgramLog"); }
  std::string machine_code() { return fetch(nvrtc_.GetCUBINSize, nvrtc_.GetCUBIN, "nvrtcGetCUBIN"); }
  std::string ptx() { return fetch(nvrtc_.GetPTXSize, nvrtc_.GetPTX, "nvrtcGetPTX"); }

  void check(api::NvrtcStatus status, const char* call) const {
    if (status != api::kNvrtcSuccess) {
      throw std::runtime_error(std::string(call) + " failed: " + nvrtc_.GetErrorString(status) + ".");
    }
  }

 private:
  template <typename Size, typename Get>
  std::string fetch(Size size, Get get, const char* call) {
    std::size_t bytes = 0;
    check(size(program_, &bytes), call);
    std::string out(bytes, '\0');
    if (bytes > 0) check(get(program_, out.data()), call);
    return out;
  }

  const api::NvrtcApi& nvrtc_;
  api::NvrtcProgram program_ = nullptr;
};

std::vector<int> supported_architectures(const api::NvrtcApi& nvrtc) {
  int count = 0;
  if (nvrtc.GetNumSupportedArchs(&count) != api::kNvrtcSuccess) return {};
  std::vector<int> out(static_cast<std::size_t>(std::max(count, 0)));
  if (!out.empty() && nvrtc.GetSupportedArchs(out.data()) != api::kNvrtcSuccess) return {};
  return out;
}

std::string version_text(const api::NvrtcApi& nvrtc) {
  int major = 0, minor = 0;
  nvrtc.Version(&major, &minor);
  return std::to_string(major) + "." + std::to_string(minor);
}

std::string without_trailing_null(std::string text) {
  while (!text.empty() && (text.back() == '\0' || text.back() == '\n')) text.pop_back();
  return text;
}

}  // namespace

std::optional<std::string> choose_target(std::span<const int> supported, int architecture) {
  int machine = 0, virtual_machine = 0;
  for (const int candidate : supported) {
    if (candidate > architecture) continue;
    virtual_machine = std::max(virtual_machine, candidate);
    if (candidate / 10 == architecture / 10) machine = std::max(machine, candidate);
  }
  if (machine > 0) return "sm_" + std::to_string(machine);
  if (virtual_machine > 0) return "compute_" + std::to_string(virtual_machine);
  return std::nullopt;
}

CompiledImage compile_at_run_time(const api::NvrtcApi& nvrtc, const CompileRequest& request, const ImageCache& cache) {
  const FlatSource source = flatten(request.main, request.root, request.replaced);
  const std::string name = request.replaced ? request.replaced->name : request.main.filename().string();
  return compile_at_run_time(nvrtc,
                             TextRequest{.name = name,
                                         .text = source.text,
                                         .architecture = request.architecture,
                                         .extra_options = request.extra_options,
                                         .target = request.target},
                             cache);
}

CompiledImage compile_at_run_time(const api::NvrtcApi& nvrtc, const TextRequest& request, const ImageCache& cache) {
  const auto target = request.target.empty() ? choose_target(supported_architectures(nvrtc), request.architecture)
                                             : std::optional(std::string(request.target));
  if (!target) {
    throw std::runtime_error("NVRTC " + version_text(nvrtc) + " compiles for no architecture as old as " +
                             std::to_string(request.architecture / 10) + "." +
                             std::to_string(request.architecture % 10) + ".");
  }
  std::vector<std::string> options{std::begin(kOptions), std::end(kOptions)};
  options.push_back("--gpu-architecture=" + *target);
  options.insert(options.end(), request.extra_options.begin(), request.extra_options.end());

  const std::string text(request.text), name(request.name);
  std::string identity = "nvrtc " + version_text(nvrtc);
  for (const std::string& option : options) identity += '\0' + option;
  for (const StandardHeader& header : kStandardHeaders) identity.append(1, '\0').append(header.text);
  identity.append(1, '\0').append(text);

  CompiledImage out;
  out.key = sha256(identity);
  if (auto image = cache.find(out.key)) {
    out.image = std::move(*image);
    out.from_cache = true;
    return out;
  }

  const cpu::Clock::time_point start = cpu::Clock::now();
  Program program(nvrtc, text, name);
  const api::NvrtcStatus status = program.compile(options);
  out.log = without_trailing_null(program.log());
  if (status == api::kNvrtcErrorCompilation) {
    throw CompileError(name + " does not compile for " + *target + ":\n" + out.log, out.log);
  }
  program.check(status, "nvrtcCompileProgram");
  out.image = target->starts_with("sm_") ? program.machine_code() : program.ptx();
  out.compile_s = cpu::seconds_since(start);
  cache.keep(out.key, out.image);
  return out;
}

}  // namespace bb::cuda
