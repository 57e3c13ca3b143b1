#pragma once

#include <cstdint>

namespace bb::cpu {

/// Lets this process take at most `bytes` more memory than it has now, for the rest of its life: allocations beyond
/// fail. False where the system has no such limit (macOS). It counts private memory that can be written (RLIMIT_DATA,
/// a job object), not address space. That JavaScript engines and GPU drivers reserve by the terabyte.
bool limit_memory(std::uint64_t bytes);

}  // namespace bb::cpu
