#pragma once

#include <string>

#include "../api/cublas_api.hpp"
#include "../api/cufft_api.hpp"
#include "../api/cupti_api.hpp"
#include "../api/cusparse_api.hpp"
#include "../api/driver_api.hpp"
#include "../api/nvml_api.hpp"
#include "../api/nvrtc_api.hpp"
#include "library_search.hpp"

// NVIDIA's libraries. Each is opened on first use, once per process. It stays open until the process ends, because the
// library's own threads and exit handlers would outlive unloading.
namespace bb::cuda {

struct LibraryState {
  bool available = false;
  std::string reason;   // reason in one sentence; empty if available
  std::string version;  // as reported by the library; empty if unknown
  std::string file;     // path of the loaded file; empty if unknown
};

template <typename Api>
struct OpenedLibrary {
  DynamicLibrary library;
  Api api;
  LibraryState state;
};

/// Opens a library and resolves its functions through `environment`. Used by the accessors below, and by tests with
/// synthetic environments.
template <typename Api>
OpenedLibrary<Api> load_library(const LibraryKind& kind, const Environment& environment) {
  OpenedLibrary<Api> out;
  FoundLibrary found = find_library(kind, environment);
  out.library = std::move(found.library);
  out.state.reason = std::move(found.reason);
  if (!out.library) return out;
  const std::string missing = out.api.resolve(out.library);
  if (!missing.empty()) {
    out.state.reason = std::string(kind.title) + " was found but has no " + missing + ": it is too old.";
    return out;
  }
  out.state.available = true;
  return out;
}

/// The driver, initialised (cuInit). Its `version` is the supported CUDA version, such as "13.0".
const OpenedLibrary<api::DriverApi>& driver_library();
/// NVML, initialised. Its `version` is that of the driver, such as "580.159.04".
const OpenedLibrary<api::NvmlApi>& nvml_library();
const OpenedLibrary<api::NvrtcApi>& nvrtc_library();
const OpenedLibrary<api::CuptiApi>& cupti_library();
const OpenedLibrary<api::CublasApi>& cublas_library();
const OpenedLibrary<api::CublasLtApi>& cublaslt_library();
const OpenedLibrary<api::CusparseApi>& cusparse_library();
const OpenedLibrary<api::CufftApi>& cufft_library();

}  // namespace bb::cuda
