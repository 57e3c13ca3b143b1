#pragma once

namespace bb::transport {

/// What the remap makes of a row of one cell that moves on, beside the shift that was asked for.
struct RowDrift {
  double ahead = 0;     // cells by which its mean is too far
  double variance = 0;  // cells²
};

/// The same after `steps` shifts of `shift` cells each; nothing for shifts by whole cells.
RowDrift row_drift(double shift, int steps, bool high_order);

}  // namespace bb::transport
