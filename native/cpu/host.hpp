#pragma once

#include <cstddef>
#include <string>
#include <vector>

// Properties that the CPU and the operating system report.
namespace bb::cpu {

std::string processor_name();
/// Logical cores that this process may use, which taskset, a batch system or a container may limit; at least 1.
int usable_cores();
double memory_bytes();
std::string operating_system();

/// Index into BB_ISA_NAMES of the best instruction set that this CPU supports. The environment variable BRAGGBENCH_ISA
/// selects another one if the CPU supports it.
int instruction_set();
std::string instruction_set_name();
/// Every compiled-in instruction set, in the order of BB_ISA_NAMES.
std::vector<std::string> compiled_instruction_sets();

/// Lowers the priority of the calling thread, and of threads that it starts, below the program's event loop. Does
/// nothing if the system does not allow it.
void lower_thread_priority();

/// Bytes of the last-level cache of one socket or group of cores.
std::size_t last_level_bytes();

/// Read bandwidth in bytes per second with one thread per core, the fastest of several passes over more memory than the
/// caches hold.
double memory_read_rate();

/// Writes a buffer of twice the last-level cache, so that later reads come from memory.
void empty_caches();

}  // namespace bb::cpu
