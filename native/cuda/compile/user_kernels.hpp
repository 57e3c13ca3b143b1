#pragma once

#include <optional>
#include <string>

// User kernels that replace shipped kernels of the same names until the process ends; they run in a separate process.
namespace bb::cuda {

struct UserKernels {
  std::string workload;
  std::string name;   // of the file, for messages
  std::string image;  // machine code or PTX
};

/// Modules that are loaded from now on prefer these.
void use_user_kernels(UserKernels kernels);

/// Those in use, if any.
const std::optional<UserKernels>& user_kernels();

}  // namespace bb::cuda
