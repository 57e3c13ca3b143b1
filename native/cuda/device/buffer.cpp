#include "buffer.hpp"

#include <string>

#include "watched.hpp"

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

DeviceMemoryBlock::DeviceMemoryBlock(std::shared_ptr<Device> device, std::size_t bytes) : device_(std::move(device)) {
  if (bytes == 0) return;
  device_->make_current();
  const api::Status status = driver().MemAlloc(&pointer_, bytes);
  if (status == api::status::kOutOfMemory) {
    const DeviceMemory memory = device_->memory();
    throw Error("memory", "An allocation of " + bytes_text(bytes) + " on " + device_->info().label() +
                              " was refused; " + bytes_text(memory.free_bytes) + " of " +
                              bytes_text(memory.total_bytes) + " are free.");
  }
  device_->check(status, "cuMemAlloc_v2");
}

DeviceMemoryBlock::~DeviceMemoryBlock() {
  if (pointer_ == 0) return;
  // Fails on a lost device, whose memory is gone with its context.
  driver().CtxSetCurrent(device_->context());
  driver().MemFree(pointer_);
}

void DeviceMemoryBlock::upload(std::span<const std::byte> source, Stream& stream, std::size_t offset) {
  move(SpanKind::kCopy, "copy host to device", source.size(), stream, "cuMemcpyHtoDAsync_v2",
       [&] { return driver().MemcpyHtoDAsync(pointer_ + offset, source.data(), source.size(), stream.handle()); });
}

void DeviceMemoryBlock::download(std::span<std::byte> target, Stream& stream, std::size_t offset) const {
  move(SpanKind::kCopy, "copy device to host", target.size(), stream, "cuMemcpyDtoHAsync_v2",
       [&] { return driver().MemcpyDtoHAsync(target.data(), pointer_ + offset, target.size(), stream.handle()); });
}

void DeviceMemoryBlock::copy_from(const DeviceMemoryBlock& source, std::size_t bytes, Stream& stream) {
  move(SpanKind::kCopy, "copy device to device", bytes, stream, "cuMemcpyDtoDAsync_v2",
       [&] { return driver().MemcpyDtoDAsync(pointer_, source.pointer_, bytes, stream.handle()); });
}

void DeviceMemoryBlock::fill(unsigned char value, std::size_t bytes, Stream& stream) {
  move(SpanKind::kMemset, "memset", bytes, stream, "cuMemsetD8Async",
       [&] { return driver().MemsetD8Async(pointer_, value, bytes, stream.handle()); });
}

void refuse_copy(std::size_t count, std::size_t offset, std::size_t size) {
  throw Error("invalid", "A copy of " + std::to_string(count) + " values at " + std::to_string(offset) +
                             " leaves a device buffer of " + std::to_string(size) + ".");
}

}  // namespace bb::cuda
