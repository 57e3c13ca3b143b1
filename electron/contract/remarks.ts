/** What stands beside the readouts of a run that say less than they seem to. */
import type { NumberBalance, RunSummary } from './run.ts';

/** Fewer lost protons change no readout by more than the grid does. */
const NOTICEABLE_SHARE = 0.005;
/** Fewer cells in the falloff change W80–20 and the height of the peak by more than 5 %. */
const LEAST_CELLS = 2.7;

/** Where protons go out that were to stop inside, and what keeps them. */
const ways = [
  { column: 'escaped_theta', where: 'beyond the largest angle', remedy: 'a larger grid.theta_max_mrad' },
  { column: 'escaped_x', where: 'through the sides', remedy: 'a larger geometry.width_mm' },
  { column: 'escaped_z', where: 'through the front or the back', remedy: 'a larger geometry.depth_mm' },
] as const;

function lossRemark(number: NumberBalance): readonly string[] {
  const most = ways.reduce((a, b) => (number[b.column] > number[a.column] ? b : a));
  const share = number.in > 0 ? number[most.column] / number.in : 0;
  if (share < NOTICEABLE_SHARE) return [];
  const percent = (100 * share).toFixed(share < 0.1 ? 1 : 0);
  return [
    `${percent} % of the protons left ${most.where}: range, peak and widths are of the rest; ${most.remedy} keeps them.`,
  ];
}

function coarseRemark({ metrics: { w80_20_mm }, resolution_mm }: RunSummary): readonly string[] {
  if (w80_20_mm === null || w80_20_mm >= LEAST_CELLS * resolution_mm) return [];
  const parts = (w80_20_mm / resolution_mm).toFixed(1);
  return [
    `${resolution_mm} mm, a cell in depth or a step, is coarse: only ${parts} lie in the falloff, so W80–20, FWHM and ` +
      'peak to entrance are the grid’s; three or more show the beam’s.',
  ];
}

/** One sentence each; only of runs whose range can be read. */
export function readoutRemarks(summary: RunSummary): readonly string[] {
  if (summary.metrics.r80_mm === null) return [];
  return [...lossRemark(summary.ledger.number), ...coarseRemark(summary)];
}
