#pragma once

#include <cstring>

#include "slice.hpp"

// Rows of a slice as vectors of the instruction set that a *.simd.cpp is compiled for; only those include this.
namespace bb::transport::BB_ISA {

#if defined(__AVX512F__)
constexpr int kVectorBytes = 64;
#elif defined(__AVX__)
constexpr int kVectorBytes = 32;
#else
constexpr int kVectorBytes = 16;
#endif

/// A vector of the instruction set that this is compiled for. Compilers that know none of their own make loops of it.
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
  void at_least(const Vector& other) { lanes = lanes > other.lanes ? lanes : other.lanes; }
  void at_most(const Vector& other) { lanes = lanes < other.lanes ? lanes : other.lanes; }
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
  void at_least(const Vector& other) {
    for (int i = 0; i < kSize; ++i) lanes[i] = lanes[i] > other.lanes[i] ? lanes[i] : other.lanes[i];
  }
  void at_most(const Vector& other) {
    for (int i = 0; i < kSize; ++i) lanes[i] = lanes[i] < other.lanes[i] ? lanes[i] : other.lanes[i];
  }
#endif
  static Vector of(const T* from) {
    Vector v;
    v.load(from);
    return v;
  }
};

/// Vectors in the columns of which rows start on a multiple.
template <typename T>
constexpr int kVectors = kRowAlign / Vector<T>::kSize;

/// Columns that stay in registers while rows are added to them: `kCount` vectors; with 0 a single column.
template <typename T, int kCount>
struct Block {
  Vector<T> part[kCount] = {};
  static constexpr int kSize = Vector<T>::kSize;

  void add(T by, const T* row) {
    for (int i = 0; i < kCount; ++i) {
      Vector<T> v;
      v.load(row + i * kSize);
      part[i].add_product(by, v);
    }
  }
  void add(T by, const T* row, const T* other) {
    for (int i = 0; i < kCount; ++i) {
      Vector<T> v, w;
      v.load(row + i * kSize);
      w.load(other + i * kSize);
      v.add(w);
      part[i].add_product(by, v);
    }
  }
  void store(T* to) const {
    for (int i = 0; i < kCount; ++i) part[i].store(to + i * kSize);
  }
};

template <typename T>
struct Block<T, 0> {
  T sum = T(0);
  void add(T by, const T* row) { sum += by * *row; }
  void add(T by, const T* row, const T* other) { sum += by * (*row + *other); }
  void store(T* to) const { *to = sum; }
};

/// Calls f(block, x) for blocks that cover the columns from `lo` to `hi`, the largest first. Only at a border between
/// materials are there fewer left than fill a vector.
template <typename T, typename F>
void each_block(int lo, int hi, F&& f) {
  constexpr int kSize = Vector<T>::kSize;
  constexpr int kMost = 8;  // half of the registers
  int x = lo;
  for (; hi - x >= kMost * kSize; x += kMost * kSize) f(Block<T, kMost>{}, x);
  const int left = (hi - x) / kSize;
  switch (left) {
    case 1:
      f(Block<T, 1>{}, x);
      break;
    case 2:
      f(Block<T, 2>{}, x);
      break;
    case 3:
      f(Block<T, 3>{}, x);
      break;
    case 4:
      f(Block<T, 4>{}, x);
      break;
    case 5:
      f(Block<T, 5>{}, x);
      break;
    case 6:
      f(Block<T, 6>{}, x);
      break;
    case 7:
      f(Block<T, 7>{}, x);
      break;
    default:
      break;
  }
  for (x += left * kSize; x < hi; ++x) f(Block<T, 0>{}, x);
}

}  // namespace bb::transport::BB_ISA
