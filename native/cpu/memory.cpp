#include "memory.hpp"

#include <array>
#include <cstdint>
#include <cstdio>
#include <string>

#ifdef _WIN32
#include <windows.h>
// must be included after windows.h
#include <psapi.h>
#elif defined(__linux__)
#include <sys/resource.h>

#include <fstream>
#endif

#if defined(__linux__)
#include <sys/mman.h>
#endif

#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace bb::cpu {

std::string bytes_text(double bytes) {
  constexpr std::array kPrefixes = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  std::size_t step = 0;
  for (; bytes >= 1024.0 && step + 1 < kPrefixes.size(); ++step) bytes /= 1024.0;
  const int digits = step == 0 || bytes >= 100.0 ? 0 : bytes >= 10.0 ? 1 : 2;
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.*f %s", digits, bytes, kPrefixes[step]);
  return text.data();
}

#ifdef _WIN32

bool limit_memory(std::uint64_t bytes) {
  PROCESS_MEMORY_COUNTERS now{};
  if (!K32GetProcessMemoryInfo(GetCurrentProcess(), &now, sizeof now)) return false;
  JOBOBJECT_EXTENDED_LIMIT_INFORMATION limit{};
  limit.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_PROCESS_MEMORY;
  limit.ProcessMemoryLimit = now.PagefileUsage + static_cast<SIZE_T>(bytes);
  const HANDLE job = CreateJobObjectW(nullptr, nullptr);  // lives until the process ends
  return job != nullptr && SetInformationJobObject(job, JobObjectExtendedLimitInformation, &limit, sizeof limit) &&
         AssignProcessToJobObject(job, GetCurrentProcess());
}

#elif defined(__linux__)

bool limit_memory(std::uint64_t bytes) {
  std::ifstream status("/proc/self/status");
  std::uint64_t now_kB = 0;
  for (std::string word; status >> word;) {
    if (word == "VmData:") status >> now_kB;
  }
  rlimit limit{};
  if (now_kB == 0 || getrlimit(RLIMIT_DATA, &limit) != 0) return false;
  limit.rlim_cur = now_kB * 1024 + bytes;
  if (limit.rlim_max != RLIM_INFINITY && limit.rlim_cur > limit.rlim_max) limit.rlim_cur = limit.rlim_max;
  return setrlimit(RLIMIT_DATA, &limit) == 0;
}

#else

bool limit_memory(std::uint64_t) { return false; }

#endif

void prefer_large_pages(std::span<std::byte> memory) noexcept {
#if defined(__linux__)
  constexpr std::uintptr_t kPage = 4096;
  constexpr std::size_t kLarge = std::size_t{2} << 20;
  if (memory.size() < 2 * kLarge) return;
  const auto begin = (reinterpret_cast<std::uintptr_t>(memory.data()) + kPage - 1) / kPage * kPage;
  const auto end = (reinterpret_cast<std::uintptr_t>(memory.data()) + memory.size()) / kPage * kPage;
  madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);  // if the call fails, nothing changes
#else
  static_cast<void>(memory);
#endif
}

void return_freed_memory() noexcept {
#if defined(__GLIBC__)
  malloc_trim(0);
#endif
}

}  // namespace bb::cpu
