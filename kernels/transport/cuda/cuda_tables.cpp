#include "cuda_tables.hpp"

#include <vector>

#include "cuda_packer.hpp"
#include "transport/model/typed_tables.hpp"

namespace bb::transport {
namespace {

template <typename T>
std::vector<T> flat(const std::vector<std::array<T, physics::kRemapTaps>>& rows) {
  std::vector<T> out;
  for (const auto& row : rows) out.insert(out.end(), row.begin(), row.end());
  return out;
}

template <typename T>
std::vector<T> typed(const std::vector<double>& values) {
  return std::vector<T>(values.begin(), values.end());
}

std::vector<int> wholes(const std::vector<physics::RemapShift>& shifts) {
  std::vector<int> out;
  for (const physics::RemapShift& s : shifts) out.push_back(s.whole);
  return out;
}

}  // namespace

template <typename T>
CudaTables<T>::CudaTables(const Problem& problem, const Tables& t, const TypedTables<T>& rounded, Sent sent,
                          cuda::Stream& stream) {
  view_.ne = t.ne;
  view_.ntheta = t.ntheta;
  view_.nz = t.nz;
  view_.nx = t.nx;
  view_.materials = t.materials;
  view_.classes = t.classes;
  view_.depth = problem.stepping == Stepping::kDepth ? 1 : 0;
  view_.angle_half_max = t.angle_half_max;
  view_.reach_down = t.reach_down;
  view_.reach_up = t.reach_up;
  view_.dx = t.dx;
  view_.dz = t.dz;

  std::vector<unsigned char> mixed;
  for (int z = 0; z < t.nz; ++z) {
    const auto row = static_cast<std::size_t>(z);
    mixed.push_back(rounded.run_begin[row + 1] - rounded.run_begin[row] > 1 ? 1 : 0);
  }
  Packer packer;
  packer.add(t.path_of, &view_.path_of);
  if (sent == Sent::kAll) {
    packer.add(t.gather_begin, &view_.gather_begin);
    packer.add(t.gather_source, &view_.gather_source);
    packer.add(rounded.gather_weight, &view_.gather_weight);
    packer.add(t.angle_begin, &view_.angle_begin);
    packer.add(rounded.angle_weight, &view_.angle_weight);
  }
  packer.add(rounded.deposit, &view_.deposit);
  packer.add(rounded.stopped, &view_.stopped);
  packer.add(rounded.nuclear, &view_.nuclear);
  packer.add(rounded.nuclear_escape, &view_.nuclear_escape);
  packer.add(wholes(t.shift_x), &view_.whole_x);
  packer.add(wholes(t.shift_z), &view_.whole_z);
  packer.add(flat(rounded.flux_x), &view_.flux_x);
  packer.add(flat(rounded.flux_z), &view_.flux_z);
  packer.add(typed<T>(t.plane_weight), &view_.plane_weight);
  packer.add(typed<T>(t.theta), &view_.theta);
  packer.add(t.energy, &view_.energy);
  packer.add(t.map, &view_.map);
  packer.add(mixed, &view_.mixed);
  memory_ = packer.send(stream, cuda::Reuse::kYes);
}

template class CudaTables<float>;
template class CudaTables<double>;

}  // namespace bb::transport
