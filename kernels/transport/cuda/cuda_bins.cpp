#include "cuda_bins.hpp"

#include <algorithm>
#include <numeric>

#include "cpu/thread_pool.hpp"
#include "transport/model/index.hpp"

namespace bb::transport {

void BinLayout::lay_out(int materials, int classes) {
  const std::size_t each = u(materials) * u(classes);
  for (Bin& bin : bins) {
    bin.feed_at = static_cast<int>(feeds);
    bin.feed_weight_at = static_cast<int>(weights);
    bin.kernel_at = static_cast<int>(kernels);
    feeds += u(bin.feed_count);
    weights += u(bin.feed_count) * each;
    kernels += u(bin.half + 1) * each;
    most_feeds = std::max(most_feeds, bin.feed_count);
    most_half = std::max(most_half, bin.half);
  }
}

template <typename T>
BinTables<T>::BinTables(const Tables& t, const TypedTables<T>& typed) {
  bins.resize(u(t.ne));
  cpu::on_all_cores(t.ne, [&](int e) {
    Bin& bin = bins[u(e)];
    const SourceRange fed_by = feeds_of(t, e);
    bin.feed_low = fed_by.low;
    bin.feed_count = fed_by.count;
    bin.half = widest_kernel(t, typed, e);
  });
  lay_out(t.materials, t.classes);
  feed_bin.resize(feeds);
  feed_weight.resize(weights, T(0));
  kernel_weight.resize(kernels, T(0));
  lost.resize(2 * u(t.ne) * u(t.materials) * u(t.ntheta), T(0));
  cpu::on_all_cores(t.ne, [&](int e) {
    fill_feeds(t, typed, e);
    fill_kernels(t, typed, e);
    each_path(t, e, [&](std::size_t row) {
      if (typed.stopped[row] != T(0) || typed.nuclear[row] != T(0)) bins[u(e)].ends = true;
    });
    for (const bool above : {false, true}) fill_losses(t, e, above);
  });
}

template <typename T>
void BinTables<T>::fill_feeds(const Tables& t, const TypedTables<T>& typed, int e) {
  const Bin& bin = bins[u(e)];
  const int low = bin.feed_low;
  std::vector<T> heaviest(u(bin.feed_count));
  each_path(t, e, [&](std::size_t row) {
    for (int k = t.gather_begin[row]; k < t.gather_begin[row + 1]; ++k) {
      T& most = heaviest[u(t.gather_source[u(k)] - low)];
      most = std::max(most, typed.gather_weight[u(k)]);
    }
  });
  std::vector<int> order(u(bin.feed_count)), place(u(bin.feed_count));
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, [&](int a, int b) { return heaviest[u(a)] > heaviest[u(b)]; });
  for (int k = 0; k < bin.feed_count; ++k) {
    place[u(order[u(k)])] = k;
    feed_bin[u(bin.feed_at + k)] = low + order[u(k)];
  }
  each_row(t, e, [&](int c, int m, std::size_t row) {
    for (int k = t.gather_begin[row]; k < t.gather_begin[row + 1]; ++k) {
      const int feed = place[u(t.gather_source[u(k)] - low)];
      feed_weight[u(bin.feed_weight_at) + (u(feed) * u(t.materials) + u(m)) * u(t.classes) + u(c)] +=
          typed.gather_weight[u(k)];
    }
  });
}

template <typename T>
void BinTables<T>::fill_kernels(const Tables& t, const TypedTables<T>& typed, int e) {
  const Bin& bin = bins[u(e)];
  each_row(t, e, [&](int c, int m, std::size_t row) {
    const int begin = t.angle_begin[row];
    const int taps = std::min(bin.half + 1, t.angle_begin[row + 1] - begin);
    for (int d = 0; d < taps; ++d) {
      kernel_weight[u(bin.kernel_at) + (u(m) * u(bin.half + 1) + u(d)) * u(t.classes) + u(c)] =
          typed.angle_weight[u(begin + d)];
    }
  });
}

template <typename T>
void BinTables<T>::fill_losses(const Tables& t, int e, bool above) {
  const Bin& bin = bins[u(e)];
  for (int m = 0; m < t.materials; ++m) {
    const std::size_t kernel = u(bin.kernel_at) + u(m) * u(bin.half + 1) * u(t.classes);
    T* to = &lost[((above ? u(t.ne) : 0) + u(e)) * u(t.materials) * u(t.ntheta) + u(m) * u(t.ntheta)];
    for (int a = 0; a < t.ntheta; ++a) {
      T share = T(0);
      for (int d = bin.half; d > 0 && d >= (above ? t.ntheta - a : a + 1); --d) {
        share += kernel_weight[kernel + u(d) * u(t.classes) + u(t.classes > 1 ? a : 0)];
      }
      to[a] = share;
    }
  }
}

template struct BinTables<float>;
template struct BinTables<double>;

}  // namespace bb::transport
