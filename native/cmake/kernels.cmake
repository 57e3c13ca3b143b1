# The CUDA kernels: kernels/<workload>/<workload>.cu includes the files of all its variants and becomes
# dist/kernels/<workload>.fatbin, if nvcc is found. Their sources go to dist/kernels/source either way, for
# NVRTC, which compiles them at run time where there is no fatbin.
#   <workload>.resources.txt beside the fatbin is what ptxas says of registers, shared memory and spills.

set(BB_KERNEL_OUTPUT "${BB_OUTPUT}/../kernels")
option(BB_CUDA_KERNELS "Compile the CUDA kernels where nvcc is found" ON)

find_program(BB_NVCC nvcc HINTS ENV CUDA_PATH ENV CUDA_HOME PATHS /usr/local/cuda PATH_SUFFIXES bin)
find_path(BB_CUDA_INCLUDE_FOLDER cuda.h HINTS ENV CUDA_PATH ENV CUDA_HOME PATHS /usr/local/cuda PATH_SUFFIXES include)
set(BB_CUDA_INCLUDE "")
if(BB_CUDA_INCLUDE_FOLDER)
  # CUPTI's headers lie beside cuda.h or in the toolkit's extras.
  set(BB_CUDA_INCLUDE "${BB_CUDA_INCLUDE_FOLDER}" "${BB_CUDA_INCLUDE_FOLDER}/../extras/CUPTI/include")
endif()

# Machine code for each architecture that the compiler knows of these, and PTX for what is newer: compute_90
# serves chips between (11.0), the newest those to come.
set(BB_CUDA_ARCHITECTURES 80 86 89 90 100 120 CACHE STRING "Architectures of the CUDA kernels")
set(BB_CUDA_PTX 90 120 CACHE STRING "Architectures that PTX is kept for")

file(GLOB_RECURSE BB_KERNEL_SOURCES CONFIGURE_DEPENDS
  "${BB_ROOT}/kernels/*.cu" "${BB_ROOT}/kernels/*.cuh" "${BB_ROOT}/kernels/*.hpp")

set(BB_KERNEL_COPIES "")
foreach(source IN LISTS BB_KERNEL_SOURCES)
  file(RELATIVE_PATH name "${BB_ROOT}/kernels" "${source}")
  set(copy "${BB_KERNEL_OUTPUT}/source/${name}")
  add_custom_command(OUTPUT "${copy}" DEPENDS "${source}"
    COMMAND "${CMAKE_COMMAND}" -E copy "${source}" "${copy}" VERBATIM)
  list(APPEND BB_KERNEL_COPIES "${copy}")
endforeach()
add_custom_target(bb_kernel_sources ALL DEPENDS ${BB_KERNEL_COPIES})

if(BB_NVCC AND BB_CUDA_KERNELS)
  execute_process(COMMAND "${BB_NVCC}" --list-gpu-arch OUTPUT_VARIABLE known OUTPUT_STRIP_TRAILING_WHITESPACE
    RESULT_VARIABLE failed)
  if(failed)
    message(WARNING "${BB_NVCC} does not run, so no CUDA kernels are compiled")
  endif()
  string(REGEX REPLACE "[\r\n]+" ";" known "${known}")
  set(BB_GENCODE "")
  foreach(architecture IN LISTS BB_CUDA_ARCHITECTURES)
    if("compute_${architecture}" IN_LIST known)
      list(APPEND BB_GENCODE "-gencode=arch=compute_${architecture},code=sm_${architecture}")
    endif()
  endforeach()
  foreach(architecture IN LISTS BB_CUDA_PTX)
    if("compute_${architecture}" IN_LIST known)
      list(APPEND BB_GENCODE "-gencode=arch=compute_${architecture},code=compute_${architecture}")
    endif()
  endforeach()

  set(BB_FATBINS "")
  foreach(source IN LISTS BB_KERNEL_SOURCES)
    get_filename_component(workload "${source}" NAME_WE)
    get_filename_component(folder "${source}" DIRECTORY)
    get_filename_component(folder "${folder}" NAME)
    if(source MATCHES "\\.cu$" AND workload STREQUAL folder)
      set(fatbin "${BB_KERNEL_OUTPUT}/${workload}.fatbin")
      add_custom_command(OUTPUT "${fatbin}" DEPENDS ${BB_KERNEL_SOURCES} "${CMAKE_CURRENT_LIST_DIR}/compile_fatbin.cmake"
        COMMAND "${CMAKE_COMMAND}" "-DNVCC=${BB_NVCC}" "-DGENCODE=${BB_GENCODE}" "-DSOURCE=${source}" "-DFATBIN=${fatbin}"
          "-DHOST_COMPILER=${CMAKE_CXX_COMPILER}" -P "${CMAKE_CURRENT_LIST_DIR}/compile_fatbin.cmake"
        COMMENT "nvcc ${workload}.fatbin" VERBATIM)
      list(APPEND BB_FATBINS "${fatbin}")
    endif()
  endforeach()
  add_custom_target(bb_fatbins ALL DEPENDS ${BB_FATBINS})
endif()
