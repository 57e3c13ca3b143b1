#pragma once

#include <cstddef>

namespace bb::cpu {

/// Bytes of the last-level cache of one socket or group of cores.
std::size_t last_level_bytes();

/// Bytes per second that one thread a core reads from memory, the fastest of some passes over more than the caches hold.
double memory_read_rate();

/// Writes a buffer of twice the last-level cache, so that what is read next comes from memory.
void empty_caches();

}  // namespace bb::cpu
