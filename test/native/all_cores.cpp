#include "cpu/all_cores.hpp"

#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

#include "check.hpp"

using namespace bb;

TEST("all cores: every task is done once, also where several callers ask at the same time") {
  constexpr int kTasks = 500, kCallers = 4;
  std::vector<std::vector<std::atomic<int>>> seen;
  for (int i = 0; i < kCallers; ++i) seen.emplace_back(kTasks);
  std::vector<std::thread> callers;
  for (int i = 0; i < kCallers; ++i) {
    callers.emplace_back([&seen, i] {
      for (int round = 0; round < 20; ++round) {
        cpu::on_all_cores(kTasks,
                          [&](int task) { ++seen[static_cast<std::size_t>(i)][static_cast<std::size_t>(task)]; });
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  bool once = true;
  for (const auto& tasks : seen) {
    for (const std::atomic<int>& count : tasks) once = once && count == 20;
  }
  CHECK(once);
}

TEST("all cores: an exception of a task leaves, and the next caller finds them ready") {
  bool thrown = false;
  try {
    cpu::on_all_cores(8, [](int task) {
      if (task == 3) throw std::runtime_error("three");
    });
  } catch (const std::runtime_error&) {
    thrown = true;
  }
  CHECK(thrown);
  std::atomic<int> count{0};
  cpu::on_all_cores(8, [&](int) { ++count; });
  CHECK_EQ(count.load(), 8);
}
