/**
 * Tilted beams on the grids that the program chooses, by both steppings, against the Monte Carlo of the oracle at each
 * angle. What a run says that its grid adds to the falloff is what it adds: nothing where it says nothing.
 */
import { describe, expect, test } from 'vitest';
import type { Metrics, RunSummary } from '../../electron/contract/run.ts';
import { summaryOf } from '../../electron/host/workloads/transport/readouts.ts';
import { runScenario } from '../electron/host/small-run.ts';
import { allGates } from './gates.ts';
import { expected } from './oracle/stored.ts';

const MEMORY = 2 ** 33;
/** W80–20 of a Gaussian spread of range, in standard deviations of it. */
const FALLOFF = 1.312;

interface Found {
  readonly metrics: Metrics;
  readonly summary: RunSummary;
  readonly range_mm: number;
}

async function tilted(energy_MeV: number, angle_deg: number, solver: object, grid: object = {}): Promise<Found> {
  const run = await runScenario(
    { kind: 'transport', version: 1, beam: { energy_MeV, angle_deg }, solver, grid },
    MEMORY,
  );
  const summary = summaryOf(run);
  return { metrics: summary.metrics, summary, range_mm: run.range_mm };
}

const of = (energy: number, angle: number) => (quantity: string) =>
  expected(`tilt-${energy}MeV-${angle}deg`, quantity).value;

type Case = readonly [energy_MeV: number, angle_deg: number, stepping: 'depth' | 'path'];
const angles = [0, 10, 30, 45] as const;
/** By path stepping a tilted beam takes ten times as long. */
const slow = ([energy, angle, stepping]: Case): boolean =>
  stepping === 'path' && (angle === 45 || (energy === 150 && angle > 0));
const cases: readonly Case[] = [90, 150].flatMap((energy) =>
  angles.flatMap((angle) => [[energy, angle, 'depth'] as const, [energy, angle, 'path'] as const]),
);

test.each(cases.filter((one) => allGates || !slow(one)))(
  '%d MeV at %d°, %s stepping: R80 and mean range within 0.05 mm, W80–20 within three hundredths',
  async (energy, angle, stepping) => {
    const wanted = of(energy, angle);
    const { metrics, summary, range_mm } = await tilted(energy, angle, { stepping });
    expect(Math.abs((metrics.r80_mm ?? 0) - wanted('r80_mm'))).toBeLessThan(0.05);
    expect(Math.abs((metrics.mean_range_mm ?? 0) - wanted('mean_range_mm'))).toBeLessThan(0.05);
    expect(metrics.mean_range_mm ?? 0).toBeLessThan(range_mm);
    const wider = (metrics.w80_20_mm ?? 0) / wanted('w80_20_mm');
    expect(Math.abs(wider - 1)).toBeLessThan(0.03);
    expect(Math.abs((metrics.peak_to_entrance ?? 0) / wanted('peak_to_entrance') - 1)).toBeLessThan(0.02);
    // What is said is what is there.
    const said = Math.hypot(wanted('w80_20_mm'), FALLOFF * summary.extra_straggling_mm) / wanted('w80_20_mm');
    expect(Math.abs(said - wider)).toBeLessThan(0.015);
    expect(summary.notes.some(({ code }) => code === 'tilted-rows')).toBe(angle !== 0 && said > 1.011);
    if (angle === 0 && stepping === 'path') expect(summary.extra_straggling_mm).toBe(0);
  },
);

/** Steps of parts of cells in depth: the row of the beam widens, and the run says by how much. */
test.each([[90, 10, 0.2], [90, 30, 0.25], ...(allGates ? ([[150, 30, 0.5]] as const) : [])] as const)(
  '%d MeV at %d°, steps of %d mm: the spread that is said is there, to a tenth',
  async (energy, angle, step_mm) => {
    const { metrics, summary, range_mm } = await tilted(
      energy,
      angle,
      { stepping: 'path', step_mm },
      { dtheta_mrad: 10 },
    );
    // The row of such a beam ran ahead of it.
    expect(metrics.mean_range_mm ?? 0).toBeLessThan(range_mm);
    const wanted = of(energy, angle)('w80_20_mm');
    const there = Math.sqrt((metrics.w80_20_mm ?? 0) ** 2 - wanted ** 2) / FALLOFF;
    expect(Math.abs(summary.extra_straggling_mm / there - 1)).toBeLessThan(0.1);
  },
);

describe('halving cells and steps moves R80 by less than 0.02 mm', () => {
  const halved: readonly Case[] = [
    [90, 10, 'depth'],
    [90, 30, 'depth'],
    [90, 45, 'depth'],
    ...(allGates
      ? ([
          [150, 30, 'depth'],
          [90, 10, 'path'],
          [90, 30, 'path'],
          [90, 45, 'path'],
        ] as const)
      : []),
  ];
  test.each(halved)('%d MeV at %d°, %s stepping', async (energy, angle, stepping) => {
    // By path the finer grid takes sixteen times the work, which wider angles make up for.
    const angles = { dtheta_mrad: 10 };
    const whole = await tilted(energy, angle, { stepping }, angles);
    const cells = whole.summary.resolution_mm * Math.cos((angle * Math.PI) / 180);
    const dx_mm = { 10: 0.125, 30: 0.1, 45: 0.05 }[angle] ?? 0.1;
    const half = await tilted(energy, angle, { stepping }, { ...angles, dz_mm: Number((cells / 2).toFixed(6)), dx_mm });
    expect(Math.abs((half.metrics.r80_mm ?? 0) - (whole.metrics.r80_mm ?? 0))).toBeLessThan(0.02);
    expect(Math.abs((half.metrics.mean_range_mm ?? 0) - (whole.metrics.mean_range_mm ?? 0))).toBeLessThan(0.02);
  });
});
