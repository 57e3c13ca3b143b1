#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <functional>

#include "number_types.hpp"

// Prelude of a candidate for the CPU. Its file defines `run` with a signature from the problem's arrays and axes.
// Generated text after it defines call(), which passes the arrays.
namespace bb::user_problem {

/// The arrays and axes of one repetition, in the order in which the problem declares them.
struct Call {
  void* const* arrays;
  const int* axes;
};

/// Runs one repetition. The library of a candidate takes this function from the file of the candidate.
void call(const Call& arguments);

/// Calls work(first, last) for pieces of 0 … count - 1 on the session's threads, and returns when all are finished.
void in_parallel(std::size_t count, const std::function<void(std::size_t first, std::size_t last)>& work);

}  // namespace bb::user_problem
