#include "samples.hpp"

namespace bb::micro {

std::string Samples::text() const {
  return (count_ == total_ ? "all " : std::to_string(count_) + " of ") + std::to_string(total_) + " results";
}

}  // namespace bb::micro
