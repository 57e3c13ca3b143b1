// Tests a run whose device fails midway. The device then stays unusable for this process.

#include <cstdio>
#include <numeric>

#include "../../kernels/held_run.hpp"
#include "../../kernels/problems.hpp"
#include "check.hpp"
#include "faulty_kernel.hpp"
#include "transport/run/run.hpp"

namespace bb::test {

TEST("GPU: a run whose device fails keeps the completed steps, and the next run reports the lost device") {
  transport::Problem p = water_problem(120.0, {2.0, 60.0, 0.5, 0.2}, 0.3, 0.1);  // 300 steps until all have left
  p.filled = true;
  p.max_steps = 1000;
  p.stop_weight = 0.0;
  p.keyframes = 50;
  p.variant = "cuda-gather";
  test::Run run(p);
  cuda::Stream stream(gpu());
  std::unique_ptr<cuda::Module> broken;
  const engine::RunResult r = run.execute(
      [&](const engine::Progress& progress) {
        if (progress.step < 20 || broken) return;
        broken = launch_fault(stream);
      },
      {.keep_every_s = 0.0});
  CHECK(broken != nullptr);
  CHECK(r.failure.has_value());
  if (!r.failure) return;
  std::printf("    %d steps kept; %s\n", r.steps, r.failure->message.c_str());
  CHECK_EQ(r.failure->code, std::string("device"));
  CHECK(r.failure->message.find("CUDA_ERROR_ILLEGAL_ADDRESS") != std::string::npos);
  CHECK(r.failure->message.find("gather_") != std::string::npos);  // a kernel of the run's own stream
  CHECK(r.steps >= 20 && r.steps < 250);
  CHECK_EQ(r.number.size(), static_cast<std::size_t>(r.steps));
  CHECK(r.energy.back().rel_error <= 1e-6);
  CHECK_REL(std::accumulate(r.dose.begin(), r.dose.end(), 0.0), r.energy.back().deposited, 1e-6);
  CHECK(r.keyframes.size() > 1);

  transport::Problem again = p;
  CHECK_THROWS(test::Run(again), "lost until the program is restarted");
  again.variant = "auto";  // the process still works, on the CPU
  again.max_steps = 2;
  CHECK_EQ(test::Run(again).execute({}).steps, 2);
}

}  // namespace bb::test
