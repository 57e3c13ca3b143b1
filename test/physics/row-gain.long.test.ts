/**
 * A tilted beam's range has the spread that a run reports for its cells. Cells are up to eight times as wide as deep.
 */
import { expect, test } from 'vitest';
import { allGates } from './falloff.ts';
import { fineBins, meanAndDeviation, type RowGain, rowGains, type TiltedBeam, tiltedBeams } from './row-gain.ts';

const cachedGains = new Map<TiltedBeam, Promise<readonly RowGain[]>>();
function gainsOf(beam: TiltedBeam): Promise<readonly RowGain[]> {
  const found = cachedGains.get(beam) ?? rowGains(beam);
  cachedGains.set(beam, found);
  return found;
}

/** All beams if all gates run, otherwise the first and the last one. */
const beams = tiltedBeams.filter((_, i) => allGates || i === 0 || i === tiltedBeams.length - 1);

test.each(beams)('$energy_MeV MeV at $angle_deg°: the reported spread is present within a sixth', async (beam) => {
  for (const { reported_mm, measured_mm, stepping, dx_mm } of await gainsOf(beam)) {
    const off = reported_mm / measured_mm - 1;
    expect(
      Math.abs(off),
      `${stepping} stepping, ${dx_mm} mm: ${reported_mm} mm reported, ${measured_mm} mm measured`,
    ).toBeLessThan(1 / 6);
  }
});

test('the row gain of the engine is the mean of the measured ones, within a quarter of their scatter', async () => {
  const all = (await Promise.all(beams.map(gainsOf))).flat();
  const { mean, deviation } = meanAndDeviation(all.map(({ gain }) => gain));
  expect(deviation).toBeLessThan(0.2);
  for (const { assumed_gain } of all) expect(Math.abs(assumed_gain - mean)).toBeLessThan(deviation / 4);
});

test('the row gain is equally large in the finest bins', { timeout: 1_800_000 }, async (context) => {
  if (!allGates) return context.skip('takes minutes: npm run test:all -- gates has it');
  const all = (await Promise.all(beams.map((beam) => rowGains(beam, fineBins)))).flat();
  const { mean, deviation } = meanAndDeviation(all.map(({ gain }) => gain));
  for (const { assumed_gain } of all) expect(Math.abs(assumed_gain - mean)).toBeLessThan(deviation / 2);
});
