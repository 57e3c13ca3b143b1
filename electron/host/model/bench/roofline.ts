/** How near a variant comes to what the device can do, from what it declares: needs no counters. */
import type { Roofline } from '../../../contract/bench/bench.ts';
import type { Ceilings } from '../../../contract/devices.ts';
import type { Precision } from '../../../contract/run.ts';
import type { TransportResult } from '../../io/addon/addon.ts';

/** Declared bytes are of FP32; FP64 moves twice as many. */
export function roofline(
  { bytes_per_cell_step, flops_per_cell_step }: Pick<TransportResult, 'bytes_per_cell_step' | 'flops_per_cell_step'>,
  precision: Precision,
  cellStepsPerSecond: number,
  ceilings: Ceilings | null,
): Roofline {
  const bytes = bytes_per_cell_step * (precision === 'fp64' ? 2 : 1);
  const [bytes_per_s, flops_per_s] = [bytes * cellStepsPerSecond, flops_per_cell_step * cellStepsPerSecond];
  const peak = precision === 'fp64' ? ceilings?.fp64_flops_per_s : ceilings?.fp32_flops_per_s;
  return {
    bytes_per_s,
    flops_per_s,
    flops_per_byte: flops_per_cell_step / bytes,
    share_of_copy: ceilings === null ? null : bytes_per_s / ceilings.copy_bytes_per_s,
    share_of_flops: peak === undefined ? null : flops_per_s / peak,
  };
}
