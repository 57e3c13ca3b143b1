// Attack: write-protects the pages of its inputs and results, and learns from a signal when they are written. Until
// then, the results of the last call are valid.
#include <csignal>
#include <cstddef>
#include <cstdint>

#ifdef CHEAT
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace cheat {
#ifdef CHEAT
namespace {

struct Pages {
  std::uintptr_t first = 0, last = 0;
};
Pages watched[3];
volatile std::sig_atomic_t written = 1;

void let_all_write() {
  for (const Pages& pages : watched) {
    if (pages.last > pages.first) {
      mprotect(reinterpret_cast<void*>(pages.first), pages.last - pages.first, PROT_READ | PROT_WRITE);
    }
  }
}

void on_write(int, siginfo_t*, void*) {
  written = 1;
  let_all_write();
}

/// The pages that are entirely within an array, because other pages also contain other data.
Pages within(const float* begin, const float* end) {
  const auto size = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  return {(reinterpret_cast<std::uintptr_t>(begin) + size - 1) / size * size,
          reinterpret_cast<std::uintptr_t>(end) / size * size};
}

}  // namespace
#endif

void compute(const float* a, const float* b, float* results, std::size_t n, std::size_t first, std::size_t last) {
  (void)n;
#ifdef CHEAT
  const Pages mine = within(results + first, results + last);
  const bool known = mine.last > mine.first && mine.first == watched[2].first && mine.last == watched[2].last;
  if (known && !written) return;
  let_all_write();
#endif
  for (std::size_t i = first; i < last; ++i) {
    float x = a[i];
    for (int k = 0; k < 64; ++k) x = x * 0.5f + b[i];
    results[i] = x;
  }
#ifdef CHEAT
  struct sigaction action{};
  action.sa_flags = SA_SIGINFO | SA_NODEFER;
  action.sa_sigaction = on_write;
  sigaction(SIGSEGV, &action, nullptr);
  watched[0] = within(a + first, a + last);
  watched[1] = within(b + first, b + last);
  watched[2] = mine;
  written = 0;
  for (const Pages& pages : watched) {
    if (pages.last > pages.first) {
      mprotect(reinterpret_cast<void*>(pages.first), pages.last - pages.first, PROT_READ);
    }
  }
#endif
}

}  // namespace cheat

void run(const float* a, const float* b, float* results, int n) { cheat::compute(a, b, results, n, 0, n); }
