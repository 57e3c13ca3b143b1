#include <algorithm>
#include <memory>

#include "block_ops.hpp"
#include "diffraction/variants.hpp"

namespace bb::diffraction {
namespace {

/// Pixels per pass between two checks for cancellation. Checks then occur every few milliseconds.
constexpr std::size_t kPartPixels = std::size_t{1} << 20;

/// Runs one pass over the image per operator, with temporaries of the image's size, as array programs do.
class UnfusedSolver final : public Solver {
 public:
  explicit UnfusedSolver(const Setup& setup) : s_(setup) {}

  double render(const Work& work, std::span<double> image) override {
    const std::size_t n = s_.pixels();
    // The memory starts uninitialised, because clearing all of it at once may take seconds; each pass fills its own
    // part.
    const auto memory = std::make_unique_for_overwrite<double[]>(13 * n);
    const auto planes = [&](std::size_t k) {
      return Planes{&memory[k * n], &memory[(k + 1) * n], &memory[(k + 2) * n]};
    };
    const Planes d = planes(0), q = planes(3), hkl = planes(6);
    double *f2 = &memory[9 * n], *w = &memory[10 * n], *weights = &memory[11 * n], *factor = &memory[12 * n];
    double* sum = image.data();
    const StageFunctions& stage = stages();
    const double passes = s_.terms_per_pixel();
    double done = 0.0;
    const int parts =
        std::clamp(static_cast<int>(n / kPartPixels), work.pool.lanes(), std::max(work.pool.lanes(), s_.height));

    const auto pass = [&](const char* name, auto&& body) {
      const std::uint16_t id = work.spans.name_id(name);
      work.pool.run(parts, [&](int part, int lane) {
        if (work.cancel.load(std::memory_order_relaxed)) return;
        const auto row = [&](int p) { return static_cast<int>(std::int64_t{s_.height} * p / parts); };
        const engine::ScopedSpan span(work.spans, lane, id, row(part));
        body(row(part), row(part + 1));
      });
    };
    const auto cells = [&](const char* name, auto&& body) {
      pass(name, [&](int first, int last) { body(border(first), border(last)); });
    };
    const bool each = s_.corrections == Corrections::kSubpixel;
    const bool weighted = each || !s_.thin();
    cells("background", [&](std::size_t a, std::size_t b) {
      std::fill(weights + a, weights + b, 0.0);
      std::fill(w + a, w + b, 1.0);
      std::fill(factor + a, factor + b, 1.0);
    });

    for (int ss = 0; ss < s_.oversample; ++ss) {
      for (int sf = 0; sf < s_.oversample; ++sf) {
        for (int depth = 0; depth < s_.layers; ++depth) {
          pass("directions", [&](int a, int b) { stage.directions(s_, sf, ss, depth, a, b, d); });
          for (std::size_t source = 0; source < s_.sources.size(); ++source) {
            if (work.cancel.load()) return unfinished(image);
            cells("transfer", [&](std::size_t a, std::size_t b) { stage.transfer(s_.sources[source], a, b, d, q); });
            if (weighted) {
              cells("weights", [&](std::size_t a, std::size_t b) { stage.weights(s_, source, depth, a, b, d, w); });
            }
            cells("background", [&](std::size_t a, std::size_t b) {
              for (std::size_t i = a; i < b; ++i) weights[i] += w[i];
            });
            for (const Basis& cell : s_.orientations) {
              if (work.cancel.load()) return unfinished(image);
              cells("indices", [&](std::size_t a, std::size_t b) { stage.indices(cell, a, b, q, hkl); });
              cells("lattice", [&](std::size_t a, std::size_t b) { stage.lattice(s_, a, b, hkl, f2); });
              cells("structure", [&](std::size_t a, std::size_t b) { stage.structure(s_, a, b, hkl, f2); });
              cells("accumulate", [&](std::size_t a, std::size_t b) { stage.accumulate(a, b, w, f2, sum); });
              done += 1.0;
              work.progress(done / passes);
            }
          }
        }
      }
    }
    if (work.cancel.load()) return unfinished(image);
    if (!each) {
      pass("corrections", [&](int first, int last) { corrections(first, last, factor); });
    }
    cells("finish", [&](std::size_t a, std::size_t b) { stage.finish(s_, a, b, factor, weights, sum); });
    if (work.cancel.load()) return unfinished(image);
    return 1.0;
  }

 private:
  /// Clears the image, because a sum over part of the orientations is not an image. Returns 0, the finished share of
  /// the image.
  static double unfinished(std::span<double> image) {
    std::ranges::fill(image, 0.0);
    return 0.0;
  }

  /// Returns the first pixel of the block that contains the start of a row. The parts of threads end at block borders,
  /// because the scalar remainder of a vectorised loop may round differently. The value of a pixel then does not depend
  /// on the number of threads.
  std::size_t border(int row) const {
    const std::size_t pixel = static_cast<std::size_t>(row) * static_cast<std::size_t>(s_.width);
    return row == s_.height ? pixel : pixel / kBlockPixels * kBlockPixels;
  }

  void corrections(int first, int last, double* factor) const {
    for (int slow = first; slow < last; ++slow) {
      for (int fast = 0; fast < s_.width; ++fast) {
        factor[static_cast<std::size_t>(slow) * static_cast<std::size_t>(s_.width) + static_cast<std::size_t>(fast)] =
            s_.pixel_correction(fast, slow);
      }
    }
  }

  const Setup& s_;
};

}  // namespace

Variant unfused_variant() {
  return {
      .id = "diffraction-unfused",
      .title = "Unfused stages",
      .changes = "One pass over the image per operator, with image-sized temporaries in between, as in array programs",
      .builds_on = "diffraction-fp64",
      .device = "cpu",
      .source = "kernels/diffraction/cpu/unfused.cpp",
      .arithmetic = "fp64",
      .bright_error = kReferenceRounding,
      .flops_per_term = 120,
      .speed_rank = 5,
      .make = [](const Setup& s) -> std::unique_ptr<Solver> { return std::make_unique<UnfusedSolver>(s); },
      .scratch_bytes = [](const Outline& s) { return 13.0 * sizeof(double) * static_cast<double>(s.pixels()); },
  };
}

}  // namespace bb::diffraction
