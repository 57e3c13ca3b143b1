#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "../api/driver_api.hpp"

namespace bb::cuda {

/// Why something on a device failed. `what()` is a complete sentence with all of the fields below.
class Error : public std::runtime_error {
 public:
  struct Fields {
    std::string_view code;  // of the addon's errors: "memory", "unsupported", "device", "invalid"
    std::string call;       // "cuStreamSynchronize"; empty when no call failed
    std::string name;       // "CUDA_ERROR_ILLEGAL_ADDRESS"
    std::string text;       // the driver's description
    std::string device;     // "NVIDIA H200 (GPU-…)"; empty when none is involved
    std::string kernel;     // kernels that may have caused it; empty when unknown
    bool sticky = false;    // the device's context is lost
  };

  /// A failed driver call.
  explicit Error(Fields fields);
  /// A refusal of our own, before any call.
  Error(std::string_view code, const std::string& sentence);

  std::string_view code() const { return fields_.code; }
  const Fields& fields() const { return fields_; }

 private:
  Fields fields_;
};

/// Whether `status` leaves the context unusable: every later call in it fails alike.
bool is_sticky(api::Status status);

/// "CUDA_ERROR_NOT_READY", or the number where the driver knows no name.
std::string status_name(api::Status status);
std::string status_text(api::Status status);

/// The driver's table. Throws "unsupported" with the reason where there is no driver.
const api::DriverApi& driver();

}  // namespace bb::cuda
