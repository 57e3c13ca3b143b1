#pragma once

#include "kernel_library.hpp"

namespace bb::cuda {

/// Folders of kernels. Images: the folder in BRAGGBENCH_KERNELS, else ../kernels of the folder of this binary (addon or
/// test program); sources: its source/. NVRTC output: BRAGGBENCH_CACHE, else the user's cache folder, else not saved.
const KernelFolders& kernel_folders();

}  // namespace bb::cuda
