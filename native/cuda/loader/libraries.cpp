#include "libraries.hpp"

#include <memory>

namespace bb::cuda {
namespace {

using namespace api;

template <typename Api, typename Function>
void note_file(OpenedLibrary<Api>& loaded, Function* function) {
  if (const auto file = DynamicLibrary::file_of(reinterpret_cast<const void*>(function))) {
    loaded.state.file = file->string();
  }
}

template <typename Api>
void set_unavailable(OpenedLibrary<Api>& loaded, std::string reason) {
  loaded.state.available = false;
  loaded.state.reason = std::move(reason);
}

std::string version_text(int major, int minor) { return std::to_string(major) + "." + std::to_string(minor); }

/// Advice to the user when cuInit fails.
std::string refusal(const DriverApi& driver, Status status) {
  const char* name = nullptr;
  const char* text = nullptr;
  driver.GetErrorName(status, &name);
  driver.GetErrorString(status, &text);
  std::string out = "NVIDIA's driver cannot be initialised (" + std::string(name ? name : std::to_string(status)) +
                    ": " + std::string(text ? text : "no description") + ")";
  switch (status) {
    case status::kNoDevice:
      return "The NVIDIA driver is installed but finds no CUDA device.";
    case status::kStubLibrary:
      return out + ": the stub library of the CUDA toolkit was loaded instead of the driver library.";
    case status::kSystemDriverMismatch:
      return out + ": the kernel module and the library differ in version; restart the machine.";
    case status::kSystemNotReady:
      return out + ": the fabric manager or another NVIDIA service is not running.";
    default:
      return out + ".";
  }
}

OpenedLibrary<DriverApi> load_driver() {
  OpenedLibrary<DriverApi> out = load_library<DriverApi>(kDriverLibrary, process_environment());
  if (!out.state.available) return out;
  note_file(out, out.api.Init);
  int version = 0;
  if (out.api.DriverGetVersion(&version) == status::kSuccess) {
    out.state.version = version_text(version / 1000, version % 1000 / 10);
  }
  if (const Status status = out.api.Init(0); status != status::kSuccess) set_unavailable(out, refusal(out.api, status));
  return out;
}

OpenedLibrary<NvmlApi> load_nvml() {
  OpenedLibrary<NvmlApi> out = load_library<NvmlApi>(kNvmlLibrary, process_environment());
  if (!out.state.available) return out;
  note_file(out, out.api.Init);
  if (const NvmlStatus status = out.api.Init(); status != 0) {
    set_unavailable(out, "NVML does not start: " + std::string(out.api.ErrorString(status)) + ".");
    return out;
  }
  char text[96] = "";
  if (out.api.SystemGetDriverVersion(text, sizeof text) == 0) out.state.version = text;
  return out;
}

OpenedLibrary<NvrtcApi> load_nvrtc() {
  OpenedLibrary<NvrtcApi> out = load_library<NvrtcApi>(kNvrtcLibrary, process_environment());
  if (!out.state.available) return out;
  note_file(out, out.api.Version);
  int major = 0, minor = 0;
  if (const NvrtcStatus status = out.api.Version(&major, &minor); status != kNvrtcSuccess) {
    set_unavailable(out, "NVRTC does not respond: " + std::string(out.api.GetErrorString(status)) + ".");
    return out;
  }
  out.state.version = version_text(major, minor);
  return out;
}

OpenedLibrary<CuptiApi> load_cupti() {
  if (process_environment()("BRAGGBENCH_NO_CUPTI")) {
    OpenedLibrary<CuptiApi> none;
    none.state.reason = "CUPTI is not used: BRAGGBENCH_NO_CUPTI is set.";
    return none;
  }
  OpenedLibrary<CuptiApi> out = load_library<CuptiApi>(kCuptiLibrary, process_environment());
  if (!out.state.available) return out;
  note_file(out, out.api.GetVersion);
  std::uint32_t version = 0;
  if (out.api.GetVersion(&version) == kCuptiSuccess) out.state.version = std::to_string(version);
  return out;
}

OpenedLibrary<CublasApi> load_cublas() {
  OpenedLibrary<CublasApi> out = load_library<CublasApi>(kCublasLibrary, process_environment());
  if (!out.state.available) return out;
  note_file(out, out.api.Create);
  int major = 0, minor = 0, patch = 0;
  out.api.GetProperty(LibraryProperty::kMajor, &major);
  out.api.GetProperty(LibraryProperty::kMinor, &minor);
  out.api.GetProperty(LibraryProperty::kPatch, &patch);
  out.state.version = version_text(major, minor) + "." + std::to_string(patch);
  return out;
}

OpenedLibrary<CublasLtApi> load_cublaslt() {
  OpenedLibrary<CublasLtApi> out = load_library<CublasLtApi>(kCublasLtLibrary, process_environment());
  if (!out.state.available) return out;
  note_file(out, out.api.Create);
  out.state.version = std::to_string(out.api.GetVersion());
  return out;
}

OpenedLibrary<CusparseApi> load_cusparse() {
  OpenedLibrary<CusparseApi> out = load_library<CusparseApi>(kCusparseLibrary, process_environment());
  if (!out.state.available) return out;
  note_file(out, out.api.Create);
  int major = 0, minor = 0;
  out.api.GetProperty(LibraryProperty::kMajor, &major);
  out.api.GetProperty(LibraryProperty::kMinor, &minor);
  out.state.version = version_text(major, minor);
  return out;
}

OpenedLibrary<CufftApi> load_cufft() {
  OpenedLibrary<CufftApi> out = load_library<CufftApi>(kCufftLibrary, process_environment());
  if (!out.state.available) return out;
  note_file(out, out.api.Create);
  int major = 0, minor = 0, patch = 0;
  out.api.GetProperty(LibraryProperty::kMajor, &major);
  out.api.GetProperty(LibraryProperty::kMinor, &minor);
  out.api.GetProperty(LibraryProperty::kPatch, &patch);
  out.state.version = version_text(major, minor) + "." + std::to_string(patch);
  return out;
}

/// A library that is never closed, not even at the end of the process.
template <typename Api>
const OpenedLibrary<Api>& never_closed(OpenedLibrary<Api> (*load)()) {
  static const OpenedLibrary<Api>* const library = std::make_unique<OpenedLibrary<Api>>(load()).release();
  return *library;
}

}  // namespace

const OpenedLibrary<DriverApi>& driver_library() { return never_closed(load_driver); }
const OpenedLibrary<NvmlApi>& nvml_library() { return never_closed(load_nvml); }
const OpenedLibrary<NvrtcApi>& nvrtc_library() { return never_closed(load_nvrtc); }
const OpenedLibrary<CuptiApi>& cupti_library() { return never_closed(load_cupti); }
const OpenedLibrary<CublasApi>& cublas_library() { return never_closed(load_cublas); }
const OpenedLibrary<CublasLtApi>& cublaslt_library() { return never_closed(load_cublaslt); }
const OpenedLibrary<CusparseApi>& cusparse_library() { return never_closed(load_cusparse); }
const OpenedLibrary<CufftApi>& cufft_library() { return never_closed(load_cufft); }

}  // namespace bb::cuda
