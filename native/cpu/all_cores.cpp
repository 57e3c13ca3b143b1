#include "all_cores.hpp"

#include <memory>
#include <mutex>

#include "denormals.hpp"
#include "thread_pool.hpp"

namespace bb::cpu {

void on_all_cores(int tasks, const std::function<void(int)>& work) {
  struct Shared {
    std::mutex mutex;
    ThreadPool pool{thread_count(0)};
  };
  // Never destroyed: at exit its threads may be gone before it.
  static auto* const shared = std::make_unique<Shared>().release();
  const std::unique_lock lock(shared->mutex, std::try_to_lock);
  if (lock.owns_lock()) {
    shared->pool.run(tasks, [&](int task, int) { work(task); });
    return;
  }
  const FlushDenormals flush;
  for (int task = 0; task < tasks; ++task) work(task);
}

}  // namespace bb::cpu
