#include <algorithm>

#include "by_precision.hpp"
#include "run.hpp"
#include "transport/model/step_operators.hpp"

namespace bb::engine {
namespace {

// Operators exist twice while they are built, the first time in growing vectors; not all of it is released afterwards.
constexpr double kWhileMade = 2.9, kKept = 1.7;
constexpr double kSpans = 6.4e6;  // of a thread
constexpr double kRest = 14e6;    // threads, the heap's gaps, a picture of the run, what is made of the results
constexpr double kPlanes = 9.0;   // values of each cell of the map: scores, the results' copies, products of reactions

/// Bytes of the rows of the tables in FP64.
double row_bytes(const transport::RowCounts& n) { return 12.0 * n.gathered + 8.0 * n.angles + 48.0 * n.rows; }

/// The same as a variant computes with them.
double typed_bytes(const transport::RowCounts& n, double value) {
  return (value + 4.0) * n.gathered + value * n.angles + (4.0 * value + 8.0) * n.rows;
}

}  // namespace

double Run::memory_bytes() const {
  const transport::Tables& t = outline();
  const transport::RowCounts counts = variant_->needs_operators ? builder_.counted() : transport::RowCounts{};
  const double value = transport::value_bytes(problem_);
  const double plane = 8.0 * static_cast<double>(t.plane());
  const double recorded = 8.0 * static_cast<double>(t.reactions.size());
  const double tracks =
      problem_.track_scores ? 8.0 * static_cast<double>(transport::TrackScores::kMoments * t.plane()) : 0.0;
  if (on_gpu()) {
    constexpr double kFields = 4.0;
    // Both halves of the angles have rows of their own there.
    return estimate_bytes() + 2.0 * typed_bytes(counts, value) + kFields * plane + recorded + tracks;
  }
  const double psi = variant_->beam_bytes != nullptr && !problem_.filled ? variant_->beam_bytes(problem_, t, threads_)
                                                                         : estimate_bytes();
  const double made = kWhileMade * row_bytes(counts);
  const double stepping = kKept * row_bytes(counts) + typed_bytes(counts, value) + psi + kPlanes * plane +
                          1.2 * recorded + 4.0 * tracks + kSpans * threads_;
  return std::max(made, stepping) + kRest;
}

}  // namespace bb::engine
