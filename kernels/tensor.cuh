#pragma once

// Products of small tiles on the tensor cores, with sums in FP32. Uses the instruction mma.sync directly (PTX ISA 8,
// "Matrix fragments for mma.m16n8k8 / m16n8k16"), so that NVRTC needs no headers.
namespace bb {

/// Position of a lane in its fragment; fragments are laid out by groups of four lanes.
struct FragmentLane {
  int group, member;
};
__device__ inline FragmentLane fragment_lane() {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  return {lane / 4, lane % 4};
}

/// A 32-bit word of shared memory holds `kPerWord` values that are consecutive along k.
struct Tf32 {
  static constexpr int kPerWord = 1, kDepth = 8;  // extent of one instruction along k
  __device__ static unsigned word(const float (&v)[1]) {
    unsigned bits;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(v[0]));
    return bits;
  }
  __device__ static void multiply(float (&c)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
    asm volatile(
        "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  }
};

struct Bf16 {
  static constexpr int kPerWord = 2, kDepth = 16;
  __device__ static unsigned word(const float (&v)[2]) {
    unsigned bits;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(bits) : "f"(v[1]), "f"(v[0]));
    return bits;
  }
  __device__ static void multiply(float (&c)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  }
};

struct Fp16 {
  static constexpr int kPerWord = 2, kDepth = 16;
  __device__ static unsigned word(const float (&v)[2]) {
    unsigned bits;
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(bits) : "f"(v[1]), "f"(v[0]));
    return bits;
  }
  __device__ static void multiply(float (&c)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  }
};

/// Exact split of a number into its TF32 rounding, the TF32 rounding of the remainder, and the last bits.
struct SplitTf32 {
  unsigned high, low, last;
  __device__ explicit SplitTf32(float value) {
    high = Tf32::word({value});
    const float rest = value - __uint_as_float(high);
    low = Tf32::word({rest});
    last = __float_as_uint(rest - __uint_as_float(low));
  }
};

/// Adds a product to sums with rounding to nearest. The tensor cores truncate their sums, and that bias accumulates
/// (Ootomo & Yokota, Int. J. High Perform. Comput. Appl. 36 (2022) 475).
__device__ inline void add_product(float (&sum)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
  float part[4] = {};
  Tf32::multiply(part, a, b);
#pragma unroll
  for (int k = 0; k < 4; ++k) sum[k] += part[k];
}

}  // namespace bb
