#include "transport/cuda/cuda_common.cuh"

// Kernels before, between and after the FFTs of `cuda-gather-fft`. Arrays hold columns of angles for several energies,
// [angle or frequency][energy][cell].
namespace bb::transport {

struct FftPart {
  int first, bins;  // range of energies
  int length;       // length of the FFT; rows beyond the angles are zero
};

/// Copies the angles of every cell to columns for the FFT. Blocks have 256 cells; blockIdx.y is the row of the FFT and
/// blockIdx.z the energy.
extern "C" __global__ void __launch_bounds__(256)
    fft_gather_columns_f32(const __grid_constant__ DeviceStep<float> s, FftPart part, float* columns) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x), a = static_cast<int>(blockIdx.y);
  const int bin = static_cast<int>(blockIdx.z), cells = field_cells(s);
  if (i >= cells) return;
  const float value = a < s.tables.ntheta ? s.from[field_offset(s, part.first + bin, a) + i] : 0.0f;
  columns[(static_cast<long long>(a) * part.bins + bin) * cells + i] = value;
}

/// Multiplies by the spectrum of a cell's material and a column's energy, [row of the tables][frequency].
extern "C" __global__ void __launch_bounds__(256)
    fft_times_spectrum_f32(const __grid_constant__ DeviceStep<float> s, FftPart part, const float* spectra,
                           float2* values) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x), f = static_cast<int>(blockIdx.y);
  const int bin = static_cast<int>(blockIdx.z), cells = field_cells(s);
  if (i >= cells) return;
  const int row = table_row(s.tables, 0, material_of(s, i), part.first + bin);
  const float by = spectra[static_cast<long long>(row) * (part.length / 2 + 1) + f];
  float2* at = values + (static_cast<long long>(f) * part.bins + bin) * cells + i;
  const float2 value = *at;
  *at = make_float2(by * value.x, by * value.y);
}

/// An FFT leaves rounding errors in all cells. So the sum of a column differs from its input minus the losses in the
/// ledger, and some cells are negative. Both errors are corrected in the column's largest cell. One thread per column;
/// blockIdx.y is the energy.
extern "C" __global__ void __launch_bounds__(256)
    fft_mend_columns_f32(const __grid_constant__ DeviceStep<float> s, FftPart part, float* columns) {
  const DeviceTables<float>& t = s.tables;
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x), cells = field_cells(s);
  if (i >= cells) return;
  const int e = part.first + static_cast<int>(blockIdx.y);
  const long long row = static_cast<long long>(part.bins) * cells;
  float* const column = columns + static_cast<long long>(blockIdx.y) * cells + i;
  const float* const from = s.from + field_offset(s, e, 0) + i;
  const int kernel = table_row(t, 0, material_of(s, i), e);
  const int half = t.angle_begin[kernel + 1] - t.angle_begin[kernel] - 1;
  AngleLoss lost;
  double missing = 0;
  float largest = 0;
  long long place = 0;
  for (int a = 0; a < t.ntheta; ++a) {
    const float before = from[static_cast<long long>(a) * cells];
    missing += static_cast<double>(before);
    lose_angles(t.angle_weight + t.angle_begin[kernel], half, a, t.ntheta, before, lost);
    const float value = column[a * row];
    if (value < 0.0f) {
      column[a * row] = 0.0f;
      continue;
    }
    missing -= static_cast<double>(value);
    if (value > largest) {
      largest = value;
      place = a * row;
    }
  }
  missing -= lost.low + lost.high;
  if (largest > 0.0f) column[place] = static_cast<float>(fmax(0.0, static_cast<double>(largest) + missing));
}

/// Copies the columns back to the fields and counts losses at the ends of the angles. The previous batch has counted
/// the first `done` energies already.
extern "C" __global__ void __launch_bounds__(256)
    fft_spread_columns_f32(const __grid_constant__ DeviceStep<float> s, FftPart part, int done, const float* columns) {
  if (run_is_over(s)) return;
  const DeviceTables<float>& t = s.tables;
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x), a = static_cast<int>(blockIdx.y);
  const int bin = static_cast<int>(blockIdx.z), cells = field_cells(s), e = part.first + bin;
  if (bin < done) return;
  AngleLoss lost;
  if (i < cells) {
    const int row = table_row(t, 0, material_of(s, i), e);
    const long long at = field_offset(s, e, a) + i;
    s.to[at] = columns[(static_cast<long long>(a) * part.bins + bin) * cells + i];
    lose_angles(t.angle_weight + t.angle_begin[row], t.angle_begin[row + 1] - t.angle_begin[row] - 1, a, t.ntheta,
                s.from[at], lost);
  }
  block_escape(ledger_row(s.scores, s.step), lost, t.energy[e]);
}

}  // namespace bb::transport
