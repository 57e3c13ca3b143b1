#include "host.hpp"

#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>

#include "build_config.hpp"

#if defined(_WIN32)
#include <windows.h>
#else
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>
#endif
#if defined(__linux__)
#include <sys/syscall.h>
#endif
#if defined(__APPLE__)
#include <pthread.h>
#include <sys/sysctl.h>
#endif
#if defined(_MSC_VER) && (defined(_M_X64) || defined(_M_IX86))
#include <intrin.h>
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
                               ", which this processor does not run. Run `npm run build` on this machine, or once "
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

std::string operating_system() {
#if defined(_WIN32)
  return "Windows";
#else
  utsname name{};
  return uname(&name) == 0 ? std::string(name.sysname) + " " + name.release : "unknown";
#endif
}

void give_way_to_interactive_threads() {
#if defined(_WIN32)
  SetThreadPriority(GetCurrentThread(), THREAD_PRIORITY_BELOW_NORMAL);
#elif defined(__APPLE__)
  pthread_set_qos_class_self_np(QOS_CLASS_UTILITY, 0);
#elif defined(__linux__)
  // On Linux niceness belongs to a thread, and the threads that it starts inherit it. Five levels are a
  // third of the event loop's share where both want the same core.
  constexpr int kNiceness = 5;
  static_cast<void>(setpriority(PRIO_PROCESS, static_cast<id_t>(syscall(SYS_gettid)), kNiceness));
#endif
}

}  // namespace bb::cpu
