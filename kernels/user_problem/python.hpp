#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "arrays.hpp"

// Candidates in Python run in a separate process that shares only the arrays with the engine. The engine keeps the
// clock, the original inputs and the audits.
namespace bb::user_problem {

/// Zeroed memory that two processes share. Throws ProblemError('memory' or 'unsupported').
class SharedMemory {
 public:
  explicit SharedMemory(std::size_t bytes);
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;
  ~SharedMemory();

  std::byte* at(std::size_t offset) const { return data_ + offset; }
  std::size_t bytes() const { return bytes_; }
  int descriptor() const { return descriptor_; }

 private:
  std::size_t bytes_;
  int descriptor_ = -1;
  std::byte* data_ = nullptr;
};

/// An interpreter with one candidate. Each repetition is a request with a number that the reply repeats, so that a
/// reply cannot precede its request.
class PythonProcess {
 public:
  /// `problem` names the interpreter, the runner and the candidate's file. `description` has one line per array.
  PythonProcess(const TaskProblem& problem, const SharedMemory& memory, const std::string& description);
  PythonProcess(const PythonProcess&) = delete;
  PythonProcess& operator=(const PythonProcess&) = delete;
  ~PythonProcess();

  /// Runs one repetition. Throws ProblemError('invalid') with the candidate's exception, or ('device') if the process
  /// has ended.
  void call();

 private:
  void end();

  std::string name_;
  int requests_ = -1, answers_ = -1;
  long id_ = -1;
  std::uint64_t number_;
};

}  // namespace bb::user_problem
