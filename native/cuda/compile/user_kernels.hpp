#pragma once

#include <optional>
#include <string>

// Kernels of a user's that stand in for shipped ones of the same names, for the rest of the process: they run in a
// process of their own.
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
