#pragma once

#include <functional>

namespace bb::cpu {

/// Calls work(0) … work(tasks - 1) on all cores, for short work that prepares something, and returns when all are done.
/// Its threads live as long as the process. One caller at a time has them; another one meanwhile works alone. Denormals
/// are flushed to zero.
void on_all_cores(int tasks, const std::function<void(int)>& work);

}  // namespace bb::cpu
