/**
 * Result of one beam of many in a single array, which the addon reuses for the next beam: numbers in the order below,
 * then arrays one after another. The addon's side is native/binding/runs/transport_beams.cpp.
 */
import { energyColumns, faceColumns, numberColumns } from '../../../contract/scenario/transport/ledger-columns.ts';
import type { BeamResult, TransportBeams } from './addon.ts';

/** Moments per plane of the crossing fluence. */
const MOMENTS = 6;
const NUMBERS = 19;

/** Dose along the beam's axis, in a separate array. */
interface BlockProfile {
  readonly start_mm: number;
  readonly step_mm: number;
  readonly values: Float64Array;
}

/** Arrays of the result are views of the block and change with it; the profile is a copy. */
export function readBlock(
  block: Float64Array,
  { variant, precision, isa, nz, nx }: TransportBeams['plan'],
): { readonly result: BeamResult; readonly profile: BlockProfile } {
  const number = (i: number): number => block[i] ?? Number.NaN;
  const rows = number(15);
  let read = NUMBERS;
  const part = (size: number): Float64Array => {
    read += size;
    return block.subarray(read - size, read);
  };
  const result: BeamResult = {
    status: number(0) === 1 ? 'cancelled' : 'done',
    error: null,
    variant,
    precision,
    isa,
    threads: number(1),
    setup_s: number(2),
    solve_s: number(3),
    device_s: number(4),
    cell_steps: number(5),
    peak_state_bytes: number(6),
    bytes_per_cell_step: number(7),
    flops_per_cell_step: number(8),
    min_psi_over_max: number(9),
    x_variance_of_representation_mm2: number(10),
    extra_straggling_mm: number(11),
    range_mean_mm: number(12),
    end_excess_mm: number(13),
    steps: number(14),
    setup_parts: [],
    dose: part(nz * nx),
    crossing: part(nz * MOMENTS),
    ledger_number: part(rows * numberColumns.length),
    ledger_energy: part(rows * energyColumns.length),
    faces_number: part(rows * faceColumns.length),
    faces_energy: part(rows * faceColumns.length),
  };
  return { result, profile: { start_mm: number(16), step_mm: number(17), values: part(number(18)).slice() } };
}
