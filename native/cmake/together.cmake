# Half of the compile time of a small file is spent on headers and on instantiating the standard library's templates.
# So files of a folder are compiled a few at a time, as one unit. Names with internal linkage must then differ between
# the files of a folder. -DBB_TOGETHER=OFF compiles every file separately.
option(BB_TOGETHER "Compile small files of a folder a few at a time" ON)

# Files per unit: few enough to balance the load of the cores.
set(BB_MAX_UNIT_FILES 12)

# Compiled separately: files with `using namespace` whose names conflict with other files, files that include CUDA's
# headers, large files of the binding (each has a State), and files that the two addons compile with different options.
set(BB_SEPARATE_FILES "/(trace/activity_trace|transport/cpu/window|transport/(model/(reaction_grid|step_operators|tables)|moments/(march|tangents)|beam_march|tables)|cuda/declarations_test|gpu/[a-z_]+_test|physics/diffraction_table|binding/(addon|runs/([a-z]+_run|problem)))\\.cpp$")

# The arguments after `target` are its files.
function(bb_compile_together target)
  if(NOT BB_TOGETHER)
    return()
  endif()
  list(FILTER ARGN EXCLUDE REGEX "${BB_SEPARATE_FILES}")
  foreach(file IN LISTS ARGN)
    file(RELATIVE_PATH name "${CMAKE_CURRENT_SOURCE_DIR}/.." "${file}")
    get_filename_component(folder "${name}" DIRECTORY)
    string(MAKE_C_IDENTIFIER "${folder}" folder)
    list(APPEND of_${folder} "${file}")
    list(LENGTH of_${folder} place)
    math(EXPR part "(${place} - 1) / ${BB_MAX_UNIT_FILES}")
    set_source_files_properties("${file}" PROPERTIES UNITY_GROUP ${folder}_${part})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()
