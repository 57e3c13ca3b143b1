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

/// Number of lanes for a run: `wanted`, but at most four per core. If `wanted` is 0, one per core.
int thread_count(int wanted);

/// Threads that live as long as a run. Lane 0 is the thread that calls `run`; the pool's threads are lanes 1 ….
/// Denormals are flushed to zero while tasks run.
class ThreadPool {
 public:
  using Clock = std::chrono::steady_clock;

  /// `threads` is the total number of lanes, at least one.
  explicit ThreadPool(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int lanes() const { return static_cast<int>(workers_.size()) + 1; }

  /// Calls `work(task, lane)` once for every task 0 … tasks-1 and returns when all are finished. Tasks start in order,
  /// on any lane. The first exception prevents further tasks and is rethrown here. Only one caller at a time.
  void run(int tasks, const std::function<void(int task, int lane)>& work);

  /// Called by each lane of a job, on its own thread, with the start of its first task and the end of its last. May be
  /// empty. Must only be set between jobs.
  using Watcher = std::function<void(int lane, Clock::time_point start, Clock::time_point end)>;
  void watch(Watcher watcher) { watcher_ = std::move(watcher); }

 private:
  void worker_loop(int lane);
  void run_watched_tasks(int lane);
  /// Runs tasks on the lane until none are left; returns their number.
  int run_tasks(int lane);

  std::mutex mutex_;
  std::condition_variable wake_, idle_;
  std::atomic<std::uint64_t> epoch_{0};  // number of the job; changes under the mutex
  bool open_ = false;                    // true while workers may join the job
  bool leaving_ = false;
  int active_ = 0;  // number of workers inside the job

  // The current job. work_, tasks_ and watcher_ change only between jobs. Workers update next_ and failure_.
  const std::function<void(int, int)>* work_ = nullptr;
  int tasks_ = 0;
  std::atomic<int> next_{0};
  std::exception_ptr failure_;
  Watcher watcher_;

  std::vector<std::thread> workers_;
};

/// Calls work(0) … work(tasks - 1) on all cores, for short preparations, and returns when all are finished. The threads
/// live as long as the process. If another caller uses them, the calling thread works alone. Denormals are flushed to
/// zero.
void on_all_cores(int tasks, const std::function<void(int)>& work);

}  // namespace bb::cpu
