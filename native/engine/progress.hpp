#pragma once

namespace bb::engine {

/// Between two reports of how far a run is.
inline constexpr double kFrameSeconds = 1.0 / 60.0;

}  // namespace bb::engine
