#pragma once

#include <napi.h>

#include <cstddef>
#include <span>
#include <vector>

#include "transport/run/beams.hpp"
#include "transport_result.hpp"

namespace bb::binding {

/// Results of beams, one JavaScript array per beam. The thread that solves a beam fills an array, which is reused once
/// JavaScript has read it. Separate objects and arrays for thousands of beams would load the JavaScript thread and its
/// garbage collector more than computing readouts does.
///
/// Numbers come first, in the order of `readBlock` of electron/host/io/addon/beam-block.ts; then dose, crossing,
/// ledgers, faces, and the profile along the axis.
class BeamBlocks {
 public:
  /// On JavaScript's thread. `reach_mm`: as AxisGeometry has it.
  BeamBlocks(Napi::Env env, const engine::Beams& beams, std::size_t count, double reach_mm);

  /// On the thread that has solved it.
  void fill(std::size_t i, const engine::Beams::Ended& ended);
  /// On JavaScript's thread.
  Napi::Value block(std::size_t i) const { return blocks_[i].array.Value(); }

 private:
  struct Block {
    Napi::Reference<Napi::Float64Array> array;
    std::span<double> room;
  };

  const engine::Beams& beams_;
  double reach_mm_;
  std::vector<Block> blocks_;
};

}  // namespace bb::binding
