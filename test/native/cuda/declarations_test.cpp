// Compares the declarations of NVIDIA's interfaces with the toolkit's headers at compile time, if the headers are
// installed. The test prints which of them were compared.

#include "check.hpp"
#include "cuda/api/cublas_api.hpp"
#include "cuda/api/cupti_api.hpp"
#include "cuda/api/driver_api.hpp"
#include "cuda/api/nvml_api.hpp"
#include "cuda/api/nvrtc_api.hpp"

#if __has_include(<cuda.h>)
#include <cuda.h>
#define BB_HAS_CUDA_H 1
#endif
#if BB_HAS_CUDA_H && __has_include(<cupti.h>)
#include <cupti.h>
#define BB_HAS_CUPTI_H 1
#endif
#if __has_include(<nvrtc.h>)
#include <nvrtc.h>
#define BB_HAS_NVRTC_H 1
#endif
#if BB_HAS_CUDA_H && __has_include(<cublas_v2.h>) && __has_include(<cublasLt.h>)
#include <cublasLt.h>
#include <cublas_v2.h>
#define BB_HAS_CUBLAS_H 1
#endif

namespace {

using namespace bb::cuda;

/// Checks that two types have the same size and register class, because C calling conventions depend on nothing else.
template <typename A, typename B>
constexpr bool same_passing() {
  if constexpr (std::is_void_v<A> || std::is_void_v<B>) {
    return std::is_void_v<A> && std::is_void_v<B>;
  } else {
    return sizeof(A) == sizeof(B) && std::is_pointer_v<A> == std::is_pointer_v<B> &&
           std::is_floating_point_v<A> == std::is_floating_point_v<B>;
  }
}

template <typename Ours, typename Theirs>
struct SameShape : std::false_type {};
template <typename ReturnA, typename... A, typename ReturnB, typename... B>
struct SameShape<ReturnA (*)(A...), ReturnB (*)(B...)> {
  static constexpr bool value = [] {
    if constexpr (sizeof...(A) != sizeof...(B)) {
      return false;
    } else {
      return same_passing<ReturnA, ReturnB>() && (same_passing<A, B>() && ...);
    }
  }();
};

static_assert(SameShape<int (*)(void*), int (*)(char*)>::value);
static_assert(!SameShape<int (*)(int), int (*)(long)>::value);
static_assert(!SameShape<int (*)(int), int (*)(float)>::value);
static_assert(!SameShape<int (*)(int, int), int (*)(int)>::value);

#if BB_HAS_CUDA_H

#define BB_SAME(member, symbol, parameters) \
  static_assert(SameShape<decltype(api::DriverApi::member), decltype(&::symbol)>::value, #symbol);
BB_CUDA_DRIVER_REQUIRED(BB_SAME)
#if CUDA_VERSION >= 12040
BB_CUDA_DRIVER_OPTIONAL(BB_SAME)
#endif
#undef BB_SAME

#define BB_VALUE(ours, theirs) static_assert(static_cast<int>(ours) == static_cast<int>(theirs), #theirs)
BB_VALUE(api::status::kInvalidValue, CUDA_ERROR_INVALID_VALUE);
BB_VALUE(api::status::kOutOfMemory, CUDA_ERROR_OUT_OF_MEMORY);
BB_VALUE(api::status::kStubLibrary, CUDA_ERROR_STUB_LIBRARY);
BB_VALUE(api::status::kNoDevice, CUDA_ERROR_NO_DEVICE);
BB_VALUE(api::status::kInvalidImage, CUDA_ERROR_INVALID_IMAGE);
BB_VALUE(api::status::kNoBinaryForGpu, CUDA_ERROR_NO_BINARY_FOR_GPU);
BB_VALUE(api::status::kEccUncorrectable, CUDA_ERROR_ECC_UNCORRECTABLE);
BB_VALUE(api::status::kInvalidPtx, CUDA_ERROR_INVALID_PTX);
BB_VALUE(api::status::kNvlinkUncorrectable, CUDA_ERROR_NVLINK_UNCORRECTABLE);
BB_VALUE(api::status::kUnsupportedPtxVersion, CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
BB_VALUE(api::status::kNotFound, CUDA_ERROR_NOT_FOUND);
BB_VALUE(api::status::kNotReady, CUDA_ERROR_NOT_READY);
BB_VALUE(api::status::kIllegalAddress, CUDA_ERROR_ILLEGAL_ADDRESS);
BB_VALUE(api::status::kLaunchOutOfResources, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
BB_VALUE(api::status::kLaunchTimeout, CUDA_ERROR_LAUNCH_TIMEOUT);
BB_VALUE(api::status::kAssert, CUDA_ERROR_ASSERT);
BB_VALUE(api::status::kHardwareStackError, CUDA_ERROR_HARDWARE_STACK_ERROR);
BB_VALUE(api::status::kIllegalInstruction, CUDA_ERROR_ILLEGAL_INSTRUCTION);
BB_VALUE(api::status::kMisalignedAddress, CUDA_ERROR_MISALIGNED_ADDRESS);
BB_VALUE(api::status::kInvalidAddressSpace, CUDA_ERROR_INVALID_ADDRESS_SPACE);
BB_VALUE(api::status::kInvalidPc, CUDA_ERROR_INVALID_PC);
BB_VALUE(api::status::kLaunchFailed, CUDA_ERROR_LAUNCH_FAILED);
BB_VALUE(api::status::kNotSupported, CUDA_ERROR_NOT_SUPPORTED);
BB_VALUE(api::status::kSystemNotReady, CUDA_ERROR_SYSTEM_NOT_READY);
BB_VALUE(api::status::kSystemDriverMismatch, CUDA_ERROR_SYSTEM_DRIVER_MISMATCH);
BB_VALUE(api::status::kExternalDevice, CUDA_ERROR_EXTERNAL_DEVICE);
BB_VALUE(api::status::kUnknown, CUDA_ERROR_UNKNOWN);
#if CUDA_VERSION >= 13000
BB_VALUE(api::status::kContained, CUDA_ERROR_CONTAINED);
BB_VALUE(api::status::kTensorMemoryLeak, CUDA_ERROR_TENSOR_MEMORY_LEAK);
#endif

using api::DeviceAttribute;
BB_VALUE(DeviceAttribute::kMaxThreadsPerBlock, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
BB_VALUE(DeviceAttribute::kSharedMemoryPerBlock, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
BB_VALUE(DeviceAttribute::kWarpSize, CU_DEVICE_ATTRIBUTE_WARP_SIZE);
BB_VALUE(DeviceAttribute::kClockRate_kHz, CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
BB_VALUE(DeviceAttribute::kMultiprocessors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
BB_VALUE(DeviceAttribute::kKernelTimeout, CU_DEVICE_ATTRIBUTE_KERNEL_EXEC_TIMEOUT);
BB_VALUE(DeviceAttribute::kIntegrated, CU_DEVICE_ATTRIBUTE_INTEGRATED);
BB_VALUE(DeviceAttribute::kComputeMode, CU_DEVICE_ATTRIBUTE_COMPUTE_MODE);
BB_VALUE(api::kComputeModeProhibited, CU_COMPUTEMODE_PROHIBITED);
BB_VALUE(DeviceAttribute::kEccEnabled, CU_DEVICE_ATTRIBUTE_ECC_ENABLED);
BB_VALUE(DeviceAttribute::kMemoryClockRate_kHz, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE);
BB_VALUE(DeviceAttribute::kMemoryBusWidth_bits, CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH);
BB_VALUE(DeviceAttribute::kL2_bytes, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
BB_VALUE(DeviceAttribute::kMaxThreadsPerMultiprocessor, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
BB_VALUE(DeviceAttribute::kComputeCapabilityMajor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
BB_VALUE(DeviceAttribute::kComputeCapabilityMinor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
BB_VALUE(DeviceAttribute::kSharedMemoryPerMultiprocessor, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
BB_VALUE(DeviceAttribute::kRegistersPerMultiprocessor, CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR);
BB_VALUE(DeviceAttribute::kCooperativeLaunch, CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH);
BB_VALUE(DeviceAttribute::kSharedMemoryPerBlockOptin, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
BB_VALUE(DeviceAttribute::kMaxBlocksPerMultiprocessor, CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR);
BB_VALUE(DeviceAttribute::kMaxPersistingL2_bytes, CU_DEVICE_ATTRIBUTE_MAX_PERSISTING_L2_CACHE_SIZE);
BB_VALUE(DeviceAttribute::kReservedSharedMemoryPerBlock, CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK);
BB_VALUE(DeviceAttribute::kClusterLaunch, CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH);

using api::FunctionAttribute;
BB_VALUE(FunctionAttribute::kMaxThreadsPerBlock, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
BB_VALUE(FunctionAttribute::kSharedSize_bytes, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
BB_VALUE(FunctionAttribute::kConstSize_bytes, CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES);
BB_VALUE(FunctionAttribute::kLocalSize_bytes, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
BB_VALUE(FunctionAttribute::kRegisters, CU_FUNC_ATTRIBUTE_NUM_REGS);
BB_VALUE(FunctionAttribute::kPtxVersion, CU_FUNC_ATTRIBUTE_PTX_VERSION);
BB_VALUE(FunctionAttribute::kBinaryVersion, CU_FUNC_ATTRIBUTE_BINARY_VERSION);
BB_VALUE(FunctionAttribute::kMaxDynamicSharedSize_bytes, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
BB_VALUE(FunctionAttribute::kPreferredSharedMemoryCarveout, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT);
BB_VALUE(FunctionAttribute::kNonPortableClusterSizeAllowed, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED);

BB_VALUE(api::JitOption::kErrorLogBuffer, CU_JIT_ERROR_LOG_BUFFER);
BB_VALUE(api::JitOption::kErrorLogBufferSize_bytes, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES);
BB_VALUE(api::Limit::kStackSize, CU_LIMIT_STACK_SIZE);
BB_VALUE(api::Limit::kPrintfFifoSize, CU_LIMIT_PRINTF_FIFO_SIZE);
BB_VALUE(api::Limit::kMallocHeapSize, CU_LIMIT_MALLOC_HEAP_SIZE);
BB_VALUE(api::Limit::kPersistingL2, CU_LIMIT_PERSISTING_L2_CACHE_SIZE);
BB_VALUE(api::CaptureMode::kThreadLocal, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
BB_VALUE(api::CaptureMode::kRelaxed, CU_STREAM_CAPTURE_MODE_RELAXED);
BB_VALUE(api::AccessProperty::kStreaming, CU_ACCESS_PROPERTY_STREAMING);
BB_VALUE(api::AccessProperty::kPersisting, CU_ACCESS_PROPERTY_PERSISTING);
BB_VALUE(api::kStreamDefault, CU_STREAM_DEFAULT);
BB_VALUE(api::kStreamNonBlocking, CU_STREAM_NON_BLOCKING);
BB_VALUE(api::kEventDefault, CU_EVENT_DEFAULT);
BB_VALUE(api::kEventDisableTiming, CU_EVENT_DISABLE_TIMING);
BB_VALUE(api::LaunchAttributeId::kAccessPolicyWindow, CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW);
BB_VALUE(api::LaunchAttributeId::kCooperative, CU_LAUNCH_ATTRIBUTE_COOPERATIVE);
BB_VALUE(api::LaunchAttributeId::kClusterDimension, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION);
BB_VALUE(api::LaunchAttributeId::kProgrammaticStreamSerialization,
         CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION);
BB_VALUE(api::LaunchAttributeId::kPriority, CU_LAUNCH_ATTRIBUTE_PRIORITY);
#if CUDA_VERSION >= 12040
BB_VALUE(api::GraphNodeType::kConditional, CU_GRAPH_NODE_TYPE_CONDITIONAL);
BB_VALUE(api::ConditionalType::kWhile, CU_GRAPH_COND_TYPE_WHILE);
BB_VALUE(api::kConditionalAssignDefault, CU_GRAPH_COND_ASSIGN_DEFAULT);
#endif

#define BB_OFFSET(Ours, ours, Theirs, theirs)                                                                     \
  static_assert(offsetof(Ours, ours) == offsetof(Theirs, theirs) && sizeof(Ours::ours) == sizeof(Theirs::theirs), \
                #Theirs "." #theirs)
static_assert(sizeof(api::DevicePointer) == sizeof(CUdeviceptr) && sizeof(api::Uuid) == sizeof(CUuuid));
static_assert(sizeof(api::LaunchConfig) == sizeof(CUlaunchConfig));
BB_OFFSET(api::LaunchConfig, dynamic_shared_bytes, CUlaunchConfig, sharedMemBytes);
BB_OFFSET(api::LaunchConfig, stream, CUlaunchConfig, hStream);
BB_OFFSET(api::LaunchConfig, attributes, CUlaunchConfig, attrs);
BB_OFFSET(api::LaunchConfig, attribute_count, CUlaunchConfig, numAttrs);
static_assert(sizeof(api::LaunchAttribute) == sizeof(CUlaunchAttribute));
BB_OFFSET(api::LaunchAttribute, value, CUlaunchAttribute, value);
BB_OFFSET(api::LaunchAttributeValue, cluster, CUlaunchAttributeValue, clusterDim);
BB_OFFSET(api::AccessPolicyWindow, bytes, CUaccessPolicyWindow, num_bytes);
BB_OFFSET(api::AccessPolicyWindow, hit_ratio, CUaccessPolicyWindow, hitRatio);
BB_OFFSET(api::AccessPolicyWindow, miss, CUaccessPolicyWindow, missProp);
#if CUDA_VERSION >= 12040
static_assert(sizeof(api::GraphEdgeData) == sizeof(CUgraphEdgeData));
static_assert(sizeof(api::GraphNodeParams) == sizeof(CUgraphNodeParams));
static_assert(sizeof(api::GraphExecUpdateResultInfo) == sizeof(CUgraphExecUpdateResultInfo));
BB_OFFSET(api::GraphNodeParams, conditional.handle, CUgraphNodeParams, conditional.handle);
BB_OFFSET(api::GraphNodeParams, conditional.type, CUgraphNodeParams, conditional.type);
BB_OFFSET(api::GraphNodeParams, conditional.size, CUgraphNodeParams, conditional.size);
BB_OFFSET(api::GraphNodeParams, conditional.bodies, CUgraphNodeParams, conditional.phGraph_out);
#endif

#endif  // BB_HAS_CUDA_H

#if BB_HAS_CUPTI_H

#define BB_SAME(member, symbol, parameters) \
  static_assert(SameShape<decltype(api::CuptiApi::member), decltype(&::symbol)>::value, #symbol);
BB_CUDA_CUPTI_REQUIRED(BB_SAME)
#undef BB_SAME
static_assert(SameShape<api::BufferRequested, CUpti_BuffersCallbackRequestFunc>::value);
static_assert(SameShape<api::BufferCompleted, CUpti_BuffersCallbackCompleteFunc>::value);
static_assert(SameShape<api::TimestampCallback, CUpti_TimestampCallbackFunc>::value);

BB_VALUE(api::ActivityKind::kMemcpy, CUPTI_ACTIVITY_KIND_MEMCPY);
BB_VALUE(api::ActivityKind::kMemset, CUPTI_ACTIVITY_KIND_MEMSET);
BB_VALUE(api::ActivityKind::kDriver, CUPTI_ACTIVITY_KIND_DRIVER);
BB_VALUE(api::ActivityKind::kConcurrentKernel, CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
BB_VALUE(api::ActivityKind::kGraphTrace, CUPTI_ACTIVITY_KIND_GRAPH_TRACE);
BB_VALUE(api::CopyKind::kHostToDevice, CUPTI_ACTIVITY_MEMCPY_KIND_HTOD);
BB_VALUE(api::CopyKind::kDeviceToHost, CUPTI_ACTIVITY_MEMCPY_KIND_DTOH);
BB_VALUE(api::CopyKind::kDeviceToDevice, CUPTI_ACTIVITY_MEMCPY_KIND_DTOD);
BB_VALUE(api::CopyKind::kPeerToPeer, CUPTI_ACTIVITY_MEMCPY_KIND_PTOP);
BB_VALUE(api::kCuptiMaxLimitReached, CUPTI_ERROR_MAX_LIMIT_REACHED);
BB_VALUE(api::kCuptiDomainDriver, CUPTI_CB_DOMAIN_DRIVER_API);
BB_VALUE(api::kCuptiFlushForced, CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);

#define BB_KERNEL_RECORD(Theirs)                                                      \
  BB_OFFSET(api::KernelRecord, kind, Theirs, kind);                                   \
  BB_OFFSET(api::KernelRecord, registers_per_thread, Theirs, registersPerThread);     \
  BB_OFFSET(api::KernelRecord, start_ns, Theirs, start);                              \
  BB_OFFSET(api::KernelRecord, end_ns, Theirs, end);                                  \
  BB_OFFSET(api::KernelRecord, device, Theirs, deviceId);                             \
  BB_OFFSET(api::KernelRecord, stream, Theirs, streamId);                             \
  BB_OFFSET(api::KernelRecord, grid_x, Theirs, gridX);                                \
  BB_OFFSET(api::KernelRecord, block_z, Theirs, blockZ);                              \
  BB_OFFSET(api::KernelRecord, static_shared_bytes, Theirs, staticSharedMemory);      \
  BB_OFFSET(api::KernelRecord, dynamic_shared_bytes, Theirs, dynamicSharedMemory);    \
  BB_OFFSET(api::KernelRecord, local_bytes_per_thread, Theirs, localMemoryPerThread); \
  BB_OFFSET(api::KernelRecord, correlation, Theirs, correlationId);                   \
  BB_OFFSET(api::KernelRecord, name, Theirs, name);                                   \
  BB_OFFSET(api::KernelRecord, shared_bytes_executed, Theirs, sharedMemoryExecuted);  \
  BB_OFFSET(api::KernelRecord, graph_node, Theirs, graphNodeId);                      \
  BB_OFFSET(api::KernelRecord, graph, Theirs, graphId);                               \
  static_assert(sizeof(api::KernelRecord) <= sizeof(Theirs))
BB_KERNEL_RECORD(CUpti_ActivityKernel6);
BB_KERNEL_RECORD(CUpti_ActivityKernel7);
BB_KERNEL_RECORD(CUpti_ActivityKernel8);
BB_KERNEL_RECORD(CUpti_ActivityKernel9);
#if CUPTI_API_VERSION >= 130001
BB_KERNEL_RECORD(CUpti_ActivityKernel10);
#endif

#define BB_TRANSFER_RECORD(Ours, Theirs)               \
  BB_OFFSET(Ours, bytes, Theirs, bytes);               \
  BB_OFFSET(Ours, start_ns, Theirs, start);            \
  BB_OFFSET(Ours, end_ns, Theirs, end);                \
  BB_OFFSET(Ours, stream, Theirs, streamId);           \
  BB_OFFSET(Ours, correlation, Theirs, correlationId); \
  BB_OFFSET(Ours, graph_node, Theirs, graphNodeId);    \
  BB_OFFSET(Ours, graph, Theirs, graphId);             \
  static_assert(sizeof(Ours) <= sizeof(Theirs))
BB_TRANSFER_RECORD(api::MemcpyRecord, CUpti_ActivityMemcpy4);
BB_TRANSFER_RECORD(api::MemcpyRecord, CUpti_ActivityMemcpy5);
BB_OFFSET(api::MemcpyRecord, copy_kind, CUpti_ActivityMemcpy5, copyKind);
BB_TRANSFER_RECORD(api::MemsetRecord, CUpti_ActivityMemset3);
BB_TRANSFER_RECORD(api::MemsetRecord, CUpti_ActivityMemset4);
#if CUPTI_API_VERSION >= 130001
BB_TRANSFER_RECORD(api::MemcpyRecord, CUpti_ActivityMemcpy6);
#endif

BB_OFFSET(api::ApiRecord, callback, CUpti_ActivityAPI, cbid);
BB_OFFSET(api::ApiRecord, start_ns, CUpti_ActivityAPI, start);
BB_OFFSET(api::ApiRecord, thread, CUpti_ActivityAPI, threadId);
BB_OFFSET(api::ApiRecord, correlation, CUpti_ActivityAPI, correlationId);
BB_OFFSET(api::GraphRecord, correlation, CUpti_ActivityGraphTrace, correlationId);
BB_OFFSET(api::GraphRecord, end_ns, CUpti_ActivityGraphTrace, end);
BB_OFFSET(api::GraphRecord, graph, CUpti_ActivityGraphTrace, graphId);
BB_OFFSET(api::GraphRecord, stream, CUpti_ActivityGraphTrace, streamId);

#endif  // BB_HAS_CUPTI_H

#if BB_HAS_NVRTC_H
#define BB_SAME(member, symbol, ...) \
  static_assert(SameShape<decltype(api::NvrtcApi::member), decltype(&::symbol)>::value, #symbol);
BB_CUDA_NVRTC_REQUIRED(BB_SAME)
#undef BB_SAME
static_assert(api::kNvrtcErrorCompilation == NVRTC_ERROR_COMPILATION);
#endif

#if BB_HAS_CUBLAS_H
#define BB_SAME(member, symbol, ...) \
  static_assert(SameShape<decltype(api::CublasApi::member), decltype(&::symbol)>::value, #symbol);
BB_CUDA_CUBLAS_REQUIRED(BB_SAME)
#undef BB_SAME
using GemmEx = cublasStatus_t (*)(cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int, int, const void*,
                                  const void*, cudaDataType, int, const void*, cudaDataType, int, const void*, void*,
                                  cudaDataType, int, cublasComputeType_t, cublasGemmAlgo_t);
static_assert(static_cast<GemmEx>(&::cublasGemmEx) != nullptr);
static_assert(SameShape<decltype(api::CublasApi::GemmEx), GemmEx>::value);
#define BB_SAME(member, symbol, ...) \
  static_assert(SameShape<decltype(api::CublasLtApi::member), decltype(&::symbol)>::value, #symbol);
BB_CUDA_CUBLASLT_REQUIRED(BB_SAME)
#undef BB_SAME
#define BB_EQUAL(ours, theirs) static_assert(static_cast<int>(ours) == static_cast<int>(theirs), #theirs)
BB_EQUAL(api::CublasOperation::kTranspose, CUBLAS_OP_T);
BB_EQUAL(api::DataType::kFp32, CUDA_R_32F);
BB_EQUAL(api::DataType::kBf16, CUDA_R_16BF);
BB_EQUAL(api::CublasCompute::kFp32, CUBLAS_COMPUTE_32F);
BB_EQUAL(api::CublasCompute::kFp32ByTf32, CUBLAS_COMPUTE_32F_FAST_TF32);
BB_EQUAL(api::MatmulAttribute::kTransA, CUBLASLT_MATMUL_DESC_TRANSA);
BB_EQUAL(api::MatmulAttribute::kTransB, CUBLASLT_MATMUL_DESC_TRANSB);
BB_EQUAL(api::MatmulAttribute::kEpilogue, CUBLASLT_MATMUL_DESC_EPILOGUE);
BB_EQUAL(api::MatmulAttribute::kBiasPointer, CUBLASLT_MATMUL_DESC_BIAS_POINTER);
BB_EQUAL(api::MatmulAttribute::kAuxPointer, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER);
BB_EQUAL(api::MatmulAttribute::kAuxLd, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD);
BB_EQUAL(api::MatmulAttribute::kBiasDataType, CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE);
BB_EQUAL(api::PreferenceAttribute::kMaxWorkspaceBytes, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES);
BB_EQUAL(api::Epilogue::kDefault, CUBLASLT_EPILOGUE_DEFAULT);
BB_EQUAL(api::Epilogue::kRelu, CUBLASLT_EPILOGUE_RELU);
BB_EQUAL(api::Epilogue::kReluBias, CUBLASLT_EPILOGUE_RELU_BIAS);
BB_EQUAL(api::Epilogue::kReluAux, CUBLASLT_EPILOGUE_RELU_AUX);
BB_EQUAL(api::Epilogue::kReluAuxBias, CUBLASLT_EPILOGUE_RELU_AUX_BIAS);
BB_EQUAL(api::Epilogue::kDrelu, CUBLASLT_EPILOGUE_DRELU);
BB_EQUAL(api::Epilogue::kDreluBgrad, CUBLASLT_EPILOGUE_DRELU_BGRAD);
BB_EQUAL(api::Epilogue::kBgradB, CUBLASLT_EPILOGUE_BGRADB);
#undef BB_EQUAL
static_assert(sizeof(api::MatmulHeuristic) == sizeof(cublasLtMatmulHeuristicResult_t));
static_assert(offsetof(api::MatmulHeuristic, workspace_bytes) ==
              offsetof(cublasLtMatmulHeuristicResult_t, workspaceSize));
static_assert(offsetof(api::MatmulHeuristic, state) == offsetof(cublasLtMatmulHeuristicResult_t, state));
#endif

}  // namespace

TEST("CUDA declarations have the sizes of the C interfaces that they mirror") {
  // Sizes that the compile-time comparison above does not include; they hold on LP64 and LLP64.
  CHECK_EQ(sizeof(api::LaunchAttribute), std::size_t{72});
  CHECK_EQ(sizeof(api::LaunchConfig), std::size_t{56});
  CHECK_EQ(sizeof(api::GraphNodeParams), std::size_t{256});
  CHECK_EQ(offsetof(api::KernelRecord, graph), std::size_t{156});
  CHECK_EQ(offsetof(api::MemcpyRecord, graph), std::size_t{72});
  CHECK_EQ(sizeof(api::NvmlMemory), std::size_t{24});
}
