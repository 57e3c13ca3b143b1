#include <string>

#include "check.hpp"
#include "cuda/compile/files.hpp"
#include "cuda/compile/flatten.hpp"
#include "cuda/compile/image_cache.hpp"
#include "cuda/compile/runtime_compiler.hpp"
#include "cuda/compile/sha256.hpp"
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

TEST("SHA-256 gives the digests of FIPS 180-4") {
  CHECK_EQ(sha256(""), std::string("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"));
  CHECK_EQ(sha256("abc"), std::string("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"));
  CHECK_EQ(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
           std::string("248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"));
  CHECK_EQ(sha256(std::string(1'000'000, 'a')),
           std::string("cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"));
}

TEST("flattening takes each file once and keeps the compiler's places") {
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

TEST("a user's text takes the place of a file, as main file or included, under its own name") {
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

TEST("flattening names the includer of a missing file") {
  const TemporaryFolder folder;
  folder.write("main.cu", "#include \"nowhere.hpp\"\n");
  CHECK_THROWS(flatten(folder.path() / "main.cu", folder.path()), "main.cu includes");
  CHECK_THROWS(flatten(folder.path() / "absent.cu", folder.path()), "absent.cu cannot be read");
}

TEST("the image cache gives back what it kept, and nothing of a damaged file") {
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

TEST("an image cache without a folder, or in one that cannot be made, holds nothing and fails nothing") {
  const TemporaryFolder folder;
  const auto file = folder.write("a-file", "");
  for (const ImageCache& cache : {ImageCache({}), ImageCache(file / "below")}) {
    cache.keep("key", "image");
    CHECK(!cache.find("key"));
    cache.forget("key");
  }
}

TEST("NVRTC's target is machine code of the same major version, else older PTX") {
  const int known[] = {75, 80, 86, 90, 100, 120};
  CHECK_EQ(choose_target(known, 90).value_or(""), std::string("sm_90"));
  CHECK_EQ(choose_target(known, 89).value_or(""), std::string("sm_86"));
  CHECK_EQ(choose_target(known, 103).value_or(""), std::string("sm_100"));
  CHECK_EQ(choose_target(known, 110).value_or(""), std::string("compute_100"));
  CHECK_EQ(choose_target(known, 130).value_or(""), std::string("compute_120"));
  CHECK(!choose_target(known, 70));
  CHECK(!choose_target({}, 90));
}

// The following run NVRTC itself; where it is missing, its reason is what there is to see.
TEST("NVRTC compiles flattened sources, and the cache answers until one of them changes") {
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
