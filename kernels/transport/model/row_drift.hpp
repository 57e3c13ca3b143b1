#pragma once

namespace bb::transport {

/// Deviation that the remap adds to the requested shift of a moving row of one cell.
struct RowDrift {
  double ahead = 0;     // cells by which its mean is too far
  double variance = 0;  // cells²
};

/// The same after `steps` shifts of `shift` cells each; nothing for shifts by whole cells.
RowDrift row_drift(double shift, int steps, bool high_order);

}  // namespace bb::transport
