#pragma once

#include <cstddef>
#include <string>

#include "../loader/dynamic_library.hpp"
#include "driver_types.hpp"
#include "resolve.hpp"

// X(member, exported symbol, parameters). Versioned symbols are named explicitly: without cuda.h no macro maps
// cuMemAlloc to cuMemAlloc_v2, and the unversioned exports have the 32-bit ABI of CUDA 2. Every driver since CUDA 11.8
// exports these.
#define BB_CUDA_DRIVER_REQUIRED(X)                                                                                   \
  X(Init, cuInit, (unsigned flags))                                                                                  \
  X(DriverGetVersion, cuDriverGetVersion, (int* version))                                                            \
  X(GetErrorName, cuGetErrorName, (Status status, const char** text))                                                \
  X(GetErrorString, cuGetErrorString, (Status status, const char** text))                                            \
  X(DeviceGetCount, cuDeviceGetCount, (int* count))                                                                  \
  X(DeviceGet, cuDeviceGet, (DeviceOrdinal * device, int index))                                                     \
  X(DeviceGetName, cuDeviceGetName, (char* name, int length, DeviceOrdinal device))                                  \
  X(DeviceGetUuid, cuDeviceGetUuid_v2, (Uuid * uuid, DeviceOrdinal device))                                          \
  X(DeviceGetPCIBusId, cuDeviceGetPCIBusId, (char* id, int length, DeviceOrdinal device))                            \
  X(DeviceTotalMem, cuDeviceTotalMem_v2, (std::size_t* bytes, DeviceOrdinal device))                                 \
  X(DeviceGetAttribute, cuDeviceGetAttribute, (int* value, DeviceAttribute attribute, DeviceOrdinal device))         \
  X(DevicePrimaryCtxRetain, cuDevicePrimaryCtxRetain, (Context * context, DeviceOrdinal device))                     \
  X(DevicePrimaryCtxRelease, cuDevicePrimaryCtxRelease_v2, (DeviceOrdinal device))                                   \
  X(CtxSetCurrent, cuCtxSetCurrent, (Context context))                                                               \
  X(CtxGetCurrent, cuCtxGetCurrent, (Context * context))                                                             \
  X(CtxSynchronize, cuCtxSynchronize, ())                                                                            \
  X(CtxSetLimit, cuCtxSetLimit, (Limit limit, std::size_t value))                                                    \
  X(MemGetInfo, cuMemGetInfo_v2, (std::size_t* free, std::size_t* total))                                            \
  X(MemAlloc, cuMemAlloc_v2, (DevicePointer * pointer, std::size_t bytes))                                           \
  X(MemFree, cuMemFree_v2, (DevicePointer pointer))                                                                  \
  X(MemAllocHost, cuMemAllocHost_v2, (void** pointer, std::size_t bytes))                                            \
  X(MemFreeHost, cuMemFreeHost, (void* pointer))                                                                     \
  X(MemcpyHtoDAsync, cuMemcpyHtoDAsync_v2, (DevicePointer to, const void* from, std::size_t bytes, Stream stream))   \
  X(MemcpyDtoHAsync, cuMemcpyDtoHAsync_v2, (void* to, DevicePointer from, std::size_t bytes, Stream stream))         \
  X(MemcpyDtoDAsync, cuMemcpyDtoDAsync_v2, (DevicePointer to, DevicePointer from, std::size_t bytes, Stream stream)) \
  X(MemsetD8Async, cuMemsetD8Async, (DevicePointer to, unsigned char value, std::size_t count, Stream stream))       \
  X(MemsetD32Async, cuMemsetD32Async, (DevicePointer to, unsigned value, std::size_t count, Stream stream))          \
  X(StreamCreate, cuStreamCreate, (Stream * stream, unsigned flags))                                                 \
  X(StreamDestroy, cuStreamDestroy_v2, (Stream stream))                                                              \
  X(StreamSynchronize, cuStreamSynchronize, (Stream stream))                                                         \
  X(StreamQuery, cuStreamQuery, (Stream stream))                                                                     \
  X(StreamWaitEvent, cuStreamWaitEvent, (Stream stream, Event event, unsigned flags))                                \
  X(StreamSetAttribute, cuStreamSetAttribute,                                                                        \
    (Stream stream, LaunchAttributeId attribute, const LaunchAttributeValue* value))                                 \
  X(StreamBeginCapture, cuStreamBeginCapture_v2, (Stream stream, CaptureMode mode))                                  \
  X(StreamEndCapture, cuStreamEndCapture, (Stream stream, Graph * graph))                                            \
  X(EventCreate, cuEventCreate, (Event * event, unsigned flags))                                                     \
  X(EventDestroy, cuEventDestroy_v2, (Event event))                                                                  \
  X(EventRecord, cuEventRecord, (Event event, Stream stream))                                                        \
  X(EventSynchronize, cuEventSynchronize, (Event event))                                                             \
  X(EventElapsedTime, cuEventElapsedTime, (float* milliseconds, Event start, Event end))                             \
  X(ModuleLoadDataEx, cuModuleLoadDataEx,                                                                            \
    (Module * module, const void* image, unsigned count, JitOption* options, void** values))                         \
  X(ModuleUnload, cuModuleUnload, (Module module))                                                                   \
  X(ModuleGetFunction, cuModuleGetFunction, (Function * function, Module module, const char* name))                  \
  X(ModuleGetGlobal, cuModuleGetGlobal_v2,                                                                           \
    (DevicePointer * pointer, std::size_t* bytes, Module module, const char* name))                                  \
  X(FuncGetAttribute, cuFuncGetAttribute, (int* value, FunctionAttribute attribute, Function function))              \
  X(FuncSetAttribute, cuFuncSetAttribute, (Function function, FunctionAttribute attribute, int value))               \
  X(LaunchKernelEx, cuLaunchKernelEx, (const LaunchConfig* config, Function function, void** params, void** extra))  \
  X(OccupancyMaxActiveBlocks, cuOccupancyMaxActiveBlocksPerMultiprocessor,                                           \
    (int* blocks, Function function, int threads, std::size_t dynamic_shared_bytes))                                 \
  X(GraphCreate, cuGraphCreate, (Graph * graph, unsigned flags))                                                     \
  X(GraphDestroy, cuGraphDestroy, (Graph graph))                                                                     \
  X(GraphGetNodes, cuGraphGetNodes, (Graph graph, GraphNode * nodes, std::size_t* count))                            \
  X(GraphInstantiate, cuGraphInstantiateWithFlags, (GraphExec * exec, Graph graph, unsigned long long flags))        \
  X(GraphExecDestroy, cuGraphExecDestroy, (GraphExec exec))                                                          \
  X(GraphUpload, cuGraphUpload, (GraphExec exec, Stream stream))                                                     \
  X(GraphLaunch, cuGraphLaunch, (GraphExec exec, Stream stream))

// Newer functions, null in an older driver; callers must check.
#define BB_CUDA_DRIVER_OPTIONAL(X)                                                                                \
  X(FuncGetParamInfo, cuFuncGetParamInfo,                                                                         \
    (Function function, std::size_t index, std::size_t* offset, std::size_t* size))                               \
  X(StreamBeginCaptureToGraph, cuStreamBeginCaptureToGraph,                                                       \
    (Stream stream, Graph graph, const GraphNode* dependencies, const GraphEdgeData* edges, std::size_t count,    \
     CaptureMode mode))                                                                                           \
  X(GraphExecUpdate, cuGraphExecUpdate_v2, (GraphExec exec, Graph graph, GraphExecUpdateResultInfo * info))       \
  X(GraphAddNode, cuGraphAddNode_v2,                                                                              \
    (GraphNode * node, Graph graph, const GraphNode* dependencies, const GraphEdgeData* edges, std::size_t count, \
     GraphNodeParams* params))                                                                                    \
  X(GraphConditionalHandleCreate, cuGraphConditionalHandleCreate,                                                 \
    (ConditionalHandle * handle, Graph graph, Context context, unsigned default_value, unsigned flags))

namespace bb::cuda::api {

/// The driver's functions, resolved at run time.
struct DriverApi {
#define BB_MEMBER(member, symbol, parameters) Status(BB_CUDA_CALL* member) parameters = nullptr;
  BB_CUDA_DRIVER_REQUIRED(BB_MEMBER)
  BB_CUDA_DRIVER_OPTIONAL(BB_MEMBER)
#undef BB_MEMBER

  /// Fills the table. Returns the name of the first required symbol that `library` lacks, or "".
  std::string resolve(const DynamicLibrary& library);
};

}  // namespace bb::cuda::api
