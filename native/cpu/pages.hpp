#pragma once

#include <cstddef>
#include <span>

namespace bb::cpu {

/// Asks for pages of two megabytes under memory that is about to be written for the first time: five hundred times fewer
/// page faults. Where the system does not know the wish, nothing happens.
void prefer_large_pages(std::span<std::byte> memory) noexcept;

/// Gives what was freed back to the system: a thread that has ended leaves its freed blocks with the allocator. Takes
/// about a millisecond; where the allocator does so by itself, nothing happens.
void give_back_freed() noexcept;

}  // namespace bb::cpu
