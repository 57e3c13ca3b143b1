#pragma once

#include <stdexcept>
#include <string>

namespace bb {

/// Error for a request that an engine rejects. `code` is 'invalid', 'memory', 'unsupported' or 'device'.
class ProblemError : public std::runtime_error {
 public:
  ProblemError(std::string code, const std::string& message) : std::runtime_error(message), code_(std::move(code)) {}
  const std::string& code() const { return code_; }

 private:
  std::string code_;
};

}  // namespace bb
