# Objects are kept by content where ccache is installed: a second checkout or a rebuild then compiles only what changed.
# GCC's precompiled headers serve any checkout. Their bytes differ, so ccache is given a sum of what goes into them.
find_program(BB_CCACHE ccache)
if(BB_CCACHE AND NOT MSVC AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  get_filename_component(BB_CHECKOUT "${CMAKE_CURRENT_SOURCE_DIR}/.." REALPATH)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${CMAKE_COMMAND}" -E env "CCACHE_BASEDIR=${BB_CHECKOUT}" CCACHE_NOHASHDIR=1
    CCACHE_PCH_EXTSUM=1 CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime "${BB_CCACHE}")
  # Clang's remember when the files were written that they are of.
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    set(CMAKE_DISABLE_PRECOMPILE_HEADERS ON)
  endif()
endif()
