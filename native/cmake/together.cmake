# Half of compiling a small file is reading headers and making what every file makes of the standard library's templates:
# those of a folder are compiled a few at a time, as one. Names without linkage then meet: files of a folder do not
# define the same. -DBB_TOGETHER=OFF compiles every file by itself.
option(BB_TOGETHER "Compile small files of a folder a few at a time" ON)

# Few enough that the cores have about as much to do each.
set(BB_TOGETHER_MOST 12)

# By themselves: what opens a namespace (`using namespace`) whose names others have for something else, what includes
# CUDA's own headers, the large files of the binding, each with a State, and what two addons compile in two ways.
set(BB_APART "/(trace/(activity_trace|record_spans)|transport/cpu/window|transport/(model/(reaction_grid|step_operators|tables)|moments/(march|tangents)|beam_march|tables)|cuda/declarations_test|gpu/[a-z_]+_test|physics/diffraction_table|binding/(addon|runs/([a-z]+_run|problem)))\\.cpp$")

# `...`: files of the target.
function(bb_compile_together target)
  if(NOT BB_TOGETHER)
    return()
  endif()
  list(FILTER ARGN EXCLUDE REGEX "${BB_APART}")
  foreach(file IN LISTS ARGN)
    file(RELATIVE_PATH name "${CMAKE_CURRENT_SOURCE_DIR}/.." "${file}")
    get_filename_component(folder "${name}" DIRECTORY)
    string(MAKE_C_IDENTIFIER "${folder}" folder)
    list(APPEND of_${folder} "${file}")
    list(LENGTH of_${folder} place)
    math(EXPR part "(${place} - 1) / ${BB_TOGETHER_MOST}")
    set_source_files_properties("${file}" PROPERTIES UNITY_GROUP ${folder}_${part})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()
