#pragma once

#include <napi.h>

// Functions that the addon exports, with their signatures in JavaScript.
namespace bb::binding {

/// buildInfo(): version, compiler, build type and compiled instruction sets of this binary.
Napi::Value build_info(const Napi::CallbackInfo& info);

/// machine(): properties of the CPU: name, cores, instruction set in use, memory, last-level cache.
Napi::Value machine(const Napi::CallbackInfo& info);

/// memoryReadRate(): read bandwidth of all cores from memory, in bytes per second.
Napi::Value memory_read_rate(const Napi::CallbackInfo& info);

/// kernelOccupancy({ images, sources, cache, device, workload, kernels: string[], threads: number[], dynamic_bytes }):
/// a promise of the driver's data for each kernel, in the order of the request: { name, registers, shared_bytes,
/// local_bytes, max_threads, binary_version, blocks }. `blocks` is the number of blocks that a multiprocessor holds at
/// each of `threads`. Loads the kernels on a separate thread. Rejects with an Error whose `code` is 'invalid',
/// 'memory', 'unsupported' or 'device'.
Napi::Value kernel_occupancy(const Napi::CallbackInfo& info);

/// devices({ cache? }): the device report of electron/contract/capabilities.ts. `cache` is the folder of measured
/// ceilings. Opens NVIDIA's libraries on the first call, which takes up to a second where they are installed.
Napi::Value devices(const Napi::CallbackInfo& info);

/// driverDevices(): the field `cuda` of that report, from the driver alone. No other library is opened, so clocks, free
/// memory, ceilings and the driver's version are null.
Napi::Value driver_devices(const Napi::CallbackInfo& info);

/// clockState({ device }): NVML's reading for the device with that UUID, or null if NVML is missing.
Napi::Value clock_state(const Napi::CallbackInfo& info);

/// lockClocks({ device, sm_MHz }): locks the SM clock of the device with that UUID for all programs; null unlocks it.
/// Returns the reason of a failure, or null.
Napi::Value lock_clocks(const Napi::CallbackInfo& info);

/// warmKernels({ workload, device? }): a promise of the cost of compiling every kernel of the workload, or of null if
/// there is a fat binary. Rejects as `measureCeilings` does.
Napi::Value warm_kernels(const Napi::CallbackInfo& info);

/// measureCeilings({ device?, images, sources, cache, force? }): a promise of the device's ceilings, measured on a
/// separate thread unless `cache` has them and `force` is not set. `device` is an index or UUID. Rejects with an Error
/// whose `code` is 'invalid', 'memory', 'unsupported' or 'device'.
Napi::Value measure_ceilings(const Napi::CallbackInfo& info);

// Reductions of fields for display, computed on libuv threads; the JavaScript thread only passes arrays. The arrays
// must not be written to or transferred until the promise settles.

/// reduceField(values, {strideAcross, strideDown, across, down, statistic, scale, extent}, per?): a promise of {values,
/// min, max, minPositive}. The latter three are only valid with `extent`. `per`: {divisor, factor}.
Napi::Value reduce_field(const Napi::CallbackInfo& info);

/// axisProfile(dose, geometry, per?): {start_mm, step_mm, values}, computed synchronously.
Napi::Value axis_profile(const Napi::CallbackInfo& info);

/// axisProfileLater(dose, geometry, per?): a promise of the same object.
Napi::Value axis_profile_later(const Napi::CallbackInfo& info);

// Functions that the process of a user kernel calls before its run; see electron/host/model/user-kernels.

/// loadUserLibrary(path): a compiled variant replaces the shipped variant that it derives from until the process ends.
Napi::Value load_user_library(const Napi::CallbackInfo& info);

/// loadUserKernels({workload, name, image}): CUDA kernels replace shipped kernels of the same names until the process
/// ends.
Napi::Value load_user_kernels(const Napi::CallbackInfo& info);

/// compileUserKernels({main, root, replaced, text, name, cache, device?, architecture, target?}): {image, log,
/// fromCache}, compiled by NVRTC for the default device, or for `architecture` without one. Blocks for seconds. Throws
/// an Error with `code` 'invalid' and the compiler's `log` if the text does not compile.
Napi::Value compile_user_kernels(const Napi::CallbackInfo& info);

/// flushOutput(): writes all buffered output, including incomplete lines.
Napi::Value flush_output(const Napi::CallbackInfo& info);

/// limitMemory(bytes): limits the memory that the process may allocate in addition; false if the system has no such
/// limit.
Napi::Value limit_memory(const Napi::CallbackInfo& info);

/// createTransport(problem): a JavaScript object that wraps an engine::Run.
Napi::Value create_transport(const Napi::CallbackInfo& info);

/// layTransport(problem, memory?): a promise of the object of createTransport. With `memory` its plan has the bytes
/// that the run needs. The grid is laid out on a worker thread, because thousands of steps take a tenth of a second.
Napi::Value lay_transport(const Napi::CallbackInfo& info);

/// variants(): registry entries of all transport variants.
Napi::Value transport_variants(const Napi::CallbackInfo& info);

/// rangeTable(energies, stopping, at): stopping power and CSDA range at the energies `at`, from the
/// same interpolation that the engines use.
Napi::Value range_table(const Napi::CallbackInfo& info);

/// layBeams(problem, devices?): a promise of an object {plan, start(onBeam), startInBlocks(onBeam, reach_mm),
/// readouts(list, curves), cancel()} that wraps an engine::Beams. Its beams are the problem's spots, which the GPUs named
/// by `devices` share. readouts() solves other beams on the same grid.
Napi::Value lay_beams(const Napi::CallbackInfo& info);

/// fermiEyges(problem): {sigma_x_mm, theta_rms_rad} at the middle of every cell of depth, from the beam's entrance
/// until it stops. Throws `unsupported` for a beam that is not along z.
Napi::Value fermi_eyges(const Napi::CallbackInfo& info);

/// doseTangents(problem, [{input, layer}, …]): a promise of {depth_dose, x_sigma_mm, dose_by, x_sigma_by, energy_in_MeV,
/// energy_by}, see transport/moments/tangents.hpp.
Napi::Value dose_tangents(const Napi::CallbackInfo& info);

/// volumeDose(problem, {nx, ny, dx_mm, dy_mm}): {done, cancel, progress}. done is a promise of {dose_MeV, depth_dose_MeV,
/// energy: {in, outside, neutral, left, products, misfit, rel_error}}, see transport/moments/volume.hpp. progress()
/// returns {kinds, solved, summed}: kinds of spots, solved kinds, and planes of depth with a dose.
Napi::Value volume_dose(const Napi::CallbackInfo& info);

/// createDiffraction(problem): an object {plan, start, cancel} that wraps an engine::ImageRun.
Napi::Value create_diffraction(const Napi::CallbackInfo& info);

/// diffractionVariants(): registry entries of all variants of the workload.
Napi::Value diffraction_variants(const Napi::CallbackInfo& info);

/// createTask(problem): an object {plan, prepare, sample, check, cancel, close} that wraps an engine::TaskRun.
Napi::Value create_task(const Napi::CallbackInfo& info);

/// taskVariants(workload?): registry entries of all variants of each bench.
Napi::Value task_variants(const Napi::CallbackInfo& info);

}  // namespace bb::binding
