#include "thread_pool.hpp"

#include <algorithm>
#include <memory>
#include <mutex>

#include "denormals.hpp"
#include "host.hpp"

namespace bb::cpu {
namespace {

// Number of times that an idle worker checks for a new job before it sleeps. Passes of one step follow each other
// within microseconds, but waking takes tens of microseconds.
constexpr int kSpins = 200;

}  // namespace

int thread_count(int wanted) {
  // Cached, because every query reads a system file, which takes as long as solving a layer by moments.
  static const int all = usable_cores();
  return wanted > 0 ? std::min(wanted, 4 * all) : all;
}

ThreadPool::ThreadPool(int threads) {
  for (int lane = 1; lane < threads; ++lane) workers_.emplace_back([this, lane] { worker_loop(lane); });
}

ThreadPool::~ThreadPool() {
  {
    const std::scoped_lock lock(mutex_);
    leaving_ = true;
    epoch_.fetch_add(1, std::memory_order_release);
  }
  wake_.notify_all();
  for (std::thread& w : workers_) w.join();
}

void ThreadPool::run(int tasks, const std::function<void(int, int)>& work) {
  if (tasks <= 0) return;
  const FlushDenormals flush;
  if (workers_.empty() || tasks == 1) {
    const Clock::time_point start = watcher_ ? Clock::now() : Clock::time_point();
    for (int i = 0; i < tasks; ++i) work(i, 0);
    if (watcher_) watcher_(0, start, Clock::now());
    return;
  }
  {
    const std::scoped_lock lock(mutex_);
    work_ = &work;
    tasks_ = tasks;
    next_.store(0, std::memory_order_relaxed);
    failure_ = nullptr;
    open_ = true;
    epoch_.fetch_add(1, std::memory_order_release);
  }
  wake_.notify_all();
  run_watched_tasks(0);

  // Workers that have not joined the job by now are left out. No thread then waits for a worker that the system has not
  // scheduled.
  std::unique_lock lock(mutex_);
  open_ = false;
  idle_.wait(lock, [this] { return active_ == 0; });
  work_ = nullptr;
  if (failure_) std::rethrow_exception(failure_);
}

void ThreadPool::worker_loop(int lane) {
  const FlushDenormals flush;
  std::uint64_t seen = 0;
  for (;;) {
    for (int i = 0; i < kSpins && epoch_.load(std::memory_order_acquire) == seen; ++i) std::this_thread::yield();
    std::unique_lock lock(mutex_);
    wake_.wait(lock, [&] { return epoch_.load(std::memory_order_relaxed) != seen; });
    seen = epoch_.load(std::memory_order_relaxed);
    if (leaving_) return;
    if (!open_) continue;
    ++active_;
    lock.unlock();
    run_watched_tasks(lane);
    lock.lock();
    if (--active_ == 0) idle_.notify_one();
  }
}

void ThreadPool::run_watched_tasks(int lane) {
  if (!watcher_) {
    run_tasks(lane);
    return;
  }
  const Clock::time_point start = Clock::now();
  if (run_tasks(lane) > 0) watcher_(lane, start, Clock::now());
}

int ThreadPool::run_tasks(int lane) {
  int taken = 0;
  for (int i = next_.fetch_add(1, std::memory_order_relaxed); i < tasks_;
       i = next_.fetch_add(1, std::memory_order_relaxed)) {
    ++taken;
    try {
      (*work_)(i, lane);
    } catch (...) {
      const std::scoped_lock lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
      next_.store(tasks_, std::memory_order_relaxed);
    }
  }
  return taken;
}

void on_all_cores(int tasks, const std::function<void(int)>& work) {
  struct SharedPool {
    std::mutex mutex;
    ThreadPool pool{thread_count(0)};
  };
  // Never destroyed, because at exit its threads may end before its destructor runs.
  static auto* const shared = std::make_unique<SharedPool>().release();
  const std::unique_lock lock(shared->mutex, std::try_to_lock);
  if (lock.owns_lock()) {
    shared->pool.run(tasks, [&](int task, int) { work(task); });
    return;
  }
  const FlushDenormals flush;
  for (int task = 0; task < tasks; ++task) work(task);
}

}  // namespace bb::cpu
