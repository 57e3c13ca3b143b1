#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace bb::cuda {

/// A copy of `name` that lives as long as the process; equal names give the same pointer.
const char* intern_name(std::string_view name);

/// The distinct kernels launched on a stream since it was last known to be idle: those that an asynchronous
/// error may have come from. Costs one comparison for a repeated launch.
class LaunchLog {
 public:
  /// `name` must be interned.
  void note(const char* name) {
    if (count_ > 0 && names_[count_ - 1] == name) return;
    insert(name);
  }
  void clear() { count_ = 0, more_ = false; }

  /// "last kernel launched: a", or "one of the kernels launched since: a, b"; empty if none was.
  std::string text() const;

 private:
  void insert(const char* name);

  static constexpr std::size_t kNames = 8;  // more than any step of ours launches
  std::array<const char*, kNames> names_{};
  std::size_t count_ = 0;
  bool more_ = false;
};

}  // namespace bb::cuda
