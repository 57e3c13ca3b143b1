#pragma once

namespace bb::diffraction {

enum class Shape { kSquare, kRound, kGauss, kTophat };
enum class Lookup { kNearest, kTricubic };
/// Evaluation point of solid angle and polarisation: once per pixel, at its first sub-pixel and for the first source, or
/// for every sub-pixel and source.
enum class Corrections { kPixel, kSubpixel };

}  // namespace bb::diffraction
