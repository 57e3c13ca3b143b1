#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace bb::cpu {

/// Lanes for a run: `wanted` of them, at most four a core; one a core for 0.
int thread_count(int wanted);

/// Threads that live as long as a run. Lane 0 is the thread that calls `run`, lanes 1 … are the
/// pool's own. Denormals are flushed to zero while tasks run.
class ThreadPool {
 public:
  using Clock = std::chrono::steady_clock;

  /// `threads` lanes in all, at least one.
  explicit ThreadPool(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int lanes() const { return static_cast<int>(workers_.size()) + 1; }

  /// Calls `work(task, lane)` once for every task 0 … tasks-1 and returns when all are done. Tasks
  /// start in order; which lane gets which is not fixed. The first exception stops the hand-out of
  /// further tasks and is thrown here. One caller at a time.
  void run(int tasks, const std::function<void(int task, int lane)>& work);

  /// Called by each lane that took part in a job, on its thread, with the time from its first task to its last. Empty:
  /// no callback. Set between jobs only.
  using Watcher = std::function<void(int lane, Clock::time_point start, Clock::time_point end)>;
  void watch(Watcher watcher) { watcher_ = std::move(watcher); }

 private:
  void work_as(int lane);
  void take_tasks(int lane);
  /// Hands out tasks to the lane until there are none; how many it had.
  int tasks_of(int lane);

  std::mutex mutex_;
  std::condition_variable wake_, idle_;
  std::atomic<std::uint64_t> epoch_{0};  // counts jobs; changes under the mutex
  bool open_ = false;                    // the job may still be joined
  bool leaving_ = false;
  int active_ = 0;  // workers inside the job

  // The job: written while no worker is inside it.
  const std::function<void(int, int)>* work_ = nullptr;
  int tasks_ = 0;
  std::atomic<int> next_{0};
  std::exception_ptr failure_;
  Watcher watcher_;

  std::vector<std::thread> workers_;
};

}  // namespace bb::cpu
