#include <algorithm>
#include <string>
#include <vector>

#include "check.hpp"
#include "cuda/compile/files.hpp"
#include "cuda/compile/image_cache.hpp"
#include "cuda/compile/kernel_library.hpp"
#include "cuda/compile/kernel_pieces.hpp"
#include "cuda/compile/runtime_compiler.hpp"
#include "cuda/loader/libraries.hpp"
#include "temporary_folder.hpp"

namespace {

using namespace bb::cuda;
using bb::test::contains;
using bb::test::TemporaryFolder;

constexpr std::string_view kKernel = R"(#include <cmath>
#include <cstdint>
#include "shared/scale.hpp"
extern "C" __global__ void scale(float* values, std::uint32_t count) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) values[i] = bb::scaled(std::sqrt(values[i]));
}
)";
constexpr std::string_view kHeader = R"(#pragma once
#include <cmath>
#include "hd.hpp"
namespace bb {
BB_HD inline float scaled(float x) { return 2.0f * std::fma(x, 1.0f, 0.5f); }
}
)";
constexpr std::string_view kHd = "#pragma once\n#define BB_HD __host__ __device__\n";

void write_sources(const TemporaryFolder& folder) {
  folder.write("demo/demo.cu", kKernel);
  folder.write("demo/shared/scale.hpp", kHeader);
  folder.write("demo/shared/hd.hpp", kHd);
}

CompileRequest request_for(const TemporaryFolder& folder) {
  return {folder.path() / "demo" / "demo.cu", folder.path(), 90, {}};
}

}  // namespace

TEST("SHA-256 gives the digests in FIPS 180-4") {
  CHECK_EQ(sha256(""), std::string("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"));
  CHECK_EQ(sha256("abc"), std::string("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"));
  CHECK_EQ(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
           std::string("248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"));
  CHECK_EQ(sha256(std::string(1'000'000, 'a')),
           std::string("cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"));
}

TEST("flattening includes each file once and keeps the positions for the compiler") {
  const TemporaryFolder folder;
  folder.write("a/main.cu", "#include \"../b/one.hpp\"\n#include \"two.hpp\"\nint last;\n");
  folder.write("b/one.hpp", "#pragma once\n# include \"hd.hpp\"\nint one;\n");
  folder.write("b/hd.hpp", "#pragma once\nint hd;\n");
  folder.write("a/two.hpp", "#pragma once\n#include \"../b/hd.hpp\"\n#include <cmath>\nint two;");
  const FlatSource flat = flatten(folder.path() / "a" / "main.cu", folder.path());
  CHECK_EQ(flat.files.size(), std::size_t{4});
  CHECK_EQ(flat.text, std::string("#line 1 \"a/main.cu\"\n"
                                  "#line 1 \"b/one.hpp\"\n\n"
                                  "#line 1 \"b/hd.hpp\"\n\nint hd;\n"
                                  "#line 3 \"b/one.hpp\"\nint one;\n"
                                  "#line 2 \"a/main.cu\"\n"
                                  "#line 1 \"a/two.hpp\"\n\n"
                                  "#line 3 \"a/two.hpp\"\n#include <cmath>\nint two;\n"
                                  "#line 3 \"a/main.cu\"\nint last;\n"));
}

TEST("a text from the user replaces a file under its own name, as main file or as included file") {
  const TemporaryFolder folder;
  folder.write("a/main.cu", "#include \"one.hpp\"\nint last;\n");
  folder.write("a/one.hpp", "#pragma once\nint ours;\n");
  folder.write("a/hd.hpp", "int hd;\n");
  const Replacement header{folder.path() / "a" / "one.hpp", "#include \"hd.hpp\"\nint theirs;\n", "mine.cu"};
  CHECK_EQ(flatten(folder.path() / "a" / "main.cu", folder.path(), &header).text,
           std::string("#line 1 \"a/main.cu\"\n#line 1 \"mine.cu\"\n#line 1 \"a/hd.hpp\"\nint hd;\n"
                       "#line 2 \"mine.cu\"\nint theirs;\n#line 2 \"a/main.cu\"\nint last;\n"));
  const Replacement main{folder.path() / "a" / "main.cu", "int theirs;\n", "mine.cu"};
  CHECK_EQ(flatten(folder.path() / "a" / "main.cu", folder.path(), &main).text,
           std::string("#line 1 \"mine.cu\"\nint theirs;\n"));
}

TEST("flattening names the file that includes a missing file") {
  const TemporaryFolder folder;
  folder.write("main.cu", "#include \"nowhere.hpp\"\n");
  CHECK_THROWS(flatten(folder.path() / "main.cu", folder.path()), "main.cu includes");
  CHECK_THROWS(flatten(folder.path() / "absent.cu", folder.path()), "absent.cu cannot be read");
}

TEST("the image cache returns what it stored, and nothing from a damaged file") {
  const TemporaryFolder folder;
  const ImageCache cache(folder.path() / "below");
  const std::string image(
      "\0\x7f"
      "ELF\n image",
      11);
  CHECK(!cache.find("key"));
  cache.keep("key", image);
  CHECK(cache.find("key") == image);
  CHECK(!cache.find("other"));

  const auto file = folder.path() / "below" / "key.image";
  std::string text = read_file(file).value_or("");
  folder.write("below/key.image", text.substr(0, text.size() - 3));
  CHECK(!cache.find("key"));
  text.back() ^= 1;
  folder.write("below/key.image", text);
  CHECK(!cache.find("key"));
  folder.write("below/key.image", "");
  CHECK(!cache.find("key"));

  cache.keep("key", image);
  CHECK(cache.find("key") == image);
  cache.forget("key");
  CHECK(!cache.find("key"));
}

TEST("an image cache without a folder, or with one that cannot be created, stores nothing and raises no error") {
  const TemporaryFolder folder;
  const auto file = folder.write("a-file", "");
  for (const ImageCache& cache : {ImageCache({}), ImageCache(file / "below")}) {
    cache.keep("key", "image");
    CHECK(!cache.find("key"));
    cache.forget("key");
  }
}

TEST("NVRTC targets machine code of the same major version, or else older PTX") {
  const int known[] = {75, 80, 86, 90, 100, 120};
  CHECK_EQ(choose_target(known, 90).value_or(""), std::string("sm_90"));
  CHECK_EQ(choose_target(known, 89).value_or(""), std::string("sm_86"));
  CHECK_EQ(choose_target(known, 103).value_or(""), std::string("sm_100"));
  CHECK_EQ(choose_target(known, 110).value_or(""), std::string("compute_100"));
  CHECK_EQ(choose_target(known, 130).value_or(""), std::string("compute_120"));
  CHECK(!choose_target(known, 70));
  CHECK(!choose_target({}, 90));
}

// The following tests run NVRTC itself; if it is missing, they print the reason.
TEST("NVRTC compiles flattened sources, and the cache is used until a source changes") {
  if (!nvrtc_library().state.available) {
    CHECK(!nvrtc_library().state.reason.empty());
    return;
  }
  const auto& nvrtc = nvrtc_library().api;
  const TemporaryFolder folder;
  write_sources(folder);
  const ImageCache cache(folder.path() / "cache");
  const CompiledImage first = compile_at_run_time(nvrtc, request_for(folder), cache);
  CHECK(!first.from_cache);
  CHECK(first.image.size() > 1000 && first.image.starts_with("\x7f"
                                                             "ELF"));
  CHECK(first.compile_s > 0);
  const CompiledImage again = compile_at_run_time(nvrtc, request_for(folder), cache);
  CHECK(again.from_cache && again.image == first.image && again.key == first.key);
  CompileRequest for_reading = request_for(folder);
  for_reading.target = "compute_90";
  const CompiledImage ptx = compile_at_run_time(nvrtc, for_reading, cache);
  CHECK(ptx.key != first.key && ptx.image.find(".target sm_90") != std::string::npos);

  CompileRequest other = request_for(folder);
  const std::string option[] = {"--fmad=false"};
  other.extra_options = option;
  CHECK(compile_at_run_time(nvrtc, other, cache).key != first.key);
  other.extra_options = {};
  other.architecture = 80;
  CHECK(compile_at_run_time(nvrtc, other, cache).key != first.key);

  folder.write("demo/shared/hd.hpp", std::string(kHd) + "\n// changed\n");
  CHECK(!compile_at_run_time(nvrtc, request_for(folder), cache).from_cache);
}

TEST("a kernel that does not compile is reported at its own file and line") {
  if (!nvrtc_library().state.available) {
    CHECK(!nvrtc_library().state.reason.empty());
    return;
  }
  const TemporaryFolder folder;
  write_sources(folder);
  folder.write("demo/shared/scale.hpp", "#pragma once\n#include \"hd.hpp\"\nnamespace bb {\nint broken = ;\n}\n");
  std::string log;
  try {
    compile_at_run_time(nvrtc_library().api, request_for(folder), ImageCache({}));
  } catch (const CompileError& error) {
    log = error.log();
  }
  CHECK(contains(log, "demo/shared/scale.hpp(4): error"));
}

namespace {

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

TEST("kernels are found after attributes, in macros, and with pasted names") {
  CHECK(kernels_defined(std::string(kCommon) + "BB_BOTH(a, 32)\n__global__ void b(int n) {}\n") ==
        (Names{"a_f32", "a_f64", "b"}));
  CHECK(kernels_defined("#define BB_IN(n) BB_OUT(n##_x)\n#define BB_OUT(m) __global__ void m() {}\nBB_IN(k)\n") ==
        (Names{"k_x"}));
  CHECK(kernels_defined("").empty());
  CHECK(kernels_defined("#define BB_OPEN(n\nBB_OPEN(").empty());
}

TEST("each entry line is a separate piece, and the code in between is another") {
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

TEST("a missing file and a kernel defined twice are reported") {
  const TemporaryFolder folder;
  write_workload(folder);
  CHECK_THROWS(kernel_pieces(folder.path() / "none.cu", folder.path()), "none.cu cannot be read");
  folder.write("demo/pair.cu", "__global__ void plain() {}\n");
  CHECK_THROWS(pieces_of(folder), "Two kernels in demo.cu are named plain.");
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
