#include "buffer.hpp"

namespace bb::cuda {

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

}  // namespace bb::cuda
