# Two thirds of compiling a file that is no kernel is reading the standard library's headers: they are read once per
# target. Headers of our own stay out, so that changing one compiles what includes it and nothing else. Every file
# still includes what it uses; -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON builds without.
set(BB_STANDARD_HEADERS
  <algorithm> <array> <atomic> <chrono> <cmath> <condition_variable> <cstdint> <cstdio> <cstring> <filesystem>
  <fstream> <functional> <limits> <map> <memory> <mutex> <numeric> <optional> <span> <sstream> <string> <string_view>
  <thread> <tuple> <utility> <vector>)

# `...`: further headers of the target, such as <napi.h>.
function(bb_precompile_headers target)
  target_precompile_headers(${target} PRIVATE ${BB_STANDARD_HEADERS} ${ARGN})
  # What lets ccache keep objects that were made with them.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE -fpch-preprocess)
  endif()
endfunction()
