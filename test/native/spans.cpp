#include "engine/spans.hpp"

#include <string>
#include <thread>
#include <vector>

#include "check.hpp"

using namespace bb::engine;

TEST("spans: each name has one number, and lanes record separately, each up to its limit") {
  SpanRecorder recorder(3);
  CHECK_EQ(recorder.name_id("score"), 0);
  CHECK_EQ(recorder.name_id("stream"), 1);
  CHECK_EQ(recorder.name_id("score"), 0);
  std::vector<std::thread> threads;
  for (int lane = 0; lane < 3; ++lane) {
    threads.emplace_back([&recorder, lane] {
      for (std::uint32_t step = 0; step < 210'000u; ++step) recorder.record(lane, 1, step, step, step + 0.5);
    });
  }
  for (std::thread& t : threads) t.join();
  for (const SpanRecorder::Lane& lane : recorder.lanes()) {
    CHECK_EQ(lane.spans.size() + lane.dropped, 210'000u);
    CHECK(lane.dropped > 0);
    CHECK_EQ(lane.spans.back().step, lane.spans.size() - 1);
  }
  CHECK_EQ(recorder.names().size(), 2u);
}

TEST("scoped span: begins and ends with its scope, in nanoseconds since the recorder started") {
  SpanRecorder recorder(1);
  const double before = recorder.now_ns();
  {
    const ScopedSpan span(recorder, 0, recorder.name_id("work"), 5);
    CHECK(recorder.lanes()[0].spans.empty());
  }
  const SpanRecorder::Span& s = recorder.lanes()[0].spans.at(0);
  CHECK_EQ(s.step, 5u);
  CHECK(before <= s.start_ns);
  CHECK(s.start_ns <= s.end_ns);
  CHECK(s.end_ns <= recorder.now_ns());
}

TEST("spans: the time before a run is closed, and lanes are added after existing ones") {
  SpanRecorder recorder(1);
  recorder.record(0, recorder.name_id("lay out"), kNoStep, 0.0, 500.0);
  const auto long_ago = recorder.origin();
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  recorder.close_gap();
  CHECK(recorder.origin() - long_ago >= std::chrono::milliseconds(1));
  CHECK(recorder.now_ns() >= 500.0);
  CHECK_NEAR(recorder.ns_at(recorder.origin()), 0.0, 0.0);
  recorder.widen(3);
  recorder.widen(2);
  CHECK_EQ(recorder.lanes().size(), 3u);
  CHECK_EQ(recorder.lanes()[0].spans.at(0).end_ns, 500.0);
}
