#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace bb::cpu {

/// Limits this process to `bytes` more memory than it has now, for the rest of its life; larger allocations fail.
/// Returns false if the system has no such limit (macOS). The limit counts private writable memory (RLIMIT_DATA, a job
/// object). It does not count address space, because JavaScript engines and GPU drivers reserve terabytes of it.
bool limit_memory(std::uint64_t bytes);

/// Requests pages of two megabytes for memory that is about to be written for the first time. They cause five hundred
/// times fewer page faults. Does nothing on systems without that option.
void prefer_large_pages(std::span<std::byte> memory) noexcept;

/// Returns freed memory to the system. Needed because the allocator retains the freed blocks of ended threads. Takes
/// about a millisecond. Does nothing if the allocator returns memory by itself.
void return_freed_memory() noexcept;

/// Size with three significant digits and binary prefixes: "1.25 GiB", "640 MiB", "12 B". The same as formatBytes() in
/// electron/domain/values/units.ts.
std::string bytes_text(double bytes);

}  // namespace bb::cpu
