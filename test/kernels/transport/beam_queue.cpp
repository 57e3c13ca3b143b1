#include "transport/run/beam_queue.hpp"

#include <thread>
#include <vector>

#include "check.hpp"

namespace bb::test::beam_queue {
namespace {

using engine::BeamQueue;
using engine::BeamRange;

TEST("beam queue: neighbours in their order, the last ones fewer, then none") {
  BeamQueue queue(5);
  const auto is = [](BeamRange got, std::size_t first, std::size_t count) {
    CHECK_EQ(got.count, count);
    if (count > 0) CHECK_EQ(got.first, first);
  };
  is(queue.take(2), 0, 2);
  is(queue.take(2), 2, 2);
  CHECK(!queue.empty());
  is(queue.take(2), 4, 1);
  CHECK(queue.empty());
  is(queue.take(2), 0, 0);
}

TEST("beam queue: what comes back is taken next, and the rest after it") {
  BeamQueue queue(10);
  const BeamRange lost = queue.take(4);
  queue.take(2);
  queue.give_back(lost);
  queue.give_back({});
  CHECK_EQ(queue.take(3).first, std::size_t{0});
  CHECK_EQ(queue.take(3).first, std::size_t{3});
  CHECK_EQ(queue.take(9).first, std::size_t{6});
  CHECK(queue.empty());
}

TEST("beam queue: many threads take every beam once, though some give back") {
  constexpr std::size_t kBeams = 5000;
  BeamQueue queue(kBeams);
  std::vector<std::vector<int>> taken(4, std::vector<int>(kBeams, 0));
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < taken.size(); ++t) {
    threads.emplace_back([&, t] {
      for (int turn = 0;; ++turn) {
        const BeamRange beams = queue.take(7);
        if (beams.count == 0) return;
        if (turn % 5 == 4) {
          queue.give_back(beams);
          continue;
        }
        for (std::size_t i = 0; i < beams.count; ++i) ++taken[t][beams.first + i];
      }
    });
  }
  for (std::thread& each : threads) each.join();
  CHECK(queue.empty());
  for (std::size_t i = 0; i < kBeams; ++i) {
    int all = 0;
    for (const auto& mine : taken) all += mine[i];
    CHECK_EQ(all, 1);
  }
}

}  // namespace
}  // namespace bb::test::beam_queue
