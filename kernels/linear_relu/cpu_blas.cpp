#include "cpu_blas.hpp"

#include <cstdlib>
#include <memory>
#include <vector>

#include "cuda/loader/dynamic_library.hpp"

namespace bb::linear_relu {
namespace {

#if defined(_WIN32)
constexpr const char* kNames[] = {"libopenblas.dll", "openblas.dll", "mkl_rt.2.dll"};
#elif defined(__APPLE__)
constexpr const char* kNames[] = {"/System/Library/Frameworks/Accelerate.framework/Accelerate", "libopenblas.dylib"};
#else
constexpr const char* kNames[] = {"libopenblas.so.0", "libopenblas.so", "libmkl_rt.so.2", "libmkl_rt.so",
                                  "libblis.so.4",     "libcblas.so.3",  "libblas.so.3"};
#endif

Blas find() {
  std::vector<std::string> names(std::begin(kNames), std::end(kNames));
  if (const char* named = std::getenv("BRAGGBENCH_BLAS"); named != nullptr && *named != '\0') names = {named};
  std::string tried;
  for (const std::string& name : names) {
    std::string error;
    // The library is never closed, because the threads that it starts may still run when the program ends.
    auto* const library = std::make_unique<cuda::DynamicLibrary>(cuda::DynamicLibrary::open(name, error)).release();
    void* const symbol = *library ? library->symbol("cblas_sgemm") : nullptr;
    if (symbol != nullptr) {
      const auto file = cuda::DynamicLibrary::file_of(symbol);
      return {reinterpret_cast<Blas::Sgemm>(symbol), file ? file->string() : name, ""};
    }
    tried += (tried.empty() ? "" : ", ") + name;
  }
  return {nullptr, "",
          "no BLAS with a C interface was found (" + tried + "); BRAGGBENCH_BLAS may name a library, such as OpenBLAS"};
}

}  // namespace

const Blas& blas() {
  static const Blas found = find();
  return found;
}

}  // namespace bb::linear_relu
