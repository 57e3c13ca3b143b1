/**
 * Arrays with the results of many beams, in the layouts that the addon also uses. A block contains the result of one
 * beam in a single array, which the addon reuses for the next beam: 27 numbers, then arrays one after another. The
 * dose may be missing: it is then computed on request. The addon writes the block in
 * native/binding/runs/transport_beams.cpp.
 */
import { energyColumns, faceColumns, numberColumns } from '../../../contract/scenario/transport/ledger-columns.ts';
import type { BeamResult, TransportBeams, TransportProblem } from './addon.ts';

/**
 * Readouts of beams that are computed without dose maps, in the order of BeamReadouts in
 * kernels/transport/moments/beam_readouts.hpp. Depths are measured from the entrance, other values are per entering
 * proton. A readout is NaN if the beam has none, for example because it leaves the box.
 */
export const readoutColumns = [
  ...(['r80_mm', 'r90_mm', 'r50_mm', 'r20_mm', 'r10_mm', 'w80_20_mm', 'fwhm_mm', 'peak_mm'] as const),
  ...(['peak_MeV_per_mm', 'entrance_MeV_per_mm', 'plateau_MeV_per_mm'] as const),
  ...(['sigma_x_entrance_mm', 'sigma_x_half_mm', 'sigma_x_peak_mm'] as const),
  ...(['energy_in_MeV', 'energy_deposited_MeV', 'energy_reacted_MeV', 'energy_left_MeV'] as const),
  ...(['stopped', 'reacted', 'left', 'bin_steps', 'min_over_max', 'end'] as const),
] as const;
export type ReadoutColumn = (typeof readoutColumns)[number];

/** Writes one beam into the list for `TransportBeams.readouts`: five values in this order. */
export function writeBeamParameters(to: Float64Array, beam: number, spot: TransportProblem['beam']): void {
  const { energy_MeV, energy_sigma_MeV, angle_sigma_rad, x_sigma_mm, focus_mm } = spot;
  to.set([energy_MeV, energy_sigma_MeV, angle_sigma_rad, x_sigma_mm, focus_mm ?? 0], beam * BEAM_PARAMETERS);
}
export const BEAM_PARAMETERS = 5;

/** Number of moments of the fluence through each plane. */
const MOMENTS_PER_PLANE = 6;
const SCALARS_PER_BLOCK = 27;

/** With `doseRow`, `dose` computes all rows at each access. */
type BlockResult = BeamResult & { readonly doseRow?: (z: number) => Float64Array };

/** Dose along the beam's axis. */
interface BlockProfile {
  readonly start_mm: number;
  readonly step_mm: number;
  readonly values: Float64Array;
}

/** Returns the energies that reactions removed, by destination, and the time for following the products. */
const secondariesOf = (number: (i: number) => number): NonNullable<BeamResult['secondaries']> => ({
  local_MeV: number(21),
  protons_MeV: number(22),
  deuterons_MeV: number(23),
  neutral_MeV: number(24),
  escaped_MeV: number(25),
  seconds: number(26),
});

/**
 * Reads a block. Arrays of the result are views of the block, so they change with the next beam; the profile is a copy.
 */
export function readBeamBlock(
  block: Float64Array,
  { plan: { variant, precision, isa, nz }, dose }: Pick<TransportBeams, 'plan' | 'dose'>,
): { readonly result: BlockResult; readonly profile: BlockProfile } {
  const number = (i: number): number => block[i] ?? Number.NaN;
  const rows = number(15);
  let read = SCALARS_PER_BLOCK;
  const part = (size: number): Float64Array => {
    read += size;
    return block.subarray(read - size, read);
  };
  const cells = number(19);
  const known = cells > 0 ? part(cells) : null;
  const result: BlockResult = {
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
    ...(number(20) === 1 ? { secondaries: secondariesOf(number) } : {}),
    get dose() {
      return known ?? dose();
    },
    ...(known === null ? { doseRow: dose } : {}),
    crossing: part(nz * MOMENTS_PER_PLANE),
    ledger_number: part(rows * numberColumns.length),
    ledger_energy: part(rows * energyColumns.length),
    faces_number: part(rows * faceColumns.length),
    faces_energy: part(rows * faceColumns.length),
  };
  return { result, profile: { start_mm: number(16), step_mm: number(17), values: part(number(18)).slice() } };
}
