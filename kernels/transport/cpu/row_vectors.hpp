#pragma once

#include <cstring>
#include <utility>

#include "slice.hpp"

// Rows of a slice as vectors of the instruction set for which a *.simd.cpp is compiled. Only *.simd.cpp include this.
namespace bb::transport::BB_ISA {

#if defined(__AVX512F__)
constexpr int kVectorBytes = 64;
#elif defined(__AVX__)
constexpr int kVectorBytes = 32;
#else
constexpr int kVectorBytes = 16;
#endif

/// A vector of the instruction set in use. Compilers without such vectors generate loops.
template <typename T>
struct Vector {
  static constexpr int kSize = kVectorBytes / static_cast<int>(sizeof(T));
#if defined(__GNUC__)
  typedef T Lanes __attribute__((vector_size(kVectorBytes)));
  Lanes lanes = {};
  void load(const T* from) { std::memcpy(&lanes, from, kVectorBytes); }
  void store(T* to) const { std::memcpy(to, &lanes, kVectorBytes); }
  void add(const Vector& other) { lanes += other.lanes; }
  void subtract(const Vector& other) { lanes -= other.lanes; }
  void add_product(T by, const Vector& other) { lanes += by * other.lanes; }
  void raise_to(const Vector& other) { lanes = lanes > other.lanes ? lanes : other.lanes; }
  void lower_to(const Vector& other) { lanes = lanes < other.lanes ? lanes : other.lanes; }
#else
  T lanes[kSize] = {};
  void load(const T* from) { std::memcpy(lanes, from, kVectorBytes); }
  void store(T* to) const { std::memcpy(to, lanes, kVectorBytes); }
  void add(const Vector& other) {
    for (int i = 0; i < kSize; ++i) lanes[i] += other.lanes[i];
  }
  void subtract(const Vector& other) {
    for (int i = 0; i < kSize; ++i) lanes[i] -= other.lanes[i];
  }
  void add_product(T by, const Vector& other) {
    for (int i = 0; i < kSize; ++i) lanes[i] += by * other.lanes[i];
  }
  void raise_to(const Vector& other) {
    for (int i = 0; i < kSize; ++i) lanes[i] = lanes[i] > other.lanes[i] ? lanes[i] : other.lanes[i];
  }
  void lower_to(const Vector& other) {
    for (int i = 0; i < kSize; ++i) lanes[i] = lanes[i] < other.lanes[i] ? lanes[i] : other.lanes[i];
  }
#endif
  static Vector of(const T* from) {
    Vector v;
    v.load(from);
    return v;
  }
};

/// Lanes from offset `kBy` on in two consecutive vectors, counted from the first lane of `first`.
template <int kBy, typename T>
Vector<T> shifted_lanes(const Vector<T>& first, const Vector<T>& second) {
  constexpr int kSize = Vector<T>::kSize;
  static_assert(kBy >= 0 && kBy <= kSize);
  Vector<T> out;
#if defined(__GNUC__)
  [&]<int... i>(std::integer_sequence<int, i...>) {
    out.lanes = __builtin_shufflevector(first.lanes, second.lanes, (kBy + i)...);
  }(std::make_integer_sequence<int, kSize>{});
#else
  for (int i = 0; i < kSize; ++i) out.lanes[i] = kBy + i < kSize ? first.lanes[kBy + i] : second.lanes[kBy + i - kSize];
#endif
  return out;
}

/// Vectors per kRowAlign columns.
template <typename T>
constexpr int kVectors = kRowAlign / Vector<T>::kSize;

/// Calls f(0) … f(kCount - 1) with compile-time constants. Some compilers unroll a loop over an array of vectors too
/// late. They then clear, copy and reload the array in memory instead of registers.
template <int kCount, typename F>
void unrolled(F&& f) {
  [&]<int... i>(std::integer_sequence<int, i...>) { (f(i), ...); }(std::make_integer_sequence<int, kCount>{});
}

/// Sums of `kCount` vectors of columns that stay in registers while rows are added; a single column if `kCount` is 0.
template <typename T, int kCount>
struct Block {
  Vector<T> part[kCount];
  static constexpr int kSize = Vector<T>::kSize;

  void add(T by, const T* row) {
    unrolled<kCount>([&](int i) { part[i].add_product(by, Vector<T>::of(row + i * kSize)); });
  }
  void add(T by, const T* row, const T* other) {
    unrolled<kCount>([&](int i) {
      Vector<T> both = Vector<T>::of(row + i * kSize);
      both.add(Vector<T>::of(other + i * kSize));
      part[i].add_product(by, both);
    });
  }
  void store(T* to) const {
    unrolled<kCount>([&](int i) { part[i].store(to + i * kSize); });
  }
};

template <typename T>
struct Block<T, 0> {
  T sum = T(0);
  void add(T by, const T* row) { sum += by * *row; }
  void add(T by, const T* row, const T* other) { sum += by * (*row + *other); }
  void store(T* to) const { *to = sum; }
};

/// Names the type of a block without creating a block. Callers create it in place, because only then does it stay in
/// registers.
template <typename T, int kCount>
struct BlockOf {
  using Type = Block<T, kCount>;
};

/// Calls f(BlockOf, x) for blocks that cover columns `lo` to `hi`, largest blocks first. Only at a border between
/// materials are the last columns fewer than a vector.
template <typename T, typename F>
void each_block(int lo, int hi, F&& f) {
  constexpr int kSize = Vector<T>::kSize;
  constexpr int kMax = 8;  // half of the vector registers
  int x = lo;
  for (; hi - x >= kMax * kSize; x += kMax * kSize) f(BlockOf<T, kMax>{}, x);
  const int left = (hi - x) / kSize;
  switch (left) {
    case 1:
      f(BlockOf<T, 1>{}, x);
      break;
    case 2:
      f(BlockOf<T, 2>{}, x);
      break;
    case 3:
      f(BlockOf<T, 3>{}, x);
      break;
    case 4:
      f(BlockOf<T, 4>{}, x);
      break;
    case 5:
      f(BlockOf<T, 5>{}, x);
      break;
    case 6:
      f(BlockOf<T, 6>{}, x);
      break;
    case 7:
      f(BlockOf<T, 7>{}, x);
      break;
    default:
      break;
  }
  for (x += left * kSize; x < hi; ++x) f(BlockOf<T, 0>{}, x);
}

}  // namespace bb::transport::BB_ISA
