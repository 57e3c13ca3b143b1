#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "../api/driver_api.hpp"

namespace bb::cuda {

/// An error on a device. `what()` is a complete sentence with all of the fields below.
class Error : public std::runtime_error {
 public:
  struct Fields {
    std::string_view code;  // code of the addon's errors: "memory", "unsupported", "device", "invalid"
    std::string call;       // "cuStreamSynchronize"; empty if no call failed
    std::string name;       // such as "CUDA_ERROR_ILLEGAL_ADDRESS"
    std::string text;       // the driver's description
    std::string device;     // "NVIDIA H200 (GPU-…)"; empty if no device is involved
    std::string kernel;     // kernels that may have caused it; empty if unknown
    bool sticky = false;    // true if the device's context is lost
  };

  /// Makes an error from a failed driver call.
  explicit Error(Fields fields);
  /// Makes an error for a request that is rejected before any driver call.
  Error(std::string_view code, const std::string& sentence);

  std::string_view code() const { return fields_.code; }
  const Fields& fields() const { return fields_; }

 private:
  Fields fields_;
};

/// True if `status` leaves the context unusable, so that every later call in it fails too.
bool is_sticky(api::Status status);

/// Name of a status, such as "CUDA_ERROR_NOT_READY", or its number if the driver has no name for it.
std::string status_name(api::Status status);
std::string status_text(api::Status status);

/// Function table of the driver. Throws "unsupported" with the reason if there is no driver.
const api::DriverApi& driver();

// Devices that this process has lost. After a sticky error, the process cannot use that device any more. The program
// continues without it until it is restarted.

/// The first reason for a device is retained.
void mark_lost(const std::string& uuid, const std::string& reason);
std::optional<std::string> lost_reason(const std::string& uuid);

}  // namespace bb::cuda
