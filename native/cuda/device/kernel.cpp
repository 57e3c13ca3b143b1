#include "kernel.hpp"

#include "watched.hpp"

namespace bb::cuda {
namespace {

std::string extent_text(Extent3 e) {
  return std::to_string(e.x) + "×" + std::to_string(e.y) + "×" + std::to_string(e.z);
}

}  // namespace

Kernel::Kernel(const Module& module, const char* name)
    : device_(module.device()), name_(intern_name(name)), function_(module.function(name)) {}

KernelResources Kernel::resources() const {
  const auto get = [&](api::FunctionAttribute which) {
    int value = 0;
    device_->check(driver().FuncGetAttribute(&value, which, function_), "cuFuncGetAttribute", name_);
    return value;
  };
  using enum api::FunctionAttribute;
  return {.registers = get(kRegisters),
          .static_shared_bytes = get(kSharedSize_bytes),
          .local_bytes = get(kLocalSize_bytes),
          .constant_bytes = get(kConstSize_bytes),
          .max_threads_per_block = get(kMaxThreadsPerBlock),
          .binary_version = get(kBinaryVersion),
          .ptx_version = get(kPtxVersion)};
}

void Kernel::allow_dynamic_shared(unsigned bytes) {
  const unsigned limit =
      static_cast<unsigned>(device_->info().shared_per_block_optin_bytes - resources().static_shared_bytes);
  if (bytes > limit) {
    throw Error("unsupported", std::string(name_) + " needs " + std::to_string(bytes) +
                                   " bytes of shared memory per block; " + device_->info().label() + " offers " +
                                   std::to_string(limit) + ".");
  }
  // Opts in to all shared memory of the device: concurrent runs share the function, and one may need more than another.
  device_->check(driver().FuncSetAttribute(function_, api::FunctionAttribute::kMaxDynamicSharedSize_bytes,
                                           static_cast<int>(limit)),
                 "cuFuncSetAttribute", name_);
}

void Kernel::prefer_shared_carveout(int percent) {
  device_->check(driver().FuncSetAttribute(function_, api::FunctionAttribute::kPreferredSharedMemoryCarveout, percent),
                 "cuFuncSetAttribute", name_);
}

int Kernel::resident_blocks(unsigned threads, unsigned dynamic_shared_bytes) const {
  int blocks = 0;
  device_->check(driver().OccupancyMaxActiveBlocks(&blocks, function_, static_cast<int>(threads), dynamic_shared_bytes),
                 "cuOccupancyMaxActiveBlocksPerMultiprocessor", name_);
  return blocks;
}

std::optional<std::vector<std::size_t>> Kernel::parameter_sizes() const {
  if (!driver().FuncGetParamInfo) return std::nullopt;
  std::vector<std::size_t> out;
  std::size_t offset = 0, size = 0;
  while (driver().FuncGetParamInfo(function_, out.size(), &offset, &size) == api::status::kSuccess) out.push_back(size);
  return out;
}

void Kernel::check_arguments(std::span<const std::size_t> sizes) {
  checked_ = true;
  if (!driver().FuncGetParamInfo) return;
  std::size_t offset = 0, size = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const bool present = driver().FuncGetParamInfo(function_, i, &offset, &size) == api::status::kSuccess;
    if (present && size == sizes[i]) continue;
    checked_ = false;
    throw Error("invalid", std::string(name_) + " is given " + std::to_string(sizes.size()) + " arguments; number " +
                               std::to_string(i) + " has " + std::to_string(sizes[i]) +
                               " bytes where the kernel takes " + (present ? std::to_string(size) : "none") + ".");
  }
}

/// The launch as a trace shows it.
Span Kernel::span_of(const LaunchShape& shape) const {
  const KernelResources made = resources();
  Span out;
  out.kind = SpanKind::kKernel;
  out.name = name_;
  const auto put = [](const Extent3& from, std::uint32_t (&to)[3]) { to[0] = from.x, to[1] = from.y, to[2] = from.z; };
  put(shape.grid, out.grid);
  put(shape.block, out.block);
  out.registers = static_cast<std::uint32_t>(made.registers);
  out.static_shared_bytes = static_cast<std::uint32_t>(made.static_shared_bytes);
  out.dynamic_shared_bytes = shape.dynamic_shared_bytes;
  return out;
}

void Kernel::launch_packed(Stream& stream, const LaunchShape& shape, void** arguments) {
  std::array<api::LaunchAttribute, 3> attributes{};
  unsigned count = 0;
  if (shape.cooperative) {
    attributes[count].id = api::LaunchAttributeId::kCooperative;
    attributes[count++].value.cooperative = 1;
  }
  if (shape.cluster.x * shape.cluster.y * shape.cluster.z > 1) {
    attributes[count].id = api::LaunchAttributeId::kClusterDimension;
    attributes[count++].value.cluster = {shape.cluster.x, shape.cluster.y, shape.cluster.z};
  }
  if (shape.overlap_previous) {
    attributes[count].id = api::LaunchAttributeId::kProgrammaticStreamSerialization;
    attributes[count++].value.programmatic_stream_serialization = 1;
  }
  const api::LaunchConfig config{shape.grid.x,
                                 shape.grid.y,
                                 shape.grid.z,
                                 shape.block.x,
                                 shape.block.y,
                                 shape.block.z,
                                 shape.dynamic_shared_bytes,
                                 stream.handle(),
                                 attributes.data(),
                                 count};
  stream.note_launch(name_);
  api::Status status = api::status::kSuccess;
  const auto launch = [&] { status = driver().LaunchKernelEx(&config, function_, arguments, nullptr); };
  if (work_watcher().load(std::memory_order_relaxed) == nullptr) {
    launch();
  } else {
    queue_watched(stream, span_of(shape), "cuLaunchKernelEx", launch);
  }
  if (status == api::status::kSuccess) return;
  // The launch itself was refused, so this kernel and its shape are what to name.
  device_->check(status, "cuLaunchKernelEx",
                 "kernel " + std::string(name_) + ", grid " + extent_text(shape.grid) + ", block " +
                     extent_text(shape.block) + ", " + std::to_string(shape.dynamic_shared_bytes) +
                     " bytes of dynamic shared memory");
}

}  // namespace bb::cuda
