/**
 * Measures the spread of range that the thin rows of cells along a tilted beam's axis add. It compares falloffs in
 * cells of several widths with that in cells which add next to nothing. Energies and angles differ from those of the
 * gates. The engine's `kRowGain` is the mean of the printed gains:
 *
 *   node test/physics/row-gain.ts
 *
 * Needs twenty seconds on one core. The argument `fine` selects bins as fine as the program's own.
 */
import { summaryOf } from '../../electron/host/workloads/transport/readouts.ts';
import { runScenario } from '../electron/host/small-run.ts';

/** W80–20 of a Gaussian spread of range, divided by its standard deviation. */
const FALLOFF = 1.312;

type Stepping = 'depth' | 'path';

export interface TiltedBeam {
  readonly energy_MeV: number;
  readonly angle_deg: number;
  readonly dz_mm: number;
}

export const tiltedBeams: readonly TiltedBeam[] = [
  { energy_MeV: 70, angle_deg: 20, dz_mm: 0.25 },
  { energy_MeV: 70, angle_deg: 37, dz_mm: 0.25 },
  { energy_MeV: 120, angle_deg: 20, dz_mm: 0.5 },
  { energy_MeV: 120, angle_deg: 37, dz_mm: 0.5 },
];

export interface RowGain {
  readonly stepping: Stepping;
  readonly dx_mm: number;
  /** Spread of range by cells, bins and readouts in mm: as the run reports it, and as measured from its falloff. */
  readonly reported_mm: number;
  readonly measured_mm: number;
  /** Variance that rows add, in cells²: from the falloff, and as the engine assumes it. */
  readonly gain: number;
  readonly assumed_gain: number;
}

interface SolvedGrid {
  readonly w80_20_mm: number;
  readonly reported_mm: number;
  /** Spread without the contribution of the readouts. */
  readonly engine_mm: number;
}

interface Grid {
  readonly stepping: Stepping;
  readonly dx_mm: number;
  readonly dz_mm: number;
  readonly dtheta_mrad: number;
  /** Range bins per step. */
  readonly bins: number;
}

async function solve({ energy_MeV, angle_deg }: TiltedBeam, grid: Grid): Promise<SolvedGrid> {
  const { stepping, bins, ...cells } = grid;
  const step_mm = cells.dz_mm / Math.cos((angle_deg * Math.PI) / 180);
  const run = await runScenario({
    kind: 'transport',
    version: 1,
    beam: { energy_MeV, angle_deg },
    grid: { ...cells, energy: { kind: 'range', step_mm: step_mm / bins } },
    solver: { stepping, ...(stepping === 'path' ? { step_mm } : {}) },
    output: { keyframes: 0 },
  });
  const { metrics, extra_straggling_mm } = summaryOf(run);
  return {
    w80_20_mm: metrics.w80_20_mm ?? Number.NaN,
    reported_mm: extra_straggling_mm,
    engine_mm: run.extra_straggling_mm,
  };
}

/** Range bins per step. */
type Bins = Readonly<Record<Stepping, number>>;

/** Bins of a quarter of a step by depth, of a step by path: both add little compared with the rows. */
const defaultBins: Bins = { depth: 4, path: 1 };
/** Bins as fine as the program ever chooses, or finer. */
export const fineBins: Bins = { depth: 8, path: 6 };
const widths = [8, 4, 2] as const;

/** Gains of one beam in cells whose widths are 2 to 8 times their depth; with depth stepping also 1. */
export async function rowGains(beam: TiltedBeam, bins: Bins = defaultBins): Promise<readonly RowGain[]> {
  const { dz_mm, angle_deg } = beam;
  const sine = Math.sin((angle_deg * Math.PI) / 180);
  const fine = { stepping: 'depth', dx_mm: dz_mm / 2, dz_mm: dz_mm / 2, dtheta_mrad: 10, bins: 8 } as const;
  const least = await solve(beam, fine);
  const own_mm2 = least.w80_20_mm ** 2 - (FALLOFF * least.reported_mm) ** 2;
  const found: RowGain[] = [];
  for (const stepping of ['depth', 'path'] as const) {
    const cells = (width: number): Grid => {
      return { stepping, dx_mm: width * dz_mm, dz_mm, dtheta_mrad: 20, bins: bins[stepping] };
    };
    const solved = new Map<number, SolvedGrid>();
    for (const width of stepping === 'depth' ? [...widths, 1] : widths) {
      solved.set(width, await solve(beam, cells(width)));
    }
    // Only the rows make the engine's spread grow with the width.
    const [wide, narrow] = [solved.get(8)?.engine_mm ?? Number.NaN, solved.get(2)?.engine_mm ?? Number.NaN];
    const assumed_gain = (wide ** 2 - narrow ** 2) / (sine ** 2 * dz_mm ** 2 * (8 ** 2 - 2 ** 2));
    for (const [width, { w80_20_mm, reported_mm }] of solved) {
      const cells_mm2 = sine ** 2 * dz_mm ** 2 * (width ** 2 + (stepping === 'path' ? 1 : 0));
      const measured_mm2 = (w80_20_mm ** 2 - own_mm2) / FALLOFF ** 2;
      const gain = assumed_gain + (measured_mm2 - reported_mm ** 2) / cells_mm2;
      found.push({
        stepping,
        dx_mm: width * dz_mm,
        reported_mm,
        measured_mm: Math.sqrt(measured_mm2),
        gain,
        assumed_gain,
      });
    }
  }
  return found;
}

export function meanAndDeviation(values: readonly number[]): { readonly mean: number; readonly deviation: number } {
  const mean = values.reduce((a, b) => a + b, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { mean, deviation: Math.sqrt(squares / (values.length - 1)) };
}

if (import.meta.filename === process.argv[1]) {
  const all: RowGain[] = [];
  for (const beam of tiltedBeams) {
    for (const one of await rowGains(beam, process.argv[2] === 'fine' ? fineBins : defaultBins)) {
      const [reported, measured] = [one.reported_mm.toFixed(3), one.measured_mm.toFixed(3)];
      console.log(
        `${beam.energy_MeV} MeV, ${beam.angle_deg}°, ${one.stepping}, cells of ${one.dx_mm} mm:`,
        `reported ${reported} mm, measured ${measured} mm, gain ${one.gain.toFixed(2)}`,
      );
      all.push(one);
    }
  }
  const { mean, deviation } = meanAndDeviation(all.map(({ gain }) => gain));
  console.log(
    `gain ${mean.toFixed(3)} ± ${deviation.toFixed(3)}, the engine assumes ${all[0]?.assumed_gain.toFixed(3)}`,
  );
}
