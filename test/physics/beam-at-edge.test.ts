/**
 * A beam of 70 MeV, 0.1 mm from a side of the box: what leaves is gone in the Monte Carlo. The cells beside the side hold
 * some of it back, and the run says how much that may be.
 */
import { expect, test } from 'vitest';
import type { RunSummary } from '../../electron/contract/run.ts';
import { summaryOf } from '../../electron/host/workloads/transport/readouts.ts';
import { runScenario } from '../electron/host/small-run.ts';
import { expected } from './oracle/stored.ts';

async function along(x_mm: number, stepping: string, dx_mm: number): Promise<RunSummary> {
  const beam = { energy_MeV: 70, x_mm, x_sigma_mm: 0.4 };
  const geometry = { width_mm: 40 };
  return summaryOf(
    await runScenario({ kind: 'transport', version: 1, beam, geometry, grid: { dx_mm }, solver: { stepping } }),
  );
}

const noteOf = ({ notes }: RunSummary): string | null =>
  notes.find(({ code }) => code === 'beam-at-edge')?.text ?? null;
const saidOf = (text: string | null): number => Number(/up to ([\d.]+) MeV/.exec(text ?? '')?.[1]);

test.each([
  ['depth', 0.5],
  ['depth', 0.25],
  ['depth', 0.1],
  ['depth', 0.05],
  ['path', 0.25],
] as const)('%s stepping, cells of %d mm across: no more is held back than the note says', async (stepping, dx_mm) => {
  const found = await along(19.9, stepping, dx_mm);
  const { value, error } = expected('edge-70MeV', 'deposited_MeV');
  const more = found.metrics.energy_deposited_MeV - value;
  const said = saidOf(noteOf(found));
  expect(more).toBeGreaterThan(-3 * error);
  expect(more).toBeLessThan(said + error);
  // A bound that says something.
  expect(said).toBeLessThan(4 * (more + error));
});

test.each(['depth', 'path'])(
  'nothing is said 2 mm from the side, and nothing of a beam in the middle, %s stepping',
  async (stepping) => {
    expect(noteOf(await along(18, stepping, 0.25))).toBeNull();
    expect(noteOf(await along(0, stepping, 0.25))).toBeNull();
  },
);
