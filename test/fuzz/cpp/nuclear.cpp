// Fuzzes tables of nuclear reactions (kernels/physics/icru63.cpp), which are read and then interpolated over the
// energies of beams.
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "physics/icru63.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    const bb::physics::NuclearTable table(text, "fuzz.csv");
    for (const double energy : {0.0, 1.0, 7.5, 70.0, 150.0, 300.0}) {
      table.emission(energy);
      table.deflection(energy);
      table.nonelastic(energy);
      table.elastic(energy);
    }
  } catch (const std::invalid_argument&) {
  }
  return 0;
}
