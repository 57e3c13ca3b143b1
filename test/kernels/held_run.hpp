#pragma once

#include <functional>
#include <utility>

#include "transport/run/beams.hpp"
#include "transport/run/run.hpp"

// Replacements for engine::Run and engine::Beams in all tests. They check that no mean range exceeds the longest path
// of the protons (see problems.hpp).
namespace bb::test {

/// Fails the test if the mean range of a completed run exceeds the longest path of its beam.
void check_longest_path(const transport::Problem& problem, const transport::Tables& tables,
                        const engine::RunResult& result);

/// An engine::Run whose result is checked against the longest path.
class Run : public engine::Run {
 public:
  using engine::Run::Run;

  engine::RunResult execute(const std::function<void(const engine::Progress&)>& on_progress,
                            const engine::TimingOptions& measuring = {}) {
    engine::RunResult result = engine::Run::execute(on_progress, measuring);
    check_longest_path(problem(), tables(), result);
    return result;
  }
};

/// Many beams on one grid, each checked against its own longest path. Without maps, nothing is checked.
class Beams : public engine::Beams {
 public:
  using engine::Beams::Beams;

  void execute(const std::function<void(FinishedBeam&&)>& ended, bool maps = true) {
    if (!maps) return engine::Beams::execute(ended, false);
    engine::Beams::execute([&](FinishedBeam&& each) {
      transport::Problem own = problem();
      own.beam = own.spots[each.beam];
      own.spots.clear();
      check_longest_path(own, each.alone, each.result);
      ended(std::move(each));
    });
  }
};

}  // namespace bb::test
