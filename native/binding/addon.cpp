#include <napi.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <exception>

#include "addon.hpp"
#include "cpu/host.hpp"

namespace {

/// Lets the allocator reuse freed memory. By default, it returns freed arrays of more than 128 KiB to the system at
/// once. Mapping their pages again would take as long as solving a beam by moments.
void reuse_freed_memory() {
#ifdef __GLIBC__
  // In bytes. Arrays larger than kMap are returned to the system when they are freed, and so is free memory beyond
  // kTrim.
  constexpr int kMap = 4 << 20, kTrim = 32 << 20;
  mallopt(M_MMAP_THRESHOLD, kMap);
  mallopt(M_TRIM_THRESHOLD, kTrim);
#endif
}

Napi::Object init(Napi::Env env, Napi::Object exports) {
  try {
    bb::cpu::instruction_set();
  } catch (const std::exception& none_runs) {
    throw Napi::Error::New(env, none_runs.what());
  }
  reuse_freed_memory();
  const auto export_function = [&](const char* name, Napi::Value (*function)(const Napi::CallbackInfo&)) {
    exports.Set(name, Napi::Function::New(env, function, name));
  };
  export_function("buildInfo", bb::binding::build_info);
  export_function("machine", bb::binding::machine);
  export_function("memoryReadRate", bb::binding::memory_read_rate);
  export_function("devices", bb::binding::devices);
  export_function("driverDevices", bb::binding::driver_devices);
  export_function("clockState", bb::binding::clock_state);
  export_function("lockClocks", bb::binding::lock_clocks);
  export_function("measureCeilings", bb::binding::measure_ceilings);
  export_function("warmKernels", bb::binding::warm_kernels);
  export_function("kernelOccupancy", bb::binding::kernel_occupancy);
  export_function("variants", bb::binding::transport_variants);
  export_function("rangeTable", bb::binding::range_table);
  export_function("fermiEyges", bb::binding::fermi_eyges);
  export_function("doseTangents", bb::binding::dose_tangents);
  export_function("volumeDose", bb::binding::volume_dose);
  export_function("createTransport", bb::binding::create_transport);
  export_function("layTransport", bb::binding::lay_transport);
  export_function("layBeams", bb::binding::lay_beams);
  export_function("loadUserLibrary", bb::binding::load_user_library);
  export_function("loadUserKernels", bb::binding::load_user_kernels);
  export_function("compileUserKernels", bb::binding::compile_user_kernels);
  export_function("reduceField", bb::binding::reduce_field);
  export_function("axisProfile", bb::binding::axis_profile);
  export_function("axisProfileLater", bb::binding::axis_profile_later);
  export_function("flushOutput", bb::binding::flush_output);
  export_function("limitMemory", bb::binding::limit_memory);
#ifndef BB_FIRST
  export_function("diffractionVariants", bb::binding::diffraction_variants);
  export_function("createDiffraction", bb::binding::create_diffraction);
  export_function("taskVariants", bb::binding::task_variants);
  export_function("createTask", bb::binding::create_task);
#endif
  return exports;
}

}  // namespace

NODE_API_MODULE(braggbench, init)
