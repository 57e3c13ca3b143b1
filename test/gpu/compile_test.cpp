#include <chrono>
#include <cstdio>

#include "../native/cuda/temporary_folder.hpp"
#include "check.hpp"
#include "cuda/compile/image_cache.hpp"
#include "cuda/device/buffer.hpp"
#include "cuda/device/kernel.hpp"
#include "cuda/loader/libraries.hpp"
#include "gpu.hpp"

namespace {

using namespace bb::cuda;
using bb::test::gpu;
using bb::test::TemporaryFolder;

bool computes(const LoadedKernels& probe) {
  Stream stream(gpu());
  Kernel fma(probe.module, "probe_fma_fp32");
  DeviceBuffer<float> sums(gpu(), 64);
  fma.launch(stream, {.block = {64}}, sums.pointer(), 1.0f, 0.0f, 5);
  return sums.read(stream).back() == 28.0f + 8.0f * 63.0f;
}

}  // namespace

TEST("GPU: without a fatbin NVRTC compiles the same sources, only once") {
  const TemporaryFolder folder;
  KernelFolders folders = bb::test::built_kernels();
  folders.images = folder.path() / "no-images";
  folders.cache = folder.path() / "cache";
  if (!nvrtc_library().state.available) {
    std::printf("    %s\n", nvrtc_library().state.reason.c_str());
    CHECK_THROWS(load_kernels(gpu(), "probe", folders), "and they cannot be compiled now: NVRTC");
    return;
  }
  const LoadedKernels first = load_kernels(gpu(), "probe", folders);
  CHECK(first.pieces != nullptr && computes(first));
  CHECK_EQ(first.pieces->counts().compiled, 1);  // of four, only the requested one
  const LoadedKernels second = load_kernels(gpu(), "probe", folders);
  CHECK(computes(second));
  CHECK_EQ(second.pieces->counts().from_cache, 1);
  CHECK_EQ(second.pieces->counts().compiled, 0);
  std::printf("    NVRTC %s: compiled in %.0f ms\n", nvrtc_library().state.version.c_str(),
              first.pieces->counts().compile_s * 1e3);

  // A cached image that the driver rejects is compiled again.
  for (const auto& entry : std::filesystem::directory_iterator(folders.cache)) {
    ImageCache(folders.cache).keep(entry.path().stem().string(), "no machine code at all");
  }
  const LoadedKernels third = load_kernels(gpu(), "probe", folders);
  CHECK(computes(third));
  CHECK_EQ(third.pieces->counts().compiled, 1);
}

TEST("GPU: NVRTC compiles every part of every workload on several threads, and the driver loads it") {
  if (!nvrtc_library().state.available) {
    CHECK(nvrtc_library().state.reason.ends_with("."));
    return;
  }
  KernelFolders folders = bb::test::built_kernels();
  folders.images.clear();
  folders.cache.clear();
  for (const char* workload : {"diffraction", "linear_relu", "micro", "probe", "transport"}) {
    const LoadedKernels kernels = load_kernels(gpu(), workload, folders);
    CHECK(kernels.pieces != nullptr);
    const auto start = std::chrono::steady_clock::now();
    kernels.pieces->prepare_all();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    const auto counts = kernels.pieces->counts();
    CHECK_EQ(counts.compiled, counts.pieces);
    std::printf("    %s: %d pieces in %.2f s, %.2f s of compiling\n", workload, counts.pieces, took.count(),
                counts.compile_s);
  }
}

TEST("GPU: an image that the driver rejects falls back to NVRTC, or gives the reason") {
  const TemporaryFolder folder;
  KernelFolders folders = bb::test::built_kernels();
  folder.write("probe.fatbin", "no machine code at all");
  folders.images = folder.path();
  if (nvrtc_library().state.available) CHECK(load_kernels(gpu(), "probe", folders).pieces != nullptr);
  folders.sources = folder.path();
  CHECK_THROWS(load_kernels(gpu(), "probe", folders), "The kernels of probe do not load on ");
}

TEST("GPU: cuBLAS multiplies matrices on our stream") {
  const auto& library = cublas_library();
  std::printf("    cuBLAS %s, cuBLASLt %s %s\n", library.state.version.c_str(),
              cublaslt_library().state.version.c_str(), library.state.reason.c_str());
  if (!library.state.available) {
    CHECK(library.state.reason.ends_with("."));
    return;
  }
  constexpr int kSize = 33;
  Stream stream(gpu());
  std::vector<float> a(kSize * kSize), b(kSize * kSize);
  for (int i = 0; i < kSize * kSize; ++i) {
    a[static_cast<std::size_t>(i)] = static_cast<float>(i % 7 - 3);
    b[static_cast<std::size_t>(i)] = static_cast<float>(i % 11 - 5);
  }
  DeviceBuffer<float> da(gpu(), a.size()), db(gpu(), b.size()), dc(gpu(), a.size());
  da.upload(a, stream);
  db.upload(b, stream);
  api::CublasHandle handle = nullptr;
  CHECK_EQ(library.api.Create(&handle), 0);
  CHECK_EQ(library.api.SetStream(handle, stream.handle()), 0);
  const float one = 1, zero = 0;
  using enum api::CublasOperation;
  CHECK_EQ(library.api.Sgemm(handle, kNone, kTranspose, kSize, kSize, kSize, &one, da.pointer(), kSize, db.pointer(),
                             kSize, &zero, dc.pointer(), kSize),
           0);
  const auto c = dc.read(stream);
  library.api.Destroy(handle);
  for (int row = 0; row < kSize; ++row) {
    for (int column = 0; column < kSize; ++column) {
      float wanted = 0;  // small integers, exact in any order
      for (int k = 0; k < kSize; ++k) {
        wanted += a[static_cast<std::size_t>(row + k * kSize)] * b[static_cast<std::size_t>(column + k * kSize)];
      }
      CHECK_EQ(c[static_cast<std::size_t>(row + column * kSize)], wanted);
    }
  }
  api::CublasLtHandle light = nullptr;
  CHECK(cublaslt_library().state.available);
  CHECK_EQ(cublaslt_library().api.Create(&light), 0);
  CHECK_EQ(cublaslt_library().api.Destroy(light), 0);
}
