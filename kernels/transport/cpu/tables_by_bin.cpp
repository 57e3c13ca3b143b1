#include "tables_by_bin.hpp"

#include <algorithm>

#include "transport/model/index.hpp"

namespace bb::transport {
namespace {

/// Rows of `begin` in the order of `old`, which lists the former position of each, with their contents.
template <typename... Values>
void reorder(const std::vector<std::size_t>& old, const std::vector<std::int32_t>& old_begin,
             std::vector<std::int32_t>& begin, std::vector<Values>&... values) {
  begin.assign(1, 0);
  for (const std::size_t row : old) begin.push_back(begin.back() + old_begin[row + 1] - old_begin[row]);
  const auto move = [&](auto& of) {
    auto to = of;
    auto next = to.begin();
    for (const std::size_t row : old) {
      next = std::copy(of.begin() + old_begin[row], of.begin() + old_begin[row + 1], next);
    }
    of.swap(to);
  };
  (move(values), ...);
}

}  // namespace

template <typename T>
TablesByBin<T>::TablesByBin(const Tables& t)
    : TypedTables<T>(t), gather_source(t.gather_source), path_of(t.path_of), ne(t.ne), paths(t.paths) {
  for (std::size_t a = 0; a < t.theta.size(); ++a) {
    const T weight = static_cast<T>(t.plane_weight[a]);
    const T by_angle = weight * static_cast<T>(t.theta[a]);
    plane_weight.push_back({weight, by_angle, by_angle * static_cast<T>(t.theta[a])});
  }
  std::vector<std::size_t> old;
  for (int m = 0; m < t.materials; ++m) {
    for (int e = 0; e < ne; ++e) {
      for (int path = 0; path < paths; ++path) old.push_back(t.path_row(path, m, e));
    }
  }
  reorder(old, t.gather_begin, gather_begin, gather_source, this->gather_weight);
  reorder(old, t.angle_begin, angle_begin, this->angle_weight);
  for (auto* values : {&this->deposit, &this->stopped, &this->nuclear, &this->nuclear_escape}) {
    std::vector<T> to;
    for (const std::size_t row : old) to.push_back((*values)[row]);
    values->swap(to);
  }
}

template struct TablesByBin<float>;
template struct TablesByBin<double>;

}  // namespace bb::transport
