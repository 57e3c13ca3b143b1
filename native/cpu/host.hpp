#pragma once

#include <string>
#include <vector>

// Properties that the CPU and the operating system report.
namespace bb::cpu {

std::string processor_name();
double memory_bytes();
std::string operating_system();

/// Index into BB_ISA_NAMES of the best instruction set that this CPU runs; or of the one that the
/// environment variable BRAGGBENCH_ISA names when the CPU runs it.
int instruction_set();
std::string instruction_set_name();
/// Every compiled-in instruction set, in the order of BB_ISA_NAMES.
std::vector<std::string> compiled_instruction_sets();

/// Lets the calling thread, and those that it starts, give way to the program's event loop. Where the
/// system refuses, nothing happens.
void give_way_to_interactive_threads();

}  // namespace bb::cpu
