#include "build_config.hpp"
#include "cpu/host.hpp"
#include "gather_ops.hpp"
#include "physics/row_fft.hpp"
#include "transport/model/index.hpp"

namespace bb::transport {

#define BB_DECLARE(isa)                                    \
  namespace isa {                                          \
  template <typename T>                                    \
  GatherPass<T> scatter_of();                              \
  extern template GatherPass<float> scatter_of<float>();   \
  extern template GatherPass<double> scatter_of<double>(); \
  }
BB_FOR_EACH_ISA(BB_DECLARE)
#undef BB_DECLARE

template <typename T>
GatherPass<T> scatter_by_fft() {
#define BB_ENTRY(isa) &isa::scatter_of<T>,
  using Choice = GatherPass<T> (*)();
  static constexpr Choice all[] = {BB_FOR_EACH_ISA(BB_ENTRY)};
#undef BB_ENTRY
  return all[cpu::instruction_set()]();
}

template <typename T>
AngleSpectra<T>::AngleSpectra(const Tables& t, const TypedTables<T>& typed)
    : length(physics::device::fft_length(u(t.ntheta), u(t.angle_half_max))) {
  const physics::device::RowFft<T> fft(length);
  for (std::size_t row = 0; row + 1 < t.angle_begin.size(); ++row) {
    const std::size_t first = u(t.angle_begin[row]), last = u(t.angle_begin[row + 1]);
    const std::vector<T> one = fft.spectrum(std::span<const T>(typed.angle_weight).subspan(first, last - first));
    values.insert(values.end(), one.begin(), one.end());
  }
}

template GatherPass<float> scatter_by_fft<float>();
template GatherPass<double> scatter_by_fft<double>();
template struct AngleSpectra<float>;
template struct AngleSpectra<double>;

}  // namespace bb::transport
