#include "kernel.hpp"

#include <array>

#include "stream.hpp"

namespace bb::cuda {

Module::Module(std::shared_ptr<Device> device, std::span<const char> image, const std::string& name)
    : device_(std::move(device)), name_(name) {
  device_->make_current();
  std::array<char, 8192> log{};
  std::array<api::JitOption, 2> options{api::JitOption::kErrorLogBuffer, api::JitOption::kErrorLogBufferSize_bytes};
  std::array<void*, 2> values{log.data(), reinterpret_cast<void*>(log.size())};
  const api::Status status =
      driver().ModuleLoadDataEx(&handle_, image.data(), options.size(), options.data(), values.data());
  switch (status) {
    case api::status::kSuccess:
      return;
    case api::status::kInvalidImage:
    case api::status::kNoBinaryForGpu:
    case api::status::kInvalidPtx:
    case api::status::kUnsupportedPtxVersion:
      throw Error("unsupported", "The kernels of " + name_ + " do not load on " + device_->info().label() + ": " +
                                     status_name(status) + ", " + status_text(status) +
                                     (log[0] ? "; " + std::string(log.data()) : std::string()) + ".");
    default:
      device_->check(status, "cuModuleLoadDataEx");
  }
}

Module::~Module() {
  if (!handle_) return;
  driver().CtxSetCurrent(device_->context());
  driver().ModuleUnload(handle_);
}

api::Function Module::function(const char* name) const {
  api::Function found = nullptr;
  if (preferred_ && driver().ModuleGetFunction(&found, preferred_->handle_, name) == api::status::kSuccess) {
    return found;
  }
  if (images_) {
    if (const Module* const image = images_->with_kernel(name)) return image->function(name);
    throw Error("invalid", "The kernels of " + name_ + " do not contain the kernel " + name + ".");
  }
  const api::Status status = driver().ModuleGetFunction(&found, handle_, name);
  if (status == api::status::kNotFound)
    throw Error("invalid", "The kernels of " + name_ + " do not contain the kernel " + name + ".");
  device_->check(status, "cuModuleGetFunction", name);
  return found;
}

void Module::prepare(std::span<const std::string> kernels) const {
  if (images_) images_->prepare(kernels);
}

std::pair<api::DevicePointer, std::size_t> Module::global(const char* variable, const char* kernel) const {
  api::Function found = nullptr;
  if (preferred_ && driver().ModuleGetFunction(&found, preferred_->handle_, kernel) == api::status::kSuccess) {
    return preferred_->global(variable, kernel);
  }
  if (images_) {
    if (const Module* const image = images_->with_kernel(kernel)) return image->global(variable, kernel);
    throw Error("invalid", "The kernels of " + name_ + " do not contain the kernel " + kernel + ".");
  }
  api::DevicePointer pointer = 0;
  std::size_t bytes = 0;
  const api::Status status = driver().ModuleGetGlobal(&pointer, &bytes, handle_, variable);
  if (status == api::status::kNotFound)
    throw Error("invalid", "The kernels of " + name_ + " do not contain the variable " + variable + ".");
  device_->check(status, "cuModuleGetGlobal_v2");
  return {pointer, bytes};
}

int Module::tunable(const char* name, int usual) const {
  const std::string variable = std::string("bb_tunable_") + name;
  const Module* const image = images_ ? images_->with_tunable(name) : nullptr;
  for (const api::Module handle : {preferred_ ? preferred_->handle_ : nullptr, image ? image->handle_ : handle_}) {
    if (!handle) continue;
    api::DevicePointer pointer = 0;
    std::size_t bytes = 0;
    if (driver().ModuleGetGlobal(&pointer, &bytes, handle, variable.c_str()) == api::status::kSuccess) {
      return static_cast<int>(bytes);
    }
  }
  return usual;
}

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
  // Opts in to all shared memory of the device, because concurrent runs share the function, and one may need more than
  // another.
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
    throw Error("invalid", std::string(name_) + " received " + std::to_string(sizes.size()) + " arguments; number " +
                               std::to_string(i) + " has " + std::to_string(sizes[i]) +
                               " bytes, but the kernel expects " + (present ? std::to_string(size) : "none") + ".");
  }
}

/// Describes the launch for a trace.
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
  // The driver rejected this launch itself, so the error names this kernel and its shape.
  device_->check(status, "cuLaunchKernelEx",
                 "kernel " + std::string(name_) + ", grid " + extent_text(shape.grid) + ", block " +
                     extent_text(shape.block) + ", " + std::to_string(shape.dynamic_shared_bytes) +
                     " bytes of dynamic shared memory");
}

}  // namespace bb::cuda
