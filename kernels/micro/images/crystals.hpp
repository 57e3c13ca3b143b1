#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "cpu/thread_pool.hpp"
#include "diffraction/cuda/device_setup.hpp"
#include "diffraction/model/setup.hpp"
#include "engine/task.hpp"

// Images with a common detector and beam. Each image shows a different crystal, with its own misset and cell.
namespace bb::micro::images {

/// Problem with the common detector and beam: 51.2 mm square, 100 mm away, 1 Å.
diffraction::Problem scene(int pixels, int cells);

/// Like `scene`, but with the given crystal.
diffraction::Problem with_crystal(diffraction::Problem scene, const diffraction::Cell& cell, diffraction::Vec3 misset);

/// Approximates the published triclinic cell: 70, 80 and 90 Å, 75, 85 and 95 degrees.
diffraction::Cell triclinic_cell();

/// Photons of one pixel in FP64, with the formula as written.
double photons(const diffraction::Setup& setup, int fast, int slow);

/// Computes the rows first … last - 1 of an image with the arithmetic of the variant diffraction-mixed.
void render_rows(const diffraction::Setup& setup, int first, int last, std::span<float> image);

/// Returns the crystal data that a kernel receives.
diffraction::device::Edges<double> edges_of(const diffraction::Basis& cell);

/// Operations per pixel: one lattice factor, and the work that occurs once per pixel, as the variant
/// diffraction-cuda-mixed declares them.
inline constexpr double kPixelFlops = 113 + 58;

/// Pixels per side of the image and unit cells per edge of the crystal.
struct Size {
  explicit Size(const engine::TaskProblem& problem)
      : pixels(static_cast<int>(problem.count("pixels"))), cells(static_cast<int>(problem.count("cells"))) {}
  std::size_t all() const { return static_cast<std::size_t>(pixels) * static_cast<std::size_t>(pixels); }
  int pixels, cells;
};

}  // namespace bb::micro::images
