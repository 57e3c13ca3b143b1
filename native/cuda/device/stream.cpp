#include "stream.hpp"

#include <algorithm>
#include <memory>
#include <mutex>
#include <set>

#include "graph.hpp"

namespace bb::cuda {

const char* intern_name(std::string_view name) {
  static std::mutex mutex;
  // Never destroyed, because stream logs may be read while the process ends.
  static auto* const names = std::make_unique<std::set<std::string, std::less<>>>().release();
  const std::scoped_lock lock(mutex);
  const auto found = names->find(name);
  return found != names->end() ? found->c_str() : names->emplace(name).first->c_str();
}

void LaunchLog::insert(const char* name) {
  const auto begin = names_.begin();
  const auto end = begin + static_cast<std::ptrdiff_t>(count_);
  if (const auto found = std::find(begin, end, name); found != end) {
    std::rotate(found, found + 1, end);  // moves the latest to the end
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

Stream::Stream(std::shared_ptr<Device> device) : device_(std::move(device)) {
  device_->make_current();
  device_->check(driver().StreamCreate(&handle_, api::kStreamNonBlocking), "cuStreamCreate");
}

Stream Stream::legacy_default(std::shared_ptr<Device> device) { return {std::move(device), nullptr}; }

Stream Stream::with_legacy_default(std::shared_ptr<Device> device) {
  device->make_current();
  api::Stream handle = nullptr;
  device->check(driver().StreamCreate(&handle, api::kStreamDefault), "cuStreamCreate");
  return {std::move(device), handle};
}

Stream::~Stream() {
  if (handle_) driver().StreamDestroy(handle_);
}

void Stream::synchronize() {
  check(driver().StreamSynchronize(handle_), "cuStreamSynchronize");
  log_.clear();
}

void Stream::synchronize_ignoring_errors() noexcept {
  if (capturing_) abandon_capture();
  driver().StreamSynchronize(handle_);
}

bool Stream::idle() {
  const api::Status status = driver().StreamQuery(handle_);
  if (status == api::status::kNotReady) return false;
  check(status, "cuStreamQuery");
  log_.clear();
  return true;
}

void Stream::wait(const Event& event) {
  check(driver().StreamWaitEvent(handle_, event.handle(), 0), "cuStreamWaitEvent");
}

void Stream::begin_capture() {
  log_.clear();
  // The capture mode is thread-local, because other threads of the program may allocate during the capture.
  check(driver().StreamBeginCapture(handle_, api::CaptureMode::kThreadLocal), "cuStreamBeginCapture_v2");
  capturing_ = true;
}

api::Graph Stream::take_captured() {
  api::Graph graph = nullptr;
  const api::Status status = driver().StreamEndCapture(handle_, &graph);
  capturing_ = false;
  check(status, "cuStreamEndCapture");
  return graph;
}

Graph Stream::end_capture() {
  api::Graph graph = take_captured();
  const LaunchLog captured = std::exchange(log_, {});
  return Graph(device_, graph, captured);
}

CapturedGraph Stream::end_capture_only() {
  api::Graph graph = take_captured();
  log_.clear();
  return CapturedGraph(graph);
}

void Stream::abandon_capture() {
  api::Graph broken = nullptr;
  driver().StreamEndCapture(handle_, &broken);
  if (broken != nullptr) driver().GraphDestroy(broken);
  capturing_ = false;
  log_.clear();
}

void Stream::persist_in_l2(api::DevicePointer base, std::size_t bytes, float hit_ratio) {
  api::LaunchAttributeValue value{};
  value.access_policy_window = {reinterpret_cast<void*>(base), bytes, hit_ratio, api::AccessProperty::kPersisting,
                                api::AccessProperty::kStreaming};
  if (bytes == 0) value.access_policy_window = {};
  check(driver().StreamSetAttribute(handle_, api::LaunchAttributeId::kAccessPolicyWindow, &value),
        "cuStreamSetAttribute");
}

}  // namespace bb::cuda
