#pragma once

#include "kernel_library.hpp"

namespace bb::cuda {

/// Where this program finds its kernels: images in the folder that BRAGGBENCH_KERNELS names, else in
/// ../kernels of the folder that this binary (addon or test program) lies in; sources in its source/. What
/// NVRTC makes is kept in BRAGGBENCH_CACHE, else in the user's cache folder, else nowhere.
const KernelFolders& kernel_folders();

}  // namespace bb::cuda
