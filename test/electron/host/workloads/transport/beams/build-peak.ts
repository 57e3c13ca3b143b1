/** Spread-out peaks with the real engine, and their tolerances. */
import { expect } from 'vitest';
import { type peaks, peaksTable } from '../../../../../../electron/build/figures/programs.ts';
import { buildSobp } from '../../../../../../electron/host/workloads/transport/beams/sobp.ts';
import { expectRows } from '../../../../build/document-rows.ts';
import { addon, scenarios } from '../../../model/scenarios/open.ts';

export const check = (document: unknown) => scenarios.check(document, { name: 's', folder: null });
const { signal } = new AbortController();

export async function buildPeak(request: Parameters<typeof buildSobp>[2], beam: object = {}, physics = {}) {
  const reading = await check({ kind: 'transport', version: 2, beam: { energy_MeV: 100, ...beam }, physics });
  if (reading.scenario === null) throw new Error('no scenario');
  return buildSobp({ physics, check, addon }, reading.scenario, request, { signal });
}

/** Builds a spread-out peak and checks it. `row`: the handbook's table row of that peak, if it has one. */
export async function expectPeak(
  range_mm: number,
  modulation_mm: number,
  beam: object,
  physics: object,
  row: (typeof peaks)[number] | null,
): Promise<void> {
  const found = await buildPeak({ range_mm, modulation_mm }, beam, physics);
  expect(Math.abs(found.plateau.r90_mm - range_mm)).toBeLessThan(0.05);
  expect(Math.abs(found.plateau.m95_mm - modulation_mm)).toBeLessThan(0.3);
  expect(found.plateau.flatness).toBeLessThan(0.015);
  expect(found.plateau.flatness).toBeLessThan(found.firstFlatness);
  expect(found.layers.every(({ weight }) => weight > 0)).toBe(true);
  expect(found.layers.reduce((sum, { weight }) => sum + weight, 0)).toBeCloseTo(1, 9);
  if (row !== null) expectRows('spread-out-peaks', peaksTable([[row, found]]));
}
