/**
 * Beams along a side of the box: protons that leave through it are gone, in the oracle's Monte Carlo and in every
 * stepping. Empty cells outside the side once held back protons in the cells next to it. A beam 0.1 mm from the side
 * deposited 32.69 MeV of 70; in the Monte Carlo it deposits 31.34.
 */
import { describe, expect, test } from 'vitest';
import type { RunSummary } from '../../electron/contract/run.ts';
import { summaryOf } from '../../electron/host/workloads/transport/readouts.ts';
import { runScenario } from '../electron/host/small-run.ts';
import { EDGES_MM } from './oracle/cases.ts';
import { expected } from './oracle/stored.ts';

/** Shares of the deposited energy; the Monte Carlo's standard deviation comes to it three times. */
const BAND = { 0.5: 0.013, 0.25: 0.005, 0.125: 0.0025 } as const;
type Cells = keyof typeof BAND;

async function along(x_mm: number, stepping: string, dx_mm: number, energy_MeV = 70): Promise<RunSummary> {
  const beam = { energy_MeV, x_mm, x_sigma_mm: 0.4 };
  const geometry = { width_mm: 40 };
  return summaryOf(
    await runScenario(
      { kind: 'transport', version: 1, beam, geometry, grid: { dx_mm }, solver: { stepping } },
      2 ** 33,
    ),
  );
}

function within(found: RunSummary, of: string, dx_mm: Cells): void {
  const { value, error } = expected(of, 'deposited_MeV');
  const off = Math.abs(found.metrics.energy_deposited_MeV - value);
  expect(off).toBeLessThan(BAND[dx_mm] * value + 3 * error);
  expect(found.ledger.number.rel_error).toBeLessThan(1e-6);
  expect(found.ledger.energy.rel_error).toBeLessThan(1e-6);
  expect(found.notes.map(({ code }) => code)).not.toContain('beam-at-edge');
}

const places = [70, 150].flatMap((energy) => EDGES_MM.map((x_mm) => [energy, x_mm] as const));

test.each(places)(
  '%d MeV at %d of 20 mm: as by the Monte Carlo within 0.5 %, in cells of half the width within 0.25 %',
  async (energy, x_mm) => {
    const of = `edge-${energy}MeV-${x_mm}mm`;
    const whole = await along(x_mm, 'depth', 0.25, energy);
    within(whole, of, 0.25);
    const half = await along(x_mm, 'depth', 0.125, energy);
    within(half, of, 0.125);
    const moved = half.metrics.energy_deposited_MeV - whole.metrics.energy_deposited_MeV;
    expect(Math.abs(moved)).toBeLessThan(0.004 * half.metrics.energy_deposited_MeV);
  },
);

test.each([
  ['depth', -19.9, 0.25],
  ['depth', 19.9, 0.5],
  ['path', 19.9, 0.25],
  ['path', -19.9, 0.5],
] as const)('%s stepping, at %d mm, cells of %d mm across', async (stepping, x_mm, dx_mm) => {
  within(await along(x_mm, stepping, dx_mm), `edge-70MeV-${Math.abs(x_mm)}mm`, dx_mm);
});

describe('a beam narrower than its cells starts wider than it is, and near a side the run says what that may be', () => {
  const noteOf = ({ notes }: RunSummary): string | undefined => notes.find(({ code }) => code === 'beam-at-edge')?.text;

  test.each(EDGES_MM.slice(0, 3))('at %d of 20 mm, cells of 1 mm', async (x_mm) => {
    const found = await along(x_mm, 'depth', 1);
    const { value, error } = expected(`edge-70MeV-${x_mm}mm`, 'deposited_MeV');
    const off = Math.abs(found.metrics.energy_deposited_MeV - value);
    const said = Number(/up to ([\d.]+) MeV/.exec(noteOf(found) ?? '')?.[1]);
    expect(off).toBeLessThan(said + 3 * error);
    expect(said).toBeLessThan(10 * (off + error));
  });

  test('and nothing of a beam in the middle', async () => {
    expect(noteOf(await along(0, 'depth', 1))).toBeUndefined();
  });
});
