#pragma once

namespace bb::cpu {

/// Writes a buffer of twice the last-level cache, so that what is read next comes from memory.
void empty_caches();

}  // namespace bb::cpu
