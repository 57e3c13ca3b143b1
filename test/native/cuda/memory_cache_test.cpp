#include "cuda/device/device.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "check.hpp"

using Cache = bb::cuda::MemoryCache<std::uint64_t>;

TEST("memory cache: sizes are rounded up by at most an eighth, so that close sizes become equal") {
  for (std::size_t bytes = 1; bytes < (std::size_t{1} << 36); bytes = bytes * 5 / 3 + 1) {
    const std::size_t size = Cache::rounded(bytes);
    CHECK(size >= bytes);
    CHECK(size - bytes < std::max<std::size_t>(512, bytes / 8));
    CHECK_EQ(Cache::rounded(size), size);
  }
  CHECK_EQ(Cache::rounded(9'000'000'000), Cache::rounded(9'010'000'000));
}

TEST("memory cache: a cached block is used once, for a request that fits and needs at least half of it") {
  Cache cache(10'000);
  std::uint64_t pointer = 0;
  CHECK_EQ(cache.take(1000, pointer), std::size_t{0});
  CHECK(cache.keep(1000, 7).empty());
  CHECK_EQ(cache.bytes(), std::size_t{1000});
  CHECK_EQ(cache.take(1001, pointer), std::size_t{0});
  CHECK_EQ(cache.take(499, pointer), std::size_t{0});
  CHECK_EQ(cache.take(500, pointer), std::size_t{1000});
  CHECK_EQ(pointer, std::uint64_t{7});
  CHECK_EQ(cache.take(500, pointer), std::size_t{0});
  CHECK_EQ(cache.bytes(), std::size_t{0});
}

TEST("memory cache: the smallest block that fits is used") {
  Cache cache(10'000);
  for (const std::uint64_t size : {1500, 1100, 1900}) CHECK(cache.keep(size, size).empty());
  std::uint64_t pointer = 0;
  CHECK_EQ(cache.take(1000, pointer), std::size_t{1100});
  CHECK_EQ(cache.take(1000, pointer), std::size_t{1500});
  CHECK_EQ(pointer, std::uint64_t{1500});
}

TEST("memory cache: stores at most its limit, and frees everything on request") {
  Cache cache(4096);
  CHECK(cache.keep(2048, 1).empty());
  CHECK(cache.keep(2048, 2).empty());
  CHECK_EQ(cache.drain().size(), std::size_t{2});
  CHECK_EQ(cache.bytes(), std::size_t{0});
  CHECK(cache.keep(512, 3).empty());
}

TEST("memory cache: the oldest block is dropped first, and one larger than the limit is not cached") {
  Cache cache(4096);
  CHECK(cache.keep(1024, 1).empty());
  CHECK(cache.keep(2048, 2).empty());
  CHECK(cache.keep(1024, 3).empty());
  CHECK_EQ(cache.keep(2048, 4), (std::vector<std::uint64_t>{1, 2}));
  CHECK_EQ(cache.bytes(), std::size_t{3072});
  CHECK_EQ(cache.keep(5000, 5), std::vector<std::uint64_t>{5});
  std::uint64_t pointer = 0;
  CHECK_EQ(cache.take(1024, pointer), std::size_t{1024});
  CHECK_EQ(pointer, std::uint64_t{3});
}
