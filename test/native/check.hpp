#pragma once

// Harness of the C++ tests. Example of a test:
//
//   TEST("remap keeps the content") {
//     CHECK(total > 0.0);
//     CHECK_NEAR(after, before, 1e-12);       // |after - before| <= 1e-12
//     CHECK_REL(after, before, 1e-6);         // relative to |before|
//     CHECK_EQ(cells, 12);
//     CHECK_THROWS(StoppingTable({}, {}));                   // any std::exception
//     CHECK_THROWS(StoppingTable({}, {}), "at least 4");     // whose text has this in it
//     if (!device) SKIP("no device");         // ends the test: neither passed nor failed
//   }
//
// A failed check prints file, line and the values, and the test continues. An exception ends its test.

#include <cmath>
#include <exception>
#include <functional>
#include <sstream>
#include <string>
#include <string_view>

namespace bb::test {

struct Registration {
  Registration(const char* file, int line, std::string_view name, std::function<void()> body);
};

void fail(const char* file, int line, const std::string& message);

/// Ends a test that cannot run on this machine.
struct SkippedTest {
  std::string reason;
};

template <typename T>
std::string show(const T& value) {
  std::ostringstream out;
  out.precision(17);
  if constexpr (requires { out << value; }) {
    out << value;
  } else {
    out << "(a value that cannot be printed)";
  }
  return out.str();
}

inline bool contains(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

inline void check(const char* file, int line, bool ok, const char* text) {
  if (!ok) fail(file, line, text);
}

template <typename A, typename B>
void check_equal(const char* file, int line, const A& got, const B& wanted, const char* text) {
  if (!(got == wanted)) fail(file, line, std::string(text) + ": got " + show(got) + ", wanted " + show(wanted));
}

/// `unit` scales the tolerance: 1, or |wanted|.
inline void check_close(const char* file, int line, double got, double wanted, double tolerance, double unit,
                        const char* text) {
  // The negated form also fails if either side is NaN.
  if (!(std::abs(got - wanted) <= tolerance * unit)) {
    fail(file, line,
         std::string(text) + ": got " + show(got) + ", wanted " + show(wanted) + " within " + show(tolerance * unit) +
             ", off by " + show(got - wanted));
  }
}

template <typename Body>
void check_throws(const char* file, int line, Body&& body, const char* text, std::string_view part = {}) {
  try {
    body();
  } catch (const std::exception& error) {
    if (std::string_view(error.what()).find(part) == std::string_view::npos) {
      fail(file, line,
           std::string(text) + ": threw \"" + error.what() + "\", wanted \"" + std::string(part) + "\" in it");
    }
    return;
  }
  fail(file, line, std::string(text) + " should have thrown");
}

}  // namespace bb::test

#define BB_TEST_JOIN_(a, b) a##b
#define BB_TEST_JOIN(a, b) BB_TEST_JOIN_(a, b)
#define BB_TEST_(name, id)                                                                              \
  static void BB_TEST_JOIN(bb_test_, id)();                                                             \
  static const ::bb::test::Registration BB_TEST_JOIN(bb_registration_, id)(__FILE__, __LINE__, name,    \
                                                                           BB_TEST_JOIN(bb_test_, id)); \
  static void BB_TEST_JOIN(bb_test_, id)()
// Tests are numbered by a counter, because line numbers repeat when several files are compiled as one.
#define TEST(name) BB_TEST_(name, __COUNTER__)

#define SKIP(reason) \
  throw ::bb::test::SkippedTest { reason }
#define CHECK(condition) ::bb::test::check(__FILE__, __LINE__, static_cast<bool>(condition), #condition)
#define CHECK_EQ(got, wanted) ::bb::test::check_equal(__FILE__, __LINE__, got, wanted, #got)
#define CHECK_NEAR(got, wanted, tolerance) \
  ::bb::test::check_close(__FILE__, __LINE__, got, wanted, tolerance, 1.0, #got)
#define CHECK_REL(got, wanted, tolerance) \
  ::bb::test::check_close(__FILE__, __LINE__, got, wanted, tolerance, std::abs(static_cast<double>(wanted)), #got)
#define CHECK_THROWS(expression, ...) \
  ::bb::test::check_throws(           \
      __FILE__, __LINE__, [&] { static_cast<void>(expression); }, #expression __VA_OPT__(, ) __VA_ARGS__)
