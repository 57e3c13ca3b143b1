# Run by kernels.cmake: compiles SOURCE to FATBIN and keeps what ptxas says of each kernel beside it.
# The options are those of native/cuda/compile/runtime_compiler.cpp; -Xptxas -v only reports.
cmake_minimum_required(VERSION 3.22)
get_filename_component(folder "${FATBIN}" DIRECTORY)
file(MAKE_DIRECTORY "${folder}")
execute_process(
  COMMAND "${NVCC}" -fatbin -std=c++20 -O3 --threads 2 "-ccbin=${HOST_COMPILER}" -Werror all-warnings -Xptxas -v
    ${GENCODE} -o "${FATBIN}" "${SOURCE}"
  RESULT_VARIABLE failed OUTPUT_VARIABLE output ERROR_VARIABLE report)
if(failed)
  file(REMOVE "${FATBIN}")
  message(FATAL_ERROR "${output}${report}")
endif()
string(REGEX REPLACE "\\.fatbin$" ".resources.txt" resources "${FATBIN}")
file(WRITE "${resources}" "${report}")
