// Fuzzes cached ceilings of a GPU (native/cuda/timing/ceilings_cache.cpp). Values that can be read are written and read
// again.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "cuda/compile/files.hpp"
#include "cuda/timing/ceilings.hpp"

namespace {

const std::filesystem::path& folder() {
  static const std::filesystem::path made = [] {
    std::string name = (std::filesystem::temp_directory_path() / "braggbench-fuzz-XXXXXX").string();
    return std::filesystem::path(::mkdtemp(name.data()));
  }();
  return made;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  bb::cuda::write_file_atomically(folder() / "ceilings-GPU-1-580.txt", text);
  const bb::cuda::CeilingsCache cache(folder());
  const auto found = cache.find("GPU-1", "580");
  if (!found) return 0;
  cache.keep("GPU-2", *found);
  const auto again = cache.find("GPU-2", "580");
  if (!again || again->sm_MHz != found->sm_MHz || again->copy_by != found->copy_by) std::abort();
  return 0;
}
