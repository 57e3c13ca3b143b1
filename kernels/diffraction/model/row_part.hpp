#pragma once

namespace bb::diffraction {

/// Neighbouring pixels of a row.
struct RowPart {
  int slow, fast, count;
};

}  // namespace bb::diffraction
