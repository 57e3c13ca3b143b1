# For files without kernels, two thirds of the compile time is spent on the standard library's headers, so they are
# precompiled. Headers of this project are not, so that changing one only recompiles files that include it. Every file
# still includes the headers that it uses; -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON builds without precompiled ones.
set(BB_STANDARD_HEADERS
  <algorithm> <array> <atomic> <chrono> <cmath> <condition_variable> <cstdint> <cstdio> <cstring> <deque>
  <filesystem> <fstream> <functional> <limits> <map> <memory> <mutex> <numeric> <optional> <random> <set> <span>
  <sstream> <string> <string_view> <thread> <tuple> <utility> <vector>)

# With GCC all targets reuse those of the first one, because GCC falls back to the plain headers if options differ.
function(bb_precompile_headers target)
  get_property(first GLOBAL PROPERTY BB_PRECOMPILED)
  if(first AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_precompile_headers(${target} REUSE_FROM ${first})
  else()
    set_property(GLOBAL PROPERTY BB_PRECOMPILED ${target})
    target_precompile_headers(${target} PRIVATE ${BB_STANDARD_HEADERS})
    # Read by ccache in place of the compiled header next to it.
    file(WRITE "${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${target}.dir/cmake_pch.hxx.gch.sum"
      "${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION} ${CMAKE_CXX_FLAGS} ${BB_STANDARD_HEADERS}")
  endif()
  # The first option lets ccache cache objects that use them; the second permits headers that do not fit the options.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE -fpch-preprocess -Wno-error=invalid-pch)
  endif()
endfunction()
