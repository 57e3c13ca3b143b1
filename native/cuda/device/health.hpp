#pragma once

#include <optional>
#include <string>

// Which devices this process has lost. A sticky error leaves the driver's state for that device unusable in
// this process; the program lives on, and only a restart brings the device back.
namespace bb::cuda {

/// The first reason given for a device stays.
void mark_lost(const std::string& uuid, const std::string& reason);
std::optional<std::string> lost_reason(const std::string& uuid);

}  // namespace bb::cuda
