#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "../loader/dynamic_library.hpp"
#include "calling_convention.hpp"
#include "cupti_records.hpp"
#include "driver_types.hpp"

// CUPTI's activity interface, as far as we use it.
namespace bb::cuda::api {

using CuptiStatus = int;
inline constexpr CuptiStatus kCuptiSuccess = 0, kCuptiMaxLimitReached = 12, kCuptiMultipleSubscribers = 39;
inline constexpr int kCuptiDomainDriver = 1;
inline constexpr std::uint32_t kCuptiFlushForced = 1;  // CUPTI_ACTIVITY_FLAG_FLUSH_FORCED

using BufferRequested = void(BB_CUDA_CALL*)(std::uint8_t** buffer, std::size_t* size, std::size_t* max_records);
using BufferCompleted = void(BB_CUDA_CALL*)(Context context, std::uint32_t stream, std::uint8_t* buffer,
                                            std::size_t size, std::size_t valid_size);
using TimestampCallback = std::uint64_t(BB_CUDA_CALL*)();

// ActivityRegisterTimestampCallback came with CUDA 11.6.
#define BB_CUDA_CUPTI_REQUIRED(X)                                                                   \
  X(GetVersion, cuptiGetVersion, (std::uint32_t* version))                                          \
  X(GetResultString, cuptiGetResultString, (CuptiStatus status, const char** text))                 \
  X(GetCallbackName, cuptiGetCallbackName, (int domain, std::uint32_t callback, const char** name)) \
  X(ActivityRegisterCallbacks, cuptiActivityRegisterCallbacks, (BufferRequested, BufferCompleted))  \
  X(ActivityRegisterTimestampCallback, cuptiActivityRegisterTimestampCallback, (TimestampCallback)) \
  X(ActivityEnable, cuptiActivityEnable, (ActivityKind kind))                                       \
  X(ActivityDisable, cuptiActivityDisable, (ActivityKind kind))                                     \
  X(ActivityFlushAll, cuptiActivityFlushAll, (std::uint32_t flags))                                 \
  X(ActivityGetNextRecord, cuptiActivityGetNextRecord,                                              \
    (std::uint8_t* buffer, std::size_t valid_size, ActivityRecord** record))                        \
  X(ActivityGetNumDroppedRecords, cuptiActivityGetNumDroppedRecords,                                \
    (Context context, std::uint32_t stream, std::size_t* dropped))

struct CuptiApi {
#define BB_MEMBER(member, symbol, parameters) CuptiStatus(BB_CUDA_CALL* member) parameters = nullptr;
  BB_CUDA_CUPTI_REQUIRED(BB_MEMBER)
#undef BB_MEMBER

  /// Returns the first symbol that `library` lacks, or "".
  std::string resolve(const DynamicLibrary& library);
};

}  // namespace bb::cuda::api
