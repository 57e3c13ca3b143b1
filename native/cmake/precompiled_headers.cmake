# Two thirds of compiling a file that is no kernel is reading the standard library's headers: they are read once per
# build. Headers of our own stay out, so that changing one compiles what includes it and nothing else. Every file
# still includes what it uses; -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON builds without.
set(BB_STANDARD_HEADERS
  <algorithm> <array> <atomic> <chrono> <cmath> <condition_variable> <cstdint> <cstdio> <cstring> <deque>
  <filesystem> <fstream> <functional> <limits> <map> <memory> <mutex> <numeric> <optional> <random> <set> <span>
  <sstream> <string> <string_view> <thread> <tuple> <utility> <vector>)

# The first target's are everyone's; of GCC, which reads the headers themselves where it finds those made otherwise.
function(bb_precompile_headers target)
  get_property(first GLOBAL PROPERTY BB_PRECOMPILED)
  if(first AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_precompile_headers(${target} REUSE_FROM ${first})
  else()
    set_property(GLOBAL PROPERTY BB_PRECOMPILED ${target})
    target_precompile_headers(${target} PRIVATE ${BB_STANDARD_HEADERS})
    # For ccache, beside what the compiler makes of them.
    file(WRITE "${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${target}.dir/cmake_pch.hxx.gch.sum"
      "${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION} ${CMAKE_CXX_FLAGS} ${BB_STANDARD_HEADERS}")
  endif()
  # What lets ccache keep objects that were made with them; and their being of no use is no error.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE -fpch-preprocess -Wno-error=invalid-pch)
  endif()
endfunction()
