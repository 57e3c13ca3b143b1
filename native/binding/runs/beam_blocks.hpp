#pragma once

#include <napi.h>

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "transport/run/beams.hpp"
#include "transport_result.hpp"

namespace bb::binding {

/// What beams leave, each in one array of JavaScript's. The thread which solved it fills the array, and it serves another
/// beam when JavaScript has read it. Objects and arrays of its own for each of thousands would keep the one thread of
/// JavaScript, and its collector, busier than readouts do.
///
/// Numbers come first, as `readBlock` of electron/host/io/addon/beam-block.ts reads them; then dose, crossing, ledgers,
/// faces, and the profile along the axis.
class BeamBlocks {
 public:
  /// On JavaScript's thread. `reach_mm`: as AxisGeometry has it.
  BeamBlocks(Napi::Env env, const engine::Beams& beams, double reach_mm);

  /// On the thread that has solved it: waits until there is a free block. None where someone has cancelled meanwhile.
  std::optional<std::size_t> fill(const engine::Beams::Ended& ended, const std::atomic<bool>& cancelled);
  /// On JavaScript's thread.
  Napi::Value block(std::size_t i) const { return blocks_[i].array.Value(); }
  void give_back(std::size_t i);

 private:
  struct Block {
    Napi::Reference<Napi::Float64Array> array;
    std::span<double> room;
  };

  const engine::Beams& beams_;
  double reach_mm_;
  std::vector<Block> blocks_;
  std::mutex mutex_;
  std::condition_variable given_back_;
  std::vector<std::size_t> free_;
};

}  // namespace bb::binding
