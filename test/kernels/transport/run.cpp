#include "transport/run/run.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <memory>
#include <numeric>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "../held_run.hpp"
#include "../problems.hpp"
#include "check.hpp"

using namespace bb;
using namespace bb::transport;

namespace {

constexpr double kEnergy = 20.0;  // MeV: a range of 4.3 mm

Problem small_beam() {
  Problem p = test::water_problem(kEnergy, {8, 5, 0.5, 0.25}, 0.4, 0.04);
  p.threads = 2;
  return p;
}

double total(const std::vector<float>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

/// Ids of all variants that can solve `p` on this machine.
std::vector<std::string> able_variants(const Problem& p) {
  std::vector<std::string> ids;
  for (const Variant& v : variants()) {
    Problem trial = p;
    trial.variant = v.id;
    try {
      test::Run run(trial);
      ids.emplace_back(v.id);
    } catch (const ProblemError&) {
    }
  }
  return ids;
}

}  // namespace

TEST("run: ledger rows are sums since the start and close at every step") {
  Problem p = small_beam();
  p.nuclear = Nuclear::kAttenuation;
  test::Run run(p);
  const engine::RunResult r = run.execute({});
  CHECK_EQ(r.number.size(), static_cast<std::size_t>(r.steps));
  CHECK_EQ(r.energy.size(), r.number.size());
  double stopped = 0.0, deposited = 0.0;
  for (std::size_t i = 0; i < r.number.size(); ++i) {
    const engine::LedgerRow& n = r.number[i];
    const engine::LedgerRow& e = r.energy[i];
    CHECK_EQ(n.in, 1.0);
    CHECK_REL(e.in, kEnergy, 1e-9);
    CHECK_NEAR(n.in_flight + n.stopped + n.escaped_all() + n.nuclear + n.skipped, n.in, 1e-12);
    CHECK_NEAR(e.in_flight + e.escaped_all() + e.nuclear + e.skipped + e.deposited, e.in, 1e-12 * e.in);
    CHECK(n.rel_error <= 1e-12);
    CHECK(e.rel_error <= 1e-12);
    CHECK_EQ(n.deposited, 0.0);
    CHECK(n.stopped >= stopped);
    CHECK(e.deposited > deposited);
    stopped = n.stopped;
    deposited = e.deposited;
  }
  CHECK_REL(std::accumulate(r.dose.begin(), r.dose.end(), 0.0), deposited, 1e-12);
}

TEST("run: ends when the given fraction remains, or after the given number of steps") {
  Problem p = small_beam();
  p.stop_weight = 0.5;
  test::Run half(p);
  const engine::RunResult r = half.execute({});
  CHECK(!r.cancelled);
  CHECK(r.number.back().in_flight <= 0.5);
  CHECK(r.number[r.number.size() - 2].in_flight > 0.5);
  p.stop_weight = 1e-6;
  p.max_steps = 7;
  test::Run seven(p);
  CHECK_EQ(seven.steps_max(), 7);
  CHECK_EQ(seven.execute({}).steps, 7);
}

TEST("run: progress ends with the last step, and every variant reports the same balance") {
  for (const std::string& id : able_variants(small_beam())) {
    Problem p = small_beam();
    p.variant = id;
    test::Run run(p);
    engine::Progress last;
    int reports = 0, before = 0;
    const engine::RunResult r = run.execute([&](const engine::Progress& progress) {
      CHECK(progress.step >= before);
      before = progress.step;
      last = progress;
      ++reports;
    });
    CHECK(reports >= 1);
    CHECK_EQ(last.step, r.steps);
    CHECK_EQ(last.steps_max, run.steps_max());
    CHECK_NEAR(last.weight_left, r.number.back().in_flight, 1e-12);
    CHECK(last.ledger_error <= 1e-12);
    CHECK(last.depth_mm > 2.5 && last.depth_mm <= 5.0);
    CHECK_EQ(last.eta_s, 0.0);
  }
}

namespace {

/// A reference solver that fails like a device after some steps. It cannot be read afterwards.
class FailingDevice final : public engine::Solver {
 public:
  static constexpr int kSteps = 7;

  explicit FailingDevice(std::unique_ptr<engine::Solver> inner) : inner_(std::move(inner)) {}
  int advance(int n, std::vector<engine::StepTotals>& totals, engine::SpanRecorder& spans,
              const std::atomic<bool>& cancel) override {
    if (taken_ == kSteps) {
      lost_ = true;
      check();
    }
    ++taken_;
    return inner_->advance(n, totals, spans, cancel);
  }
  void marginals(engine::Marginals& out) override { check(), inner_->marginals(out); }
  std::span<const double> dose() override { return check(), inner_->dose(); }
  std::span<const double> crossing() override { return check(), inner_->crossing(); }
  double min_over_max() const override { return inner_->min_over_max(); }
  double cell_steps() const override { return inner_->cell_steps(); }
  double state_bytes() const override { return inner_->state_bytes(); }

 private:
  void check() const {
    if (lost_) throw ProblemError("device", "cuStreamSynchronize failed; last kernel launched: stand_in");
  }
  std::unique_ptr<engine::Solver> inner_;
  int taken_ = 0;
  bool lost_ = false;
};

/// Counts score requests, each of which needs a pass over all lanes or a copy from a device.
class CountingScores final : public engine::Solver {
 public:
  static inline int doses = 0, crossings = 0;

  explicit CountingScores(std::unique_ptr<engine::Solver> inner) : inner_(std::move(inner)) { doses = crossings = 0; }
  int advance(int n, std::vector<engine::StepTotals>& totals, engine::SpanRecorder& spans,
              const std::atomic<bool>& cancel) override {
    return inner_->advance(n, totals, spans, cancel);
  }
  void marginals(engine::Marginals& out) override { inner_->marginals(out); }
  std::span<const double> dose() override { return ++doses, inner_->dose(); }
  std::span<const double> crossing() override { return ++crossings, inner_->crossing(); }
  double min_over_max() const override { return inner_->min_over_max(); }
  double cell_steps() const override { return inner_->cell_steps(); }
  double state_bytes() const override { return inner_->state_bytes(); }

 private:
  std::unique_ptr<engine::Solver> inner_;
};

const Variant& reference() { return *std::ranges::find(variants(), std::string_view("reference"), &Variant::id); }

Variant failing_device() {
  Variant v = reference();
  v.device = "cuda";
  v.make = [](const Problem& problem, const Tables& tables, int threads) -> std::unique_ptr<engine::Solver> {
    return std::make_unique<FailingDevice>(reference().make(problem, tables, threads));
  };
  return v;
}

}  // namespace

TEST("run: a frame and a result compute the scores only once each") {
  Variant counting = reference();
  counting.make = [](const Problem& p, const Tables& t, int threads) -> std::unique_ptr<engine::Solver> {
    return std::make_unique<CountingScores>(reference().make(p, t, threads));
  };
  Problem p = small_beam();
  p.max_steps = 1;
  test::Run(p, counting).execute({});
  CHECK_EQ(CountingScores::doses, 3);  // two live frames (first step, end) and the result
  CHECK_EQ(CountingScores::crossings, 1);
}

TEST("run: a failing device leaves the completed steps and the reason") {
  const Variant device = failing_device();
  Problem p = small_beam();
  p.keyframes = 100;
  test::Run run(p, device);
  const engine::RunResult r = run.execute({}, {.keep_every_s = 0.0});
  CHECK(r.failure.has_value());
  CHECK_EQ(r.failure->code, std::string("device"));
  CHECK(r.failure->message.find("stand_in") != std::string::npos);
  CHECK(!r.cancelled);
  CHECK(r.steps > 0 && r.steps <= FailingDevice::kSteps);
  CHECK_EQ(r.number.size(), static_cast<std::size_t>(r.steps));
  CHECK_EQ(r.energy.size(), r.number.size());
  CHECK(r.energy.back().rel_error <= 1e-12);
  CHECK_REL(std::accumulate(r.dose.begin(), r.dose.end(), 0.0), r.energy.back().deposited, 1e-12);
  CHECK(!r.keyframes.empty());
  CHECK(r.keyframes.back().step <= r.steps);

  // The result must equal a run with the same number of steps on a device that does not fail.
  p.max_steps = r.steps;
  p.variant = "reference";
  const engine::RunResult whole = test::Run(p).execute({});
  CHECK(whole.dose == r.dose);
  CHECK_EQ(whole.number.back().in_flight, r.number.back().in_flight);
}

TEST("run: a device that fails before the first step leaves only its error") {
  const Variant device = failing_device();
  test::Run run(small_beam(), device);
  CHECK_THROWS(run.execute({}, {.keep_every_s = 1e9}), "stand_in");
}

TEST("cancel: no step runs if cancelled before the start, and none follows if cancelled in the progress callback") {
  for (const Stepping stepping : {Stepping::kPath, Stepping::kDepth}) {
    Problem p = small_beam();
    p.stepping = stepping;
    for (const std::string& id : able_variants(p)) {
      p.variant = id;
      test::Run never(p);
      never.cancel();
      const engine::RunResult nothing = never.execute({});
      CHECK(nothing.cancelled);
      CHECK_EQ(nothing.steps, 0);

      test::Run run(p);
      int cancelled_at = -1;
      const engine::RunResult r = run.execute([&](const engine::Progress& progress) {
        if (cancelled_at < 0) {
          cancelled_at = progress.step;
          run.cancel();
        }
      });
      CHECK_EQ(r.steps, cancelled_at);
      if (cancelled_at < run.steps_max() && r.number.back().in_flight > 1e-6) CHECK(r.cancelled);
      // The steps before the failure are retained, and their ledger balances.
      CHECK_EQ(r.number.size(), static_cast<std::size_t>(r.steps));
      CHECK(std::accumulate(r.dose.begin(), r.dose.end(), 0.0) > 0.0);
      CHECK(r.energy.back().rel_error <= 1e-12);
    }
  }
}

TEST("cancel: a run cancelled from another thread ends within about a step, with a keyframe of its last state") {
#ifdef BB_SANITIZED
  constexpr double kAngleStep = 0.1;
#else
  constexpr double kAngleStep = 0.01;
#endif
  Problem p = test::water_problem(100.0, {20, 80, 0.5, 0.5}, 0.15, kAngleStep);
  p.filled = true;  // about 0.1 s a step
  p.variant = "gather";
  p.precision = Precision::kFp32;
  p.threads = 2;
  p.keyframes = 2;
  test::Run run(p);
  std::atomic<int> seen{0};
  engine::RunResult r;
  std::thread solving([&] { r = run.execute([&](const engine::Progress& progress) { seen = progress.step; }); });
  while (seen == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  const int at = seen;
  run.cancel();
  solving.join();
  CHECK(r.cancelled);
  // Progress is reported at most 60 times per second, and a fast machine may take a few steps in between.
  CHECK(r.steps <= at + 5);
  CHECK(r.steps < run.steps_max() / 2);
  CHECK_EQ(r.keyframes.back().step, r.steps);
}

TEST("keyframes: as many as requested, including the first and last step, with equal content in all marginals") {
  for (const Stepping stepping : {Stepping::kPath, Stepping::kDepth}) {
    Problem p = small_beam();
    p.stepping = stepping;
    p.keyframes = 6;
    for (const std::string& id : able_variants(p)) {
      p.variant = id;
      test::Run run(p);
      const engine::RunResult r = run.execute({});
      CHECK_EQ(r.keyframes.size(), 6u);
      CHECK_EQ(r.keyframes.front().step, 0);
      CHECK_EQ(r.keyframes.back().step, r.steps);
      for (std::size_t i = 0; i < r.keyframes.size(); ++i) {
        const engine::Marginals& k = r.keyframes[i];
        if (i > 0) CHECK(k.step > r.keyframes[i - 1].step);
        const double wanted = k.step == 0 ? 1.0 : r.number[static_cast<std::size_t>(k.step) - 1].in_flight;
        for (const auto* part : {&k.zx, &k.xtheta, &k.etheta, &k.ez, &k.ex, &k.ztheta}) {
          CHECK_NEAR(total(*part), wanted, 1e-6);
        }
        CHECK_EQ(k.zx.size(), run.tables().plane());
      }
    }
  }
  Problem p = small_beam();
  test::Run none(p);
  CHECK(none.execute({}).keyframes.empty());
}

/// ψ of a small beam half way, from the run's last live frame.
engine::LiveFrame half_way(Problem p, const std::string& variant, std::vector<engine::PlaneRequest> planes) {
  p.variant = variant;
  p.max_steps = 12;
  test::Run run(p);
  run.want_planes(std::move(planes));
  run.execute({});
  return run.take_live().value();
}

TEST("planes: cuts along an axis add up to the sum over it, in every variant and for every pair of axes") {
  using engine::Axis;
  for (const Stepping stepping : {Stepping::kPath, Stepping::kDepth}) {
    Problem p = small_beam();
    p.stepping = stepping;
    for (const std::string& id : able_variants(p)) {
      Problem of = p;
      of.variant = id;
      test::Run outline(of);
      const transport::Tables& t = outline.outline();
      const std::array<int, engine::kAxes> counts{t.ne, t.ntheta, t.nz, t.nx};
      for (int slow = 0; slow < engine::kAxes; ++slow) {
        for (int fast = slow + 1; fast < engine::kAxes; ++fast) {
          engine::PlaneRequest sum{.slow = static_cast<Axis>(slow), .fast = static_cast<Axis>(fast)};
          int cut = 0;
          while (cut == slow || cut == fast) ++cut;
          std::vector<engine::PlaneRequest> planes{sum};
          for (int i = 0; i < counts[static_cast<std::size_t>(cut)]; ++i) {
            planes.push_back(sum);
            planes.back().cut[static_cast<std::size_t>(cut)] = i;
          }
          const engine::LiveFrame live = half_way(p, id, planes);
          CHECK_EQ(live.planes.size(), planes.size());
          const std::vector<float>& whole = live.planes.front().values;
          CHECK_EQ(whole.size(), static_cast<std::size_t>(counts[static_cast<std::size_t>(slow)]) *
                                     static_cast<std::size_t>(counts[static_cast<std::size_t>(fast)]));
          CHECK(total(whole) > 0.5);
          double worst = 0.0, largest = 0.0;
          for (std::size_t cell = 0; cell < whole.size(); ++cell) {
            double added = 0.0;
            for (std::size_t i = 1; i < live.planes.size(); ++i) {
              added += static_cast<double>(live.planes[i].values[cell]);
            }
            worst = std::max(worst, std::abs(added - static_cast<double>(whole[cell])));
            largest = std::max(largest, static_cast<double>(whole[cell]));
          }
          CHECK(worst <= 1e-6 * largest);
        }
      }
    }
  }
}

TEST("planes: their sums are the marginals, whichever axis is across") {
  using engine::Axis;
  const engine::LiveFrame live = half_way(small_beam(), "window",
                                          {{.slow = Axis::kZ, .fast = Axis::kX},
                                           {.slow = Axis::kX, .fast = Axis::kTheta},
                                           {.slow = Axis::kEnergy, .fast = Axis::kX},
                                           {.slow = Axis::kZ, .fast = Axis::kTheta}});
  CHECK(live.planes[0].values == live.marginals.zx);
  CHECK(live.planes[1].values == live.marginals.xtheta);
  CHECK(live.planes[2].values == live.marginals.ex);
  CHECK(live.planes[3].values == live.marginals.ztheta);
}

TEST("planes: a duplicate axis, a cut along a displayed axis, and an index out of range are rejected") {
  using engine::Axis;
  test::Run run(small_beam());
  CHECK_THROWS(run.want_planes({{.slow = Axis::kX, .fast = Axis::kX}}), "x is given twice");
  CHECK_THROWS(run.want_planes({{.slow = Axis::kZ, .fast = Axis::kX, .cut = {-1, -1, 3, -1}}}), "cannot be cut");
  CHECK_THROWS(run.want_planes({{.slow = Axis::kZ, .fast = Axis::kX, .cut = {100000, -1, -1, -1}}}), "allowed: 0 to");
}

TEST("checkpoints: the complete state so far in every variant, and only the new keyframes") {
  for (const Stepping stepping : {Stepping::kPath, Stepping::kDepth}) {
    Problem p = small_beam();
    p.stepping = stepping;
    p.keyframes = 4;
    for (const std::string& id : able_variants(p)) {
      Problem of = p;
      of.variant = id;
      test::Run run(of);
      run.want_checkpoint(0);
      CHECK(!run.take_checkpoint().has_value());
      const engine::RunResult r = run.execute({});
      const auto at = run.take_checkpoint();
      CHECK(at.has_value());
      CHECK(at->cancelled);
      CHECK(at->steps >= 1 && at->steps <= r.steps);
      CHECK_EQ(at->number.size(), static_cast<std::size_t>(at->steps));
      CHECK_EQ(at->keyframes.front().step, 0);
      // The ledger rows equal those of the complete run, and the dose equals the deposited energy in the last of them.
      CHECK_EQ(at->number.back().in_flight, r.number[at->number.size() - 1].in_flight);
      const double dose = std::accumulate(at->dose.begin(), at->dose.end(), 0.0);
      CHECK_NEAR(dose, at->energy.back().deposited, 1e-5 * at->energy.back().in);
      CHECK_EQ(at->crossing.size(), r.crossing.size());
      CHECK(!run.take_checkpoint().has_value());

      test::Run again(of);
      again.want_checkpoint(1);
      again.execute({});
      const auto less = again.take_checkpoint();
      CHECK(less.has_value());
      CHECK_EQ(less->keyframes.size() + 1, at->keyframes.size());
    }
  }
}

TEST("live frames: none before the run, one after it, and otherwise only when a new one exists") {
  Problem p = small_beam();
  test::Run run(p);
  CHECK(!run.take_live().has_value());
  const engine::RunResult r = run.execute({});
  const auto live = run.take_live();
  CHECK(live.has_value());
  CHECK_EQ(live->marginals.step, r.steps);
  CHECK(live->dose == r.dose);
  CHECK(!run.take_live().has_value());
}

TEST("live frames: read from another thread during the run, in order and never torn") {
  Problem p = test::water_problem(40.0, {16, 18, 0.5, 0.4}, 0.3, 0.02);
  p.variant = "fused";
  p.precision = Precision::kFp32;
  p.threads = 2;
  test::Run run(p);
  std::atomic<bool> done{false};
  std::thread solving([&] {
    run.execute({});
    done = true;
  });
  int frames = 0, last = -1;
  while (!done) {
    if (const auto live = run.take_live()) {
      ++frames;
      CHECK(live->marginals.step >= last);
      last = live->marginals.step;
      CHECK_NEAR(total(live->marginals.zx), total(live->marginals.ez), 1e-5);
      CHECK_EQ(live->dose.size(), run.tables().plane());
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  solving.join();
  CHECK(frames >= 1);
}

TEST("run: spans have names, lanes and steps of this run, and do not overlap within a lane") {
  for (const std::string& id : able_variants(small_beam())) {
    Problem p = small_beam();
    p.variant = id;
    test::Run run(p);
    const engine::RunResult r = run.execute({});
    std::size_t spans = 0;
    for (const auto& lane : run.spans().lanes()) {
      double end = 0.0;
      for (const auto& s : lane.spans) {
        CHECK(s.name < run.spans().names().size());
        CHECK(s.step < static_cast<std::uint32_t>(r.steps) || s.step == engine::kNoStep);
        CHECK(s.start_ns >= end);
        CHECK(s.end_ns >= s.start_ns);
        end = s.end_ns;
        ++spans;
      }
    }
    CHECK(spans >= static_cast<std::size_t>(r.steps));
    CHECK_EQ(run.spans().lanes().size(), 2u);
  }
}

TEST("run: set-up before the steps and work after them have spans too, from the start of the run") {
  for (const std::string& id : able_variants(small_beam())) {
    Problem p = small_beam();
    p.variant = id;
    test::Run run(p);
    run.begin();
    const engine::RunResult r = run.execute({});
    const std::vector<std::string>& names = run.spans().names();
    std::vector<std::string> beside;
    double setup_ns = 0.0;
    for (const auto& s : run.spans().lanes()[0].spans) {
      if (s.step != engine::kNoStep) continue;
      beside.push_back(names[s.name]);
      if (beside.back() != "read back") setup_ns += s.end_ns - s.start_ns;
    }
    CHECK(beside == std::vector<std::string>({"tables", "state", "read back"}));
    CHECK(setup_ns <= r.setup_s * 1e9);
    CHECK(setup_ns > 0.0);
  }
}

TEST("run: the dose does not depend on the number of threads") {
  for (const std::string& id : able_variants(small_beam())) {
    Problem p = small_beam();
    p.variant = id;
    p.threads = 1;
    test::Run one(p);
    p.threads = 3;
    test::Run three(p);
    const engine::RunResult a = one.execute({});
    const engine::RunResult b = three.execute({});
    CHECK_EQ(a.threads, 1);
    CHECK_EQ(b.threads, 3);
    double worst = 0.0;
    for (std::size_t i = 0; i < a.dose.size(); ++i) worst = std::max(worst, std::abs(a.dose[i] - b.dose[i]));
    CHECK(worst <= 1e-13 * kEnergy);
  }
}

TEST("variants: each has a description, ids are unique, and the first is the reference") {
  std::vector<std::string> ids;
  for (const Variant& v : variants()) {
    ids.emplace_back(v.id);
    CHECK(std::string(v.title).size() > 2);
    CHECK(std::string(v.changes).size() > 10);
    CHECK(!v.precisions.empty());
    CHECK(!v.steppings.empty());
    CHECK(v.bytes_per_cell_step > 0.0);
    CHECK(v.flops_per_cell_step > 0.0);
    CHECK(std::string(v.source).starts_with("kernels/transport/"));
  }
  CHECK_EQ(ids.at(0), std::string("reference"));
  for (const Variant& v : variants()) {
    CHECK_EQ(std::ranges::count(ids, std::string(v.id)), 1);
    if (*v.builds_on != '\0') CHECK_EQ(std::ranges::count(ids, std::string(v.builds_on)), 1);
  }
}

TEST("variants: auto selects the fastest variant that the problem permits") {
  Problem p = small_beam();
  p.variant = "auto";
  for (const Stepping stepping : {Stepping::kPath, Stepping::kDepth}) {
    p.stepping = stepping;
    test::Run run(p);
    for (const std::string& id : able_variants(p)) {
      for (const Variant& v : variants()) {
        if (id == v.id) CHECK(v.speed_rank <= run.variant().speed_rank);
      }
    }
  }
}

TEST("variants: a rejected request names the field, the value and what is allowed") {
  const auto run = [](auto&& change) {
    Problem p = small_beam();
    change(p);
    test::Run r(p);
  };
  CHECK_THROWS(run([](Problem& p) { p.variant = "quick"; }),
               "solver.variant = quick: unknown; allowed: auto, reference");
  CHECK_THROWS(run([](Problem& p) {
                 p.variant = "reference";
                 p.precision = Precision::kFp32;
               }),
               "does not offer solver.precision = fp32");
  CHECK_THROWS(run([](Problem& p) {
                 p.variant = "window";
                 p.stepping = Stepping::kDepth;
               }),
               "does not offer solver.stepping = depth");
  CHECK_THROWS(run([](Problem& p) {
                 p.variant = "reference";
                 p.memory_limit = 1e6;
               }),
               "the limit is 977 KiB");
  try {
    run([](Problem& p) {
      p.variant = "gather";
      p.memory_limit = 1e6;
    });
  } catch (const ProblemError& error) {
    CHECK_EQ(error.code(), std::string("memory"));
  }
}

TEST("variants: the memory of a run exceeds the estimate by at most a tenth") {
  for (const std::string& id : able_variants(small_beam())) {
    Problem p = small_beam();
    p.variant = id;
    test::Run run(p);
    const double estimate = run.estimate_bytes();
    const engine::RunResult r = run.execute({});
    CHECK(r.state_bytes > 0.0);
    CHECK(r.cell_steps > 0.0);
    CHECK(r.state_bytes <= run.memory_bytes());
    if (id != "window" && id != "depth") CHECK(r.state_bytes <= 1.1 * estimate + 16e6);
  }
}
