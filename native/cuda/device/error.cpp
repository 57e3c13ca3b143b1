#include "error.hpp"

#include <map>
#include <mutex>

#include "../loader/libraries.hpp"

namespace bb::cuda {
namespace {

std::string sentence(const Error::Fields& fields) {
  std::string out = fields.call;
  if (!fields.device.empty()) out += " on " + fields.device;
  out += " failed: " + fields.name + ", " + fields.text;
  if (!fields.kernel.empty()) out += "; " + fields.kernel;
  if (fields.sticky) out += ". The device is not used again until the program is restarted";
  return out + ".";
}

}  // namespace

Error::Error(Fields fields) : std::runtime_error(sentence(fields)), fields_(std::move(fields)) {}

Error::Error(std::string_view code, const std::string& sentence) : std::runtime_error(sentence) { fields_.code = code; }

bool is_sticky(api::Status status) {
  using namespace api::status;
  switch (status) {
    case kEccUncorrectable:
    case kNvlinkUncorrectable:
    case kContained:
    case kIllegalAddress:
    case kLaunchTimeout:
    case kAssert:
    case kHardwareStackError:
    case kIllegalInstruction:
    case kMisalignedAddress:
    case kInvalidAddressSpace:
    case kInvalidPc:
    case kLaunchFailed:
    case kTensorMemoryLeak:
    case kExternalDevice:
    case kUnknown:
      return true;
    default:
      return false;
  }
}

std::string status_name(api::Status status) {
  const char* name = nullptr;
  driver().GetErrorName(status, &name);
  return name ? name : "CUDA error " + std::to_string(status);
}

std::string status_text(api::Status status) {
  const char* text = nullptr;
  driver().GetErrorString(status, &text);
  return text ? text : "no description";
}

const api::DriverApi& driver() {
  const auto& library = driver_library();
  if (!library.state.available) throw Error("unsupported", library.state.reason);
  return library.api;
}

namespace {

struct LostDevices {
  std::mutex mutex;
  std::map<std::string, std::string> reasons;
};

LostDevices& lost_devices() {
  static LostDevices all;
  return all;
}

}  // namespace

void mark_lost(const std::string& uuid, const std::string& reason) {
  LostDevices& lost = lost_devices();
  const std::scoped_lock lock(lost.mutex);
  lost.reasons.try_emplace(uuid, reason);
}

std::optional<std::string> lost_reason(const std::string& uuid) {
  LostDevices& lost = lost_devices();
  const std::scoped_lock lock(lost.mutex);
  const auto found = lost.reasons.find(uuid);
  return found == lost.reasons.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace bb::cuda
