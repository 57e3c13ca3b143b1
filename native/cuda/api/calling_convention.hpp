#pragma once

// NVIDIA's libraries export C functions; on Windows they are declared __stdcall.
#ifdef _WIN32
#define BB_CUDA_CALL __stdcall
#else
#define BB_CUDA_CALL
#endif
