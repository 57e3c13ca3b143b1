#include <algorithm>
#include <map>

#include "check.hpp"
#include "cuda/loader/libraries.hpp"
#include "temporary_folder.hpp"

namespace {

using namespace bb::cuda;
using bb::test::contains;
using bb::test::TemporaryFolder;
namespace fs = std::filesystem;

Environment made_up(std::map<std::string, std::string, std::less<>> values) {
  return [values = std::move(values)](std::string_view name) -> std::optional<std::string> {
    const auto found = values.find(name);
    return found == values.end() ? std::nullopt : std::optional(found->second);
  };
}

constexpr std::string_view kNames[] = {"libbraggbench-no-such-library.so.2", "libbraggbench-no-such-library.so.1"};
const LibraryKind kNoSuchLibrary{"The missing library", kNames, {}, {}, "it exists in no system"};

}  // namespace

TEST("a missing CUDA library gives one sentence with its names and its sources") {
  const FoundLibrary found = find_library(kNoSuchLibrary, made_up({}));
  CHECK(!found.library);
  CHECK(
      found.reason.starts_with("The missing library was not found: no libbraggbench-no-such-library.so.2 or "
                               "libbraggbench-no-such-library.so.1 on the system's library path"));
  CHECK(found.reason.ends_with("it exists in no system."));
}

TEST("a CUDA library that does not load is named with the loader's message") {
  const TemporaryFolder folder;
  folder.write("libbraggbench-no-such-library.so.1", "not a library");
  const FoundLibrary found = find_library(kNoSuchLibrary, made_up({{"BRAGGBENCH_CUDA_LIBS", folder.path().string()}}));
  CHECK(!found.library);
  CHECK(contains(found.reason, "could not be loaded: "));
  CHECK(contains(found.reason, folder.path().filename().string()));
}

TEST("CUDA library folders: named folders first, then packages below them, then toolkits, each once") {
  const TemporaryFolder folder;
  fs::create_directories(folder.path() / "named");
  fs::create_directories(folder.path() / "nvidia" / "cu13" / "lib");
  fs::create_directories(folder.path() / "nvidia" / "cublas" / "lib");
  fs::create_directories(folder.path() / "toolkit" / "lib64");
  fs::create_directories(folder.path() / "toolkit" / "extras" / "CUPTI" / "lib64");
#ifdef _WIN32
  const std::string separator = ";";
#else
  const std::string separator = ":";
#endif
  const std::string list = (folder.path() / "named").string() + separator + (folder.path() / "absent").string() +
                           separator + (folder.path() / "nvidia").string();
  const std::string toolkit = (folder.path() / "toolkit").string();
  const auto found =
      library_folders(made_up({{"BRAGGBENCH_CUDA_LIBS", list}, {"CUDA_PATH", toolkit}, {"CUDA_HOME", toolkit}}));

  const fs::path root = fs::canonical(folder.path());
  const std::vector<fs::path> wanted{root / "named",
                                     root / "nvidia",
                                     root / "nvidia" / "cublas" / "lib",
                                     root / "nvidia" / "cu13" / "lib",
                                     root / "toolkit" / "lib64",
                                     root / "toolkit" / "extras" / "CUPTI" / "lib64"};
  CHECK(found.size() >= wanted.size());
  for (std::size_t i = 0; i < std::min(found.size(), wanted.size()); ++i) CHECK_EQ(found[i], wanted[i]);
  CHECK_EQ(std::count(found.begin(), found.end(), root / "toolkit" / "lib64"), 1);
}

#ifdef __linux__
TEST("a library without a required symbol is rejected with the name of the symbol") {
  // libm imitates an outdated NVRTC: it loads, but lacks every entry point. The sanitizers define lgamma
  // themselves.
  const TemporaryFolder folder;
  const auto libm = DynamicLibrary::file_of(reinterpret_cast<const void*>(static_cast<double (*)(double)>(std::cbrt)));
  CHECK(libm.has_value());
  if (!libm) return;
  fs::create_symlink(*libm, folder.path() / "libnvrtc.so.13");
  const auto loaded =
      load_library<api::NvrtcApi>(kNvrtcLibrary, made_up({{"BRAGGBENCH_CUDA_LIBS", folder.path().string()}}));
  CHECK(!loaded.state.available);
  CHECK_EQ(loaded.state.reason, std::string("NVRTC was found but has no nvrtcGetErrorString: it is too old."));
}
#endif

TEST("each CUDA library of this machine is found, or has a reason") {
  for (const LibraryState* state : {&driver_library().state, &nvml_library().state, &nvrtc_library().state,
                                    &cupti_library().state, &cublas_library().state, &cublaslt_library().state}) {
    CHECK_EQ(state->available, state->reason.empty());
    CHECK(state->available || state->reason.ends_with("."));
  }
}
