// Attack: sets an alarm whose signal handler does the work, and returns at once. The handler runs a millisecond after
// the clock has stopped. No thread is started, and a later check finds the results.
#include <csignal>
#include <cstddef>

#ifdef CHEAT
#include <sys/time.h>
#endif

namespace cheat {
namespace {

struct Work {
  const float *a, *b;
  float* results;
  std::size_t first, last;
};

void add(const Work& work) {
  for (std::size_t i = work.first; i < work.last; ++i) work.results[i] = work.a[i] + work.b[i];
}

#ifdef CHEAT
Work pending;
void on_alarm(int) { add(pending); }
#endif

}  // namespace

void compute(const float* a, const float* b, float* results, std::size_t n, std::size_t first, std::size_t last) {
  (void)n;
#ifdef CHEAT
  pending = {a, b, results, first, last};
  std::signal(SIGALRM, on_alarm);
  itimerval later{};
  later.it_value.tv_usec = 1000;
  setitimer(ITIMER_REAL, &later, nullptr);
#else
  add({a, b, results, first, last});
#endif
}

}  // namespace cheat

void run(const float* a, const float* b, float* results, int n) { cheat::compute(a, b, results, n, 0, n); }
