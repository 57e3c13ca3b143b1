#include "cuda/compile/kernel_pieces.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "check.hpp"
#include "cuda/compile/flatten.hpp"
#include "cuda/compile/kernel_folders.hpp"
#include "temporary_folder.hpp"

namespace {

using namespace bb::cuda;
using bb::test::contains;
using bb::test::TemporaryFolder;
using Names = std::vector<std::string>;

constexpr std::string_view kCommon = R"(#pragma once
BB_TUNABLE(int, kRows, 8);
#define BB_BOTH(name, threads)                                                   \
  extern "C" __global__ void __launch_bounds__(threads) name##_f32(float* x) {}  \
  extern "C" __global__ void __launch_bounds__(2 * (threads)) name##_f64(double* x) {}
)";

constexpr std::string_view kWindow = R"(#include "common.cuh"
#define BB_STEP_ENTRY(name, T)                    \
  extern "C" __global__ void step_##name(T* x) {} \
  extern "C" __global__ void tracks_##name##_of(T* x) {}
BB_STEP_ENTRY(f32, float)
BB_STEP_ENTRY(f64, double)
// BB_STEP_ENTRY(f16, half) is no kernel, nor is __global__ void commented();
extern "C" __global__ void plain(int* x) {}
)";

void write_workload(const TemporaryFolder& folder) {
  folder.write("demo/demo.cu", "#include \"window.cu\"\n#include \"demo/pair.cu\"\n");
  folder.write("demo/common.cuh", std::string(kCommon));
  folder.write("demo/window.cu", std::string(kWindow));
  folder.write("demo/pair.cu", "#include \"common.cuh\"\nBB_BOTH(turn, 32)\n");
}

std::vector<KernelPiece> pieces_of(const TemporaryFolder& folder) {
  return kernel_pieces(folder.path() / "demo" / "demo.cu", folder.path());
}

}  // namespace

TEST("kernels are found behind attributes, in macros, and with pasted names") {
  CHECK(kernels_defined(std::string(kCommon) + "BB_BOTH(a, 32)\n__global__ void b(int n) {}\n") ==
        (Names{"a_f32", "a_f64", "b"}));
  CHECK(kernels_defined("#define BB_IN(n) BB_OUT(n##_x)\n#define BB_OUT(m) __global__ void m() {}\nBB_IN(k)\n") ==
        (Names{"k_x"}));
  CHECK(kernels_defined("").empty());
  CHECK(kernels_defined("#define BB_OPEN(n\nBB_OPEN(").empty());
}

TEST("each entry line is a piece, and what lies beside it another") {
  const TemporaryFolder folder;
  write_workload(folder);
  const auto pieces = pieces_of(folder);
  CHECK_EQ(pieces.size(), 4u);
  CHECK(pieces[0].kernels == (Names{"plain"}));
  CHECK(pieces[1].kernels == (Names{"step_f32", "tracks_f32_of"}));
  CHECK(pieces[2].kernels == (Names{"step_f64", "tracks_f64_of"}));
  CHECK(pieces[3].kernels == (Names{"turn_f32", "turn_f64"}));
  CHECK_EQ(pieces[1].name, std::string("window.cu, BB_STEP_ENTRY(f32, float)"));
  CHECK(contains(pieces[1].text, "BB_STEP_ENTRY(f32, float)") && !contains(pieces[1].text, "BB_STEP_ENTRY(f64"));
  for (const KernelPiece& piece : pieces) CHECK(piece.tunables == (Names{"kRows"}));
}

TEST("a missing file and a kernel that is defined twice are said") {
  const TemporaryFolder folder;
  write_workload(folder);
  CHECK_THROWS(kernel_pieces(folder.path() / "none.cu", folder.path()), "none.cu cannot be read");
  folder.write("demo/pair.cu", "__global__ void plain() {}\n");
  CHECK_THROWS(pieces_of(folder), "Two kernels of demo.cu are called plain.");
}

TEST("the pieces of every shipped workload define each of its kernels once") {
  const auto& sources = kernel_folders().sources;
  int kernels = 0;
  for (const char* workload : {"diffraction", "linear_relu", "micro", "probe", "transport"}) {
    const auto main = sources / workload / (std::string(workload) + ".cu");
    Names all = kernels_defined(flatten(main, sources).text), found;
    for (const KernelPiece& piece : kernel_pieces(main, sources)) {
      found.insert(found.end(), piece.kernels.begin(), piece.kernels.end());
    }
    std::ranges::sort(all);
    std::ranges::sort(found);
    CHECK(all == found);
    CHECK(!all.empty());
    kernels += static_cast<int>(all.size());
  }
  CHECK(kernels > 250);
}
