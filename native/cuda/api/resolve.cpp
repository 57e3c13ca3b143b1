#include "resolve.hpp"

#include "cublas_api.hpp"
#include "cufft_api.hpp"
#include "cupti_api.hpp"
#include "cusparse_api.hpp"
#include "driver_api.hpp"
#include "nvml_api.hpp"
#include "nvrtc_api.hpp"

namespace bb::cuda::api {

std::string DriverApi::resolve(const DynamicLibrary& library) {
#define BB_REQUIRED(member, symbol, parameters) \
  if (!resolve_symbol(library, #symbol, member)) return #symbol;
  BB_CUDA_DRIVER_REQUIRED(BB_REQUIRED)
#undef BB_REQUIRED
#define BB_OPTIONAL(member, symbol, parameters) resolve_symbol(library, #symbol, member);
  BB_CUDA_DRIVER_OPTIONAL(BB_OPTIONAL)
#undef BB_OPTIONAL
  return "";
}

}  // namespace bb::cuda::api

#define BB_REQUIRED(member, symbol, ...) \
  if (!resolve_symbol(library, #symbol, member)) return #symbol;

namespace bb::cuda::api {

std::string NvmlApi::resolve(const DynamicLibrary& library) {
  BB_CUDA_NVML_REQUIRED(BB_REQUIRED)
  resolve_symbol(library, "nvmlDeviceGetTotalEnergyConsumption", DeviceGetTotalEnergy);
  resolve_symbol(library, "nvmlDeviceGetPersistenceMode", DeviceGetPersistenceMode);
  resolve_symbol(library, "nvmlDeviceSetGpuLockedClocks", DeviceSetLockedClocks);
  resolve_symbol(library, "nvmlDeviceResetGpuLockedClocks", DeviceResetLockedClocks);
  const bool renamed = resolve_symbol(library, "nvmlDeviceGetCurrentClocksEventReasons", DeviceGetClockReasons) ||
                       resolve_symbol(library, "nvmlDeviceGetCurrentClocksThrottleReasons", DeviceGetClockReasons);
  return renamed ? "" : "nvmlDeviceGetCurrentClocksEventReasons";
}

std::string NvrtcApi::resolve(const DynamicLibrary& library) {
  BB_CUDA_NVRTC_REQUIRED(BB_REQUIRED)
  return "";
}

std::string CuptiApi::resolve(const DynamicLibrary& library) {
  BB_CUDA_CUPTI_REQUIRED(BB_REQUIRED)
  return "";
}

std::string CublasApi::resolve(const DynamicLibrary& library) {
  BB_CUDA_CUBLAS_REQUIRED(BB_REQUIRED)
  BB_CUDA_CUBLAS_OVERLOADED(BB_REQUIRED)
  return "";
}

std::string CusparseApi::resolve(const DynamicLibrary& library) {
  BB_CUDA_CUSPARSE_REQUIRED(BB_REQUIRED)
  return "";
}

std::string CufftApi::resolve(const DynamicLibrary& library) {
  BB_CUDA_CUFFT_REQUIRED(BB_REQUIRED)
  return "";
}

std::string CublasLtApi::resolve(const DynamicLibrary& library) {
  BB_CUDA_CUBLASLT_REQUIRED(BB_REQUIRED)
  return "";
}

}  // namespace bb::cuda::api
