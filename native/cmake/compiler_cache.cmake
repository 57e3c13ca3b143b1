# Objects are kept by content where ccache is installed: a second checkout or a rebuild then compiles only what changed.
# Precompiled headers lie at paths of one build and would make every checkout's objects differ, so they are left out then.
find_program(BB_CCACHE ccache)
if(BB_CCACHE AND NOT MSVC AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  get_filename_component(BB_CHECKOUT "${CMAKE_CURRENT_SOURCE_DIR}/.." REALPATH)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${CMAKE_COMMAND}" -E env "CCACHE_BASEDIR=${BB_CHECKOUT}" CCACHE_NOHASHDIR=1
    CCACHE_SLOPPINESS=time_macros,include_file_mtime,include_file_ctime "${BB_CCACHE}")
  set(CMAKE_DISABLE_PRECOMPILE_HEADERS ON)
endif()
