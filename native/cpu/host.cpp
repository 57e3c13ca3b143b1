#include "host.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <numeric>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "build_config.hpp"
#include "stopwatch.hpp"
#include "thread_pool.hpp"

#if defined(_WIN32)
#include <windows.h>
#else
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>
#endif

#if defined(__linux__)
#include <sched.h>
#include <sys/syscall.h>
#endif

#if defined(__APPLE__)
#include <pthread.h>
#include <sys/sysctl.h>
#endif

#if defined(_MSC_VER) && (defined(_M_X64) || defined(_M_IX86))
#include <intrin.h>
#endif

#if defined(__linux__)
#include <unistd.h>
#endif

namespace bb::cpu {
namespace {

bool runs(std::string_view name) {
#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
  if (name == "avx512") {
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("fma");
  }
  if (name == "avx2")
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
  return true;
#elif defined(_MSC_VER) && defined(_M_X64)
  int r[4];
  __cpuidex(r, 7, 0);
  const bool avx2 = (r[1] & (1 << 5)) != 0;
  const bool avx512 = (r[1] & (1 << 16)) != 0 && (r[1] & (1 << 30)) != 0 && (r[1] & (1 << 31)) != 0;
  __cpuid(r, 1);
  const bool os_saves = (r[2] & (1 << 27)) != 0;
  const unsigned long long xcr = os_saves ? _xgetbv(0) : 0;
  if (name == "avx512") return avx512 && (xcr & 0xE6) == 0xE6;
  if (name == "avx2") return avx2 && (xcr & 0x6) == 0x6;
  return true;
#else
  (void)name;
  return true;
#endif
}

}  // namespace

std::vector<std::string> compiled_instruction_sets() {
  std::vector<std::string> out;
  std::string_view names = BB_ISA_NAMES;
  while (!names.empty()) {
    const std::size_t comma = names.find(',');
    out.emplace_back(names.substr(0, comma));
    names = comma == std::string_view::npos ? std::string_view{} : names.substr(comma + 1);
  }
  return out;
}

int instruction_set() {
  static const int chosen = [] {
    const std::vector<std::string> sets = compiled_instruction_sets();
    int best = -1;
    for (int i = 0; i < static_cast<int>(sets.size()); ++i) {
      if (runs(sets[static_cast<std::size_t>(i)])) best = i;
    }
    if (const char* wanted = std::getenv("BRAGGBENCH_ISA")) {
      for (int i = 0; i < static_cast<int>(sets.size()); ++i) {
        if (sets[static_cast<std::size_t>(i)] == wanted && runs(wanted)) best = i;
      }
    }
    if (best < 0) {
      throw std::runtime_error(std::string("its loops are compiled for ") + BB_ISA_NAMES +
                               ", which this processor does not support.  Run `npm run build` on this machine, or once "
                               "with BRAGGBENCH_EVERY_MACHINE=1 for every machine that shares this folder");
    }
    return best;
  }();
  return chosen;
}

std::string instruction_set_name() { return compiled_instruction_sets()[static_cast<std::size_t>(instruction_set())]; }

std::string processor_name() {
#if defined(__APPLE__)
  char name[256] = {};
  std::size_t size = sizeof(name);
  if (sysctlbyname("machdep.cpu.brand_string", name, &size, nullptr, 0) == 0) return name;
#elif defined(_WIN32)
  char name[256] = {};
  DWORD size = sizeof(name);
  if (RegGetValueA(HKEY_LOCAL_MACHINE, "HARDWARE\\DESCRIPTION\\System\\CentralProcessor\\0", "ProcessorNameString",
                   RRF_RT_REG_SZ, nullptr, name, &size) == ERROR_SUCCESS) {
    return name;
  }
#else
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (line.starts_with("model name")) {
      const std::size_t colon = line.find(':');
      if (colon != std::string::npos && colon + 2 <= line.size()) return line.substr(colon + 2);
    }
  }
#endif
  return "unknown processor";
}

double memory_bytes() {
#if defined(_WIN32)
  MEMORYSTATUSEX status{};
  status.dwLength = sizeof(status);
  return GlobalMemoryStatusEx(&status) ? static_cast<double>(status.ullTotalPhys) : 0.0;
#else
  return static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
#endif
}

int usable_cores() {
  int cores = static_cast<int>(std::thread::hardware_concurrency());
#if defined(__linux__)
  // On some systems the standard library counts all cores of the machine, so ask for the affinity mask of this process.
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) cores = CPU_COUNT(&set);
#endif
  return std::max(1, cores);
}

std::string operating_system() {
#if defined(_WIN32)
  return "Windows";
#else
  utsname name{};
  return uname(&name) == 0 ? std::string(name.sysname) + " " + name.release : "unknown";
#endif
}

void lower_thread_priority() {
#if defined(_WIN32)
  SetThreadPriority(GetCurrentThread(), THREAD_PRIORITY_BELOW_NORMAL);
#elif defined(__APPLE__)
  pthread_set_qos_class_self_np(QOS_CLASS_UTILITY, 0);
#elif defined(__linux__)
  // On Linux, niceness belongs to a thread and is inherited by the threads that it starts. At a niceness of five, a
  // thread gets a third of the event loop's share when both compete for one core.
  constexpr int kNiceness = 5;
  static_cast<void>(setpriority(PRIO_PROCESS, static_cast<id_t>(syscall(SYS_gettid)), kNiceness));
#endif
}

namespace {

// Default if the system reports no size: larger than the last-level cache of a desktop processor.
constexpr std::size_t kUsual_bytes = std::size_t{32} << 20;
// Other programs share the cache of a server, and writing a buffer of its full size would take longer than the run.
constexpr std::size_t kMax_bytes = std::size_t{256} << 20;

/// Sums words in several independent chains, which hide latency.
std::uint64_t sum_of(const std::uint64_t* words, std::size_t count) {
  std::uint64_t sums[8] = {};
  for (std::size_t i = 0; i + 8 <= count; i += 8) {
    for (std::size_t c = 0; c < 8; ++c) sums[c] += words[i + c];
  }
  return std::accumulate(std::begin(sums), std::end(sums), std::uint64_t{0});
}

}  // namespace

std::size_t last_level_bytes() {
#if defined(_SC_LEVEL3_CACHE_SIZE)
  if (const long size = sysconf(_SC_LEVEL3_CACHE_SIZE); size > 0) return static_cast<std::size_t>(size);
#endif
  return kUsual_bytes;
}

double memory_read_rate() {
  constexpr int kPasses = 5;
  ThreadPool pool(thread_count(0));
  const auto lanes = static_cast<std::size_t>(pool.lanes());
  const std::size_t each = std::min(4 * last_level_bytes(), 4 * kMax_bytes) / sizeof(std::uint64_t) / lanes;
  std::vector<std::vector<std::uint64_t>> words(lanes);
  std::vector<std::uint64_t> sums(lanes);
  // Each thread first touches the memory that it will read, so that the system allocates it near that thread.
  pool.run(pool.lanes(), [&](int task, int) { words[static_cast<std::size_t>(task)].assign(each, 1); });
  double fastest = 0;
  for (int pass = 0; pass < kPasses; ++pass) {
    const Clock::time_point start = Clock::now();
    pool.run(pool.lanes(), [&](int task, int) {
      const auto i = static_cast<std::size_t>(task);
      sums[i] += sum_of(words[i].data(), each);
    });
    fastest = std::max(fastest, static_cast<double>(lanes * each * sizeof(std::uint64_t)) / seconds_since(start));
  }
  // Uses the sums, so that the compiler cannot remove them.
  if (std::ranges::any_of(sums, [](std::uint64_t sum) { return sum == 0; })) return 0;
  return fastest;
}

void empty_caches() {
  static const std::size_t bytes = std::min(2 * last_level_bytes(), kMax_bytes);
  constexpr std::size_t kLine = 64;
  std::vector<unsigned char> buffer(bytes);
  volatile unsigned char* line = buffer.data();
  for (std::size_t i = 0; i < bytes; i += kLine) line[i] = 1;
}

}  // namespace bb::cpu
