#pragma once

namespace bb::transport {

/// Error that the remap adds to the requested shift of a row of one cell.
struct RowDrift {
  double ahead = 0;     // cells by which the mean is ahead
  double variance = 0;  // cells²
};

/// Error after `steps` shifts of `shift` cells each; zero for shifts by whole cells.
RowDrift row_drift(double shift, int steps, bool high_order);

}  // namespace bb::transport
