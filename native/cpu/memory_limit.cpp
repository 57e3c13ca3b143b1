#include "memory_limit.hpp"

#ifdef _WIN32
#include <windows.h>
// after windows.h
#include <psapi.h>
#elif defined(__linux__)
#include <sys/resource.h>

#include <fstream>
#include <string>
#endif

namespace bb::cpu {

#ifdef _WIN32

bool limit_memory(std::uint64_t bytes) {
  PROCESS_MEMORY_COUNTERS now{};
  if (!K32GetProcessMemoryInfo(GetCurrentProcess(), &now, sizeof now)) return false;
  JOBOBJECT_EXTENDED_LIMIT_INFORMATION limit{};
  limit.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_PROCESS_MEMORY;
  limit.ProcessMemoryLimit = now.PagefileUsage + static_cast<SIZE_T>(bytes);
  const HANDLE job = CreateJobObjectW(nullptr, nullptr);  // belongs to the process, which ends with it
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

}  // namespace bb::cpu
