#include "buffer.hpp"

#include <string>
#include <utility>

#include "stream.hpp"

namespace bb::cuda {
namespace {

/// Queues a copy or memset.
template <typename Call>
void move(SpanKind kind, const char* name, std::size_t bytes, Stream& stream, const char* call, Call&& queue) {
  api::Status status = api::status::kSuccess;
  Span work;
  work.kind = kind;
  work.name = name;
  work.bytes = bytes;
  queue_watched(stream, work, call, [&] { status = queue(); });
  stream.check(status, call);
}

}  // namespace

DeviceMemoryBlock::DeviceMemoryBlock(std::shared_ptr<Device> device, std::size_t bytes, Reuse reuse)
    : device_(std::move(device)), taken_(device_->allocate_memory(bytes, reuse)) {}

DeviceMemoryBlock::~DeviceMemoryBlock() {
  if (taken_.pointer != 0) device_->release_memory(taken_);
}

void DeviceMemoryBlock::upload(std::span<const std::byte> source, Stream& stream, std::size_t offset) {
  move(SpanKind::kCopy, "copy host to device", source.size(), stream, "cuMemcpyHtoDAsync_v2",
       [&] { return driver().MemcpyHtoDAsync(pointer() + offset, source.data(), source.size(), stream.handle()); });
}

void DeviceMemoryBlock::download(std::span<std::byte> target, Stream& stream, std::size_t offset) const {
  move(SpanKind::kCopy, "copy device to host", target.size(), stream, "cuMemcpyDtoHAsync_v2",
       [&] { return driver().MemcpyDtoHAsync(target.data(), pointer() + offset, target.size(), stream.handle()); });
}

void DeviceMemoryBlock::copy_from(const DeviceMemoryBlock& source, std::size_t bytes, Stream& stream) {
  move(SpanKind::kCopy, "copy device to device", bytes, stream, "cuMemcpyDtoDAsync_v2",
       [&] { return driver().MemcpyDtoDAsync(pointer(), source.pointer(), bytes, stream.handle()); });
}

void DeviceMemoryBlock::fill(unsigned char value, std::size_t bytes, Stream& stream) {
  move(SpanKind::kMemset, "memset", bytes, stream, "cuMemsetD8Async",
       [&] { return driver().MemsetD8Async(pointer(), value, bytes, stream.handle()); });
}

void refuse_copy(std::size_t count, std::size_t offset, std::size_t size) {
  throw Error("invalid", "A copy of " + std::to_string(count) + " values at " + std::to_string(offset) +
                             " exceeds a device buffer of " + std::to_string(size) + ".");
}

}  // namespace bb::cuda
