# ccache, if installed, caches objects by content: a second checkout or a rebuild then compiles only changed files.
# GCC's precompiled headers fit any checkout, but their bytes differ, so ccache hashes a file with their inputs instead.
find_program(BB_CCACHE ccache)
if(BB_CCACHE AND NOT MSVC AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  get_filename_component(BB_CHECKOUT "${CMAKE_CURRENT_SOURCE_DIR}/.." REALPATH)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${CMAKE_COMMAND}" -E env "CCACHE_BASEDIR=${BB_CHECKOUT}" CCACHE_NOHASHDIR=1
    CCACHE_PCH_EXTSUM=1 CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime "${BB_CCACHE}")
  # Clang's precompiled headers contain the modification times of their source files.
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    set(CMAKE_DISABLE_PRECOMPILE_HEADERS ON)
  endif()
endif()
