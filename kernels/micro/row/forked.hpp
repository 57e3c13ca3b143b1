#pragma once

#include <memory>
#include <vector>

#include "cuda/device/stream.hpp"
#include "work.hpp"

namespace bb::micro {

enum class StreamKind { kNonBlocking, kBesideDefault, kLegacyDefault };

/// Streams that fork from another stream and join it again, by events. One pair of events on the parent stream times
/// them all, and a capture of it includes them.
class ForkedStreams {
 public:
  ForkedStreams(const std::shared_ptr<cuda::Device>& device, std::size_t count, StreamKind kind)
      : begun_(device, cuda::api::kEventDisableTiming) {
    for (std::size_t i = 0; i < count; ++i) {
      streams_.push_back(kind == StreamKind::kNonBlocking     ? cuda::Stream(device)
                         : kind == StreamKind::kBesideDefault ? cuda::Stream::with_legacy_default(device)
                                                              : cuda::Stream::legacy_default(device));
      done_.emplace_back(device, cuda::api::kEventDisableTiming);
    }
  }

  std::size_t size() const { return streams_.size(); }
  cuda::Stream& operator[](std::size_t i) { return streams_[i]; }

  void fork(cuda::Stream& from) {
    begun_.record(from);
    for (cuda::Stream& stream : streams_) stream.wait(begun_);
  }
  void join(cuda::Stream& into) {
    for (std::size_t i = 0; i < streams_.size(); ++i) {
      done_[i].record(streams_[i]);
      into.wait(done_[i]);
    }
  }

 private:
  cuda::Event begun_;
  std::vector<cuda::Stream> streams_;
  std::vector<cuda::Event> done_;
};

}  // namespace bb::micro
