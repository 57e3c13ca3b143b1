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

// NVIDIA's libraries, each opened on first use, once a process, and left open until it ends: their own threads and exit
// handlers outlive any unloading.
namespace bb::cuda {

struct LibraryState {
  bool available = false;
  std::string reason;   // why not, one sentence; empty when available
  std::string version;  // as the library states it; empty when unknown
  std::string file;     // where it was loaded from; empty when unknown
};

template <typename Api>
struct Loaded {
  DynamicLibrary library;
  Api api;
  LibraryState state;
};

/// Opens and resolves a library through `environment`. Used by the accessors below and, with made-up
/// environments, by tests.
template <typename Api>
Loaded<Api> load_library(const LibraryKind& kind, const Environment& environment) {
  Loaded<Api> out;
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

/// The driver, initialised (cuInit). Its `version` is the CUDA version it supports, such as "13.0".
const Loaded<api::DriverApi>& driver_library();
/// NVML, initialised. Its `version` is the driver's, such as "580.159.04".
const Loaded<api::NvmlApi>& nvml_library();
const Loaded<api::NvrtcApi>& nvrtc_library();
const Loaded<api::CuptiApi>& cupti_library();
const Loaded<api::CublasApi>& cublas_library();
const Loaded<api::CublasLtApi>& cublaslt_library();
const Loaded<api::CusparseApi>& cusparse_library();
const Loaded<api::CufftApi>& cufft_library();

}  // namespace bb::cuda
