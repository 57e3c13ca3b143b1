#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tables.hpp"

namespace bb::transport {

/// The energy gather of `Tables` seen from its sources: where the protons of (c, m, e) go.
struct SourceTaps {
  std::vector<std::size_t> begin;         // [classes·materials·ne + 1]
  std::vector<std::int32_t> destination;  // energy bin
  std::vector<std::size_t> tap;           // index into Tables::gather_weight
};

SourceTaps taps_by_source(const Tables& tables);

}  // namespace bb::transport
