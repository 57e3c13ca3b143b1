# Files named *.simd.cpp are compiled once per instruction set into one binary, chosen at run time.
# Each copy gets -DBB_ISA=<name> and must put its definitions into `namespace BB_ISA`; the names are
# listed in build_config.hpp: BB_ISA_NAMES is "sse4,avx2,avx512" and BB_FOR_EACH_ISA(X) is X(sse4) X(avx2) ….
# An ARM build has the one set `neon`, any other machine the one set `generic`.

if(CMAKE_OSX_ARCHITECTURES)
  set(BB_PROCESSOR "${CMAKE_OSX_ARCHITECTURES}")
else()
  set(BB_PROCESSOR "${CMAKE_SYSTEM_PROCESSOR}")
endif()

if(BB_PROCESSOR MATCHES "^(x86_64|AMD64|amd64|x64)$")
  set(BB_ISAS sse4 avx2 avx512)
  if(MSVC)
    set(BB_FLAGS_sse4)
    set(BB_FLAGS_avx2 /arch:AVX2)
    set(BB_FLAGS_avx512 /arch:AVX512)
  else()
    set(BB_FLAGS_sse4 -march=x86-64-v2)
    set(BB_FLAGS_avx2 -march=x86-64-v3)
    # The compilers prefer 256 bits by default, for clock speed on CPUs before Ice Lake.
    set(BB_FLAGS_avx512 -march=x86-64-v4 -mprefer-vector-width=512)
  endif()
elseif(BB_PROCESSOR MATCHES "^(aarch64|arm64|ARM64)$")
  set(BB_ISAS neon)
else()
  set(BB_ISAS generic)
endif()

# Errors that sanitizers detect are the same in every copy of a loop, so sanitized builds have only one: with AVX2 if
# this machine runs it, otherwise with SSE4.
if(BB_SANITIZE AND "avx2" IN_LIST BB_ISAS AND NOT MSVC)
  set(BB_ISAS sse4)
  if(NOT CMAKE_CROSSCOMPILING)
    include(CheckCXXSourceRuns)
    check_cxx_source_runs("
      int main() {
        return __builtin_cpu_supports(\"avx2\") && __builtin_cpu_supports(\"fma\") && __builtin_cpu_supports(\"bmi2\") ? 0 : 1;
      }" BB_RUNS_AVX2)
    if(BB_RUNS_AVX2)
      set(BB_ISAS avx2)
    endif()
  endif()
endif()

# `npm start` compiles the loops for the widest set that this machine supports; packages contain every set. Without
# /proc/cpuinfo or sysctl every set is compiled.
option(BB_THIS_MACHINE "Compile the loops for this machine's instruction set only" OFF)
if(BB_THIS_MACHINE AND "avx2" IN_LIST BB_ISAS AND NOT MSVC AND NOT CMAKE_CROSSCOMPILING AND NOT BB_SANITIZE)
  set(features "")
  if(EXISTS /proc/cpuinfo)
    file(STRINGS /proc/cpuinfo features REGEX "^flags" LIMIT_COUNT 1)
  elseif(APPLE)
    execute_process(COMMAND sysctl -n machdep.cpu.leaf7_features machdep.cpu.features OUTPUT_VARIABLE features ERROR_QUIET)
  endif()
  string(TOLOWER " ${features} " features)
  string(REGEX REPLACE "[ \t\r\n]+" ";" features "${features}")
  set(avx512 avx512f avx512bw avx512cd avx512dq avx512vl)
  set(avx2 avx2 fma bmi2)
  foreach(isa IN ITEMS avx512 avx2)
    set(runs ON)
    foreach(feature IN LISTS ${isa})
      if(NOT feature IN_LIST features)
        set(runs OFF)
      endif()
    endforeach()
    if(runs)
      set(BB_ISAS ${isa})
      break()
    elseif(isa STREQUAL avx2 AND "sse2" IN_LIST features)
      set(BB_ISAS sse4)
    endif()
  endforeach()
endif()

# Options for every set. Math functions set no errno and do not trap, so loops vectorise; a*b+c may be fused. The order
# of sums is preserved.
if(MSVC)
  set(BB_SIMD_FLAGS /fp:contract)
else()
  set(BB_SIMD_FLAGS -ffp-contract=fast -fno-math-errno -fno-trapping-math)
endif()

string(REPLACE ";" "," BB_ISA_NAMES "${BB_ISAS}")
set(BB_ISA_CALLS "")
foreach(isa IN LISTS BB_ISAS)
  string(APPEND BB_ISA_CALLS "X(${isa}) ")
endforeach()

# Appends the objects of `sources`, one set per instruction set, to the list named by `objects`; `name` is the prefix of
# their targets.
function(bb_add_instruction_sets name sources objects)
  if(sources)
    foreach(isa IN LISTS BB_ISAS)
      add_library(${name}_${isa} OBJECT ${sources})
      target_link_libraries(${name}_${isa} PUBLIC bb_options)
      target_compile_definitions(${name}_${isa} PRIVATE BB_ISA=${isa})
      target_compile_options(${name}_${isa} PRIVATE ${BB_FLAGS_${isa}} ${BB_SIMD_FLAGS})
      list(APPEND ${objects} $<TARGET_OBJECTS:${name}_${isa}>)
    endforeach()
    set(${objects} "${${objects}}" PARENT_SCOPE)
  endif()
endfunction()
