#include "cuda/device/memory_cache.hpp"

#include <algorithm>
#include <cstdint>

#include "check.hpp"

using Cache = bb::cuda::MemoryCache<std::uint64_t>;

TEST("memory cache: sizes are rounded up by an eighth at most, and the same for sizes that are close") {
  for (std::size_t bytes = 1; bytes < (std::size_t{1} << 36); bytes = bytes * 5 / 3 + 1) {
    const std::size_t size = Cache::rounded(bytes);
    CHECK(size >= bytes);
    CHECK(size - bytes < std::max<std::size_t>(512, bytes / 8));
    CHECK_EQ(Cache::rounded(size), size);
  }
  CHECK_EQ(Cache::rounded(9'000'000'000), Cache::rounded(9'010'000'000));
}

TEST("memory cache: a kept block is handed out once, and for its size only") {
  Cache cache(10'000);
  std::uint64_t pointer = 0;
  CHECK(!cache.take(1024, pointer));
  CHECK(cache.keep(1024, 7));
  CHECK_EQ(cache.bytes(), std::size_t{1024});
  CHECK(!cache.take(2048, pointer));
  CHECK(cache.take(1024, pointer));
  CHECK_EQ(pointer, std::uint64_t{7});
  CHECK(!cache.take(1024, pointer));
  CHECK_EQ(cache.bytes(), std::size_t{0});
}

TEST("memory cache: keeps no more than its limit, and gives all back when asked") {
  Cache cache(4096);
  CHECK(cache.keep(2048, 1));
  CHECK(cache.keep(2048, 2));
  CHECK(!cache.keep(512, 3));
  CHECK_EQ(cache.drain().size(), std::size_t{2});
  CHECK_EQ(cache.bytes(), std::size_t{0});
  CHECK(cache.keep(512, 3));
}
