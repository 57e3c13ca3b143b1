#include "launch_log.hpp"

#include <algorithm>
#include <memory>
#include <mutex>
#include <set>

namespace bb::cuda {

const char* intern_name(std::string_view name) {
  static std::mutex mutex;
  // Never destroyed: stream logs may be read while the process ends.
  static auto* const names = std::make_unique<std::set<std::string, std::less<>>>().release();
  const std::scoped_lock lock(mutex);
  const auto found = names->find(name);
  return found != names->end() ? found->c_str() : names->emplace(name).first->c_str();
}

void LaunchLog::insert(const char* name) {
  const auto begin = names_.begin();
  const auto end = begin + static_cast<std::ptrdiff_t>(count_);
  if (const auto found = std::find(begin, end, name); found != end) {
    std::rotate(found, found + 1, end);  // keeps the latest last
    return;
  }
  if (count_ == kNames) {
    std::rotate(begin, begin + 1, end);
    names_.back() = name;
    more_ = true;
    return;
  }
  names_[count_++] = name;
}

std::string LaunchLog::text() const {
  if (count_ == 0) return "";
  if (count_ == 1) return std::string("last kernel launched: ") + names_[0];
  std::string out = "one of the kernels launched since the last synchronisation: ";
  for (std::size_t i = 0; i < count_; ++i) out += (i ? ", " : "") + std::string(names_[i]);
  return more_ ? out + " and earlier ones" : out;
}

}  // namespace bb::cuda
