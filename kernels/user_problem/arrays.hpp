#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "engine/task.hpp"

// Arrays of a user problem. The host resolves shapes, distributions and tolerances to numbers
// (electron/contract/scenario/user-problem/resolve.ts) and passes one line per array.
namespace bb::user_problem {

using engine::TaskArray;
using engine::TaskProblem;

/// kZeroed: an output that is set to zero before each repetition, for sums.
enum class Role { kInput, kOutput, kZeroed, kInPlace };
enum class Fill { kUniform, kNormal, kIntegers, kSorted, kPermutation, kRange, kConstant, kFile, kNone };

struct Array {
  Role role;
  std::string name, type;
  std::vector<std::size_t> shape;
  /// Number of elements that a probe must move together; 0 if another order would be another problem.
  std::size_t grain = 0;
  Fill fill = Fill::kNone;
  double a = 0, b = 0;  // parameters of the distribution
  double diagonal = 0;  // added on the diagonal of the last two dimensions
  /// Tolerances of a result: absolute, relative to the value, and relative to the largest expected value.
  double absolute = 0, relative = 0, largest = 0;
  std::string file;  // for Fill::kFile: a file of doubles

  bool given() const { return role == Role::kInput || role == Role::kInPlace; }
  bool returned() const { return role != Role::kInput; }
  std::size_t elements() const;
  /// Count of numbers in memory: two for each element of a complex array.
  std::size_t count() const;
  TaskArray::Type storage() const;
  std::size_t bytes() const { return TaskArray{nullptr, count(), storage()}.bytes(); }
};

/// Throws ProblemError('invalid') that quotes the invalid line.
std::vector<Array> arrays_of(const TaskProblem& problem);
/// Sizes of the axes, in the order in which they were declared.
std::vector<int> axes_of(const TaskProblem& problem);
/// Values of the array with index `place`, rounded to its type. They depend only on the seed.
std::vector<std::byte> values_of(const TaskProblem& problem, const Array& array, std::size_t place);

/// Values from the user's reference, one vector per array.
std::vector<std::vector<double>> answer_of(const TaskProblem& problem, const std::vector<Array>& arrays);
engine::CheckReport compare(const std::vector<Array>& arrays, const std::vector<std::vector<double>>& wanted,
                            const engine::TaskResults& results);

}  // namespace bb::user_problem
