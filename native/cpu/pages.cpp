#include "pages.hpp"

#include <cstdint>

#if defined(__linux__)
#include <sys/mman.h>
#endif
#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace bb::cpu {

void prefer_large_pages(std::span<std::byte> memory) noexcept {
#if defined(__linux__)
  constexpr std::uintptr_t kPage = 4096;
  constexpr std::size_t kLarge = std::size_t{2} << 20;
  if (memory.size() < 2 * kLarge) return;
  const auto begin = (reinterpret_cast<std::uintptr_t>(memory.data()) + kPage - 1) / kPage * kPage;
  const auto end = (reinterpret_cast<std::uintptr_t>(memory.data()) + memory.size()) / kPage * kPage;
  madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);  // a refusal changes nothing
#else
  static_cast<void>(memory);
#endif
}

void give_back_freed() noexcept {
#if defined(__GLIBC__)
  malloc_trim(0);
#endif
}

}  // namespace bb::cpu
