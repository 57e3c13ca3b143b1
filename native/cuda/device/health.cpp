#include "health.hpp"

#include <map>
#include <mutex>

namespace bb::cuda {
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
