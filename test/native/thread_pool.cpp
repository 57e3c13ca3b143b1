#include <algorithm>
#include <atomic>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <vector>

#if defined(__linux__)
#include <sched.h>
#endif

#include "check.hpp"
#include "cpu/host.hpp"
#include "cpu/memory.hpp"
#include "cpu/thread_pool.hpp"

using bb::cpu::ThreadPool;

TEST("thread pool: every task runs exactly once, on a lane of the pool") {
  for (const int threads : {1, 2, 5}) {
    ThreadPool pool(threads);
    CHECK_EQ(pool.lanes(), threads);
    for (const int tasks : {0, 1, 2, 7, 1000}) {
      std::vector<std::atomic<int>> count(static_cast<std::size_t>(tasks));
      std::atomic<bool> lanes_right{true};
      pool.run(tasks, [&](int task, int lane) {
        ++count[static_cast<std::size_t>(task)];
        if (lane < 0 || lane >= threads) lanes_right = false;
      });
      bool once = true;
      for (const auto& c : count) once = once && c == 1;
      CHECK(once);
      CHECK(lanes_right);
    }
  }
}

#if defined(__linux__)
TEST("usable cores: only the cores to which the process is restricted") {
  cpu_set_t before;
  CHECK_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  CHECK_EQ(bb::cpu::usable_cores(), CPU_COUNT(&before));
  cpu_set_t first;
  CPU_ZERO(&first);
  for (int core = 0; core < CPU_SETSIZE && CPU_COUNT(&first) == 0; ++core) {
    if (CPU_ISSET(core, &before)) CPU_SET(core, &first);
  }
  CHECK_EQ(sched_setaffinity(0, sizeof first, &first), 0);
  const int limited = bb::cpu::usable_cores();
  CHECK_EQ(sched_setaffinity(0, sizeof before, &before), 0);
  CHECK_EQ(limited, 1);
}
#endif

TEST("thread pool: two tasks on one lane never overlap, and plain writes are visible after run") {
  ThreadPool pool(4);
  std::vector<long> per_lane(4, 0);
  long expected = 0;
  for (int job = 0; job < 2000; ++job) {
    pool.run(5, [&](int task, int lane) { per_lane[static_cast<std::size_t>(lane)] += task + 1; });
    expected += 15;
  }
  CHECK_EQ(std::accumulate(per_lane.begin(), per_lane.end(), 0L), expected);
}

TEST("thread pool: the first exception reaches the caller, and the pool continues") {
  ThreadPool pool(3);
  int ended_early = 0;
  for (int round = 0; round < 50; ++round) {
    std::atomic<int> ran{0};
    CHECK_THROWS(pool.run(10000,
                          [&](int task, int) {
                            ++ran;
                            if (task == 3) throw std::runtime_error("task 3 failed");
                          }),
                 "task 3 failed");
    if (ran < 10000) ++ended_early;
  }
  // Other lanes may finish all tasks while the throwing lane waits for a core, but this does not happen in every
  // attempt.
  CHECK(ended_early > 0);
  std::atomic<int> ran{0};
  pool.run(100, [&](int, int) { ++ran; });
  CHECK_EQ(ran.load(), 100);
}

TEST("thread pool: denormals are flushed in tasks and only there") {
  const volatile float small = std::numeric_limits<float>::min();
  const auto half = [&] { return small * 0.5f; };
  CHECK(half() > 0.0f);
  ThreadPool pool(3);
  std::atomic<int> kept{0};
  pool.run(64, [&](int, int) {
    if (half() > 0.0f) ++kept;
  });
#if defined(__x86_64__) || defined(_M_X64) || (defined(__aarch64__) && defined(__GNUC__))
  CHECK_EQ(kept.load(), 0);
#endif
  CHECK(half() > 0.0f);
}

TEST("thread pool: a watcher is notified of each active lane once per job, from its first task to its last") {
  for (const int threads : {1, 3}) {
    ThreadPool pool(threads);
    std::vector<int> jobs(static_cast<std::size_t>(threads), 0);
    std::atomic<bool> forward{true};
    pool.watch([&](int lane, ThreadPool::Clock::time_point start, ThreadPool::Clock::time_point end) {
      ++jobs[static_cast<std::size_t>(lane)];
      if (end < start) forward = false;
    });
    pool.run(100, [](int, int) {});
    const int heard = std::accumulate(jobs.begin(), jobs.end(), 0);
    CHECK(heard >= 1 && heard <= threads && *std::ranges::max_element(jobs) == 1);
    CHECK(forward);
    pool.watch({});
    pool.run(100, [](int, int) {});
    CHECK_EQ(std::accumulate(jobs.begin(), jobs.end(), 0), heard);
  }
}

using namespace bb;

TEST("all cores: every task runs once, even with several concurrent callers") {
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

TEST("all cores: an exception in a task is passed on, and the next caller can use the cores") {
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

TEST("memory: sizes have three digits and binary prefixes, as on the page") {
  CHECK_EQ(bb::cpu::bytes_text(12.0), "12 B");
  CHECK_EQ(bb::cpu::bytes_text(1000.0), "1000 B");
  CHECK_EQ(bb::cpu::bytes_text(1024.0), "1.00 KiB");
  CHECK_EQ(bb::cpu::bytes_text(640.0 * 1024.0 * 1024.0), "640 MiB");
  CHECK_EQ(bb::cpu::bytes_text(21.1e9), "19.7 GiB");  // 21.1e9 / 2^30 = 19.65
  CHECK_EQ(bb::cpu::bytes_text(1e18), "888 PiB");     // 1e18 / 2^50 = 888.2
}
