#include "driver_api.hpp"

#include "resolve.hpp"

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
