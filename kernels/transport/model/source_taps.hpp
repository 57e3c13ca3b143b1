#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tables.hpp"

namespace bb::transport {

/// The energy gather of `Tables` seen from its sources: where the protons of (c, m, e) go.
struct SourceTaps {
  std::vector<std::size_t> begin;         // [rows + 1], from 0
  std::vector<std::int32_t> destination;  // energy bin
  std::vector<std::size_t> tap;           // index into Tables::gather_weight
};

/// The taps of `rows` rows from `first` on, both multiples of the number of bins.
SourceTaps taps_by_source(const Tables& tables, std::size_t first, std::size_t rows);
/// The taps of all rows.
SourceTaps taps_by_source(const Tables& tables);

}  // namespace bb::transport
