#pragma once

#include <algorithm>
#include <cmath>
#include <fstream>
#include <numbers>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "diffraction/run/image_run.hpp"

// Problems shared by the tests of the diffraction workload, and measures to compare images.
namespace bb::test {

inline constexpr double kDegree = std::numbers::pi / 180.0;
inline constexpr double kAngstrom = 1e-10;

/// A crystal of 5 cells of 100 Å per side, wavelength 6.2 Å, distance 100 mm: the base case of the published images.
inline diffraction::Problem cubic_problem(int pixels) {
  diffraction::Problem p;
  p.beam.wavelength = 6.2 * kAngstrom;
  p.beam.fluence = 1.25932015286227e29;
  p.crystal.cell =
      diffraction::Cell{100 * kAngstrom, 100 * kAngstrom, 100 * kAngstrom, 90 * kDegree, 90 * kDegree, 90 * kDegree};
  p.crystal.na = p.crystal.nb = p.crystal.nc = 5;
  p.detector.width = p.detector.height = pixels;
  p.detector.pixel = 1e-4;
  p.detector.distance = 0.1;
  p.detector.beam_x = p.detector.beam_y = 0.5 * (pixels + 1) * 1e-4;
  p.default_f = 100;
  return p;
}

/// The triclinic crystal of the published images, which have 512 pixels.
inline diffraction::Problem triclinic_problem(int pixels = 512) {
  diffraction::Problem p = cubic_problem(pixels);
  p.beam.wavelength = kAngstrom;
  p.crystal.cell =
      diffraction::Cell{70 * kAngstrom, 80 * kAngstrom, 90 * kAngstrom, 75 * kDegree, 85 * kDegree, 95 * kDegree};
  p.crystal.misset = {-89.968546 * kDegree, -31.328953 * kDegree, 177.753396 * kDegree};
  return p;
}

inline engine::ImageResult render(diffraction::Problem p, const std::string& variant = "diffraction-reference",
                                  int threads = 2) {
  p.variant = variant;
  p.threads = threads;
  engine::ImageRun run(std::move(p));
  return run.execute({});
}

/// Summary of an image as other programs store it: every pixel is rounded to FP32 before summing.
struct ImageFacts {
  double max = 0, sum = 0;
  int slow = 0, fast = 0;  // position of the largest pixel
};

inline ImageFacts facts(std::span<const double> image, int width) {
  ImageFacts out;
  const auto largest = std::ranges::max_element(image) - image.begin();
  out.max = static_cast<float>(image[static_cast<std::size_t>(largest)]);
  out.slow = static_cast<int>(largest / width);
  out.fast = static_cast<int>(largest % width);
  for (const double v : image) out.sum += static_cast<double>(static_cast<float>(v));
  return out;
}

/// Errors relative to the second image that a correlation would hide. `bright` is the largest relative error of pixels
/// above 1e-3 of its maximum.
struct ImageError {
  double rel_l2 = 0, max = 0, bright = 0, sum = 0, correlation = 0;
};

inline ImageError image_error(std::span<const double> got, std::span<const double> wanted) {
  if (got.size() != wanted.size()) throw std::invalid_argument("images of different sizes");
  const double top = std::ranges::max(wanted), n = static_cast<double>(got.size());
  double difference = 0, squares = 0, a = 0, b = 0, aa = 0, ab = 0;
  ImageError e;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double d = got[i] - wanted[i];
    if (!std::isfinite(d)) throw std::invalid_argument("a pixel is not a number");
    difference += d * d;
    squares += wanted[i] * wanted[i];
    a += got[i];
    b += wanted[i];
    aa += got[i] * got[i];
    ab += got[i] * wanted[i];
    e.max = std::max(e.max, std::abs(d) / top);
    if (wanted[i] > 1e-3 * top) e.bright = std::max(e.bright, std::abs(d) / wanted[i]);
  }
  e.rel_l2 = std::sqrt(difference / squares);
  e.sum = std::abs(a / b - 1.0);
  e.correlation = (n * ab - a * b) / std::sqrt((n * aa - a * a) * (n * squares - b * b));
  return e;
}

/// A raw float32 image from test/golden.
inline std::vector<double> golden_image(const std::string& name) {
  std::ifstream file(std::string(BB_ASSETS) + "/../test/golden/" + name, std::ios::binary);
  if (!file) throw std::invalid_argument("test/golden/" + name + " cannot be read");
  std::vector<double> image;
  float value;
  while (file.read(reinterpret_cast<char*>(&value), sizeof value)) image.push_back(value);
  return image;
}

}  // namespace bb::test
