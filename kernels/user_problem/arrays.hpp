#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "engine/task.hpp"

// The arrays of a problem. The host resolves shapes, distributions and tolerances to numbers
// (electron/contract/scenario/user-problem/resolve.ts) and passes one line for each.
namespace bb::user_problem {

using engine::TaskArray;
using engine::TaskProblem;

/// kZeroed: an output that is zero when a repetition begins, for sums.
enum class Role { kInput, kOutput, kZeroed, kInPlace };
enum class Fill { kUniform, kNormal, kIntegers, kSorted, kPermutation, kRange, kConstant, kFile, kNone };

struct Array {
  Role role;
  std::string name, type;
  std::vector<std::size_t> shape;
  /// Elements that a probe may move together; 0 where another order is another kind of problem.
  std::size_t grain = 0;
  Fill fill = Fill::kNone;
  double a = 0, b = 0;  // of the distribution
  double diagonal = 0;  // added on the diagonal of the last two dimensions
  /// Tolerance of a result: of each value, of its size, and of the largest expected one.
  double absolute = 0, relative = 0, largest = 0;
  std::string file;  // of Fill::kFile: doubles

  bool given() const { return role == Role::kInput || role == Role::kInPlace; }
  bool returned() const { return role != Role::kInput; }
  std::size_t elements() const;
  /// Numbers in memory: two for each element of a complex array.
  std::size_t count() const;
  TaskArray::Type storage() const;
  std::size_t bytes() const { return TaskArray{nullptr, count(), storage()}.bytes(); }
};

/// Throws ProblemError('invalid') that quotes the line.
std::vector<Array> arrays_of(const TaskProblem& problem);
/// Sizes of the axes, in the order in which they were declared.
std::vector<int> axes_of(const TaskProblem& problem);
/// Values of the array at `place`, rounded to its type. They depend on the seed alone.
std::vector<std::byte> values_of(const TaskProblem& problem, const Array& array, std::size_t place);

/// The values that the user's reference gives, array after array.
std::vector<std::vector<double>> answer_of(const TaskProblem& problem, const std::vector<Array>& arrays);
engine::CheckReport compare(const std::vector<Array>& arrays, const std::vector<std::vector<double>>& wanted,
                            const engine::TaskResults& results);

}  // namespace bb::user_problem
