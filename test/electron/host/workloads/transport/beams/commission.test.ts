/** Energy and spread found again from a depth dose of the program's own with noise; and how measured curves are read. */
import { describe, expect, test } from 'vitest';
import { readCurve, readOneCurve } from '../../../../../../electron/host/workloads/transport/beams/measured-curve.ts';
import { expectFoundAgain } from './find-again.ts';

test(
  '100 MeV, spread 0.6 MeV, noise of 0.01: found within three of the stated errors',
  () => expectFoundAgain(100, 0.6, 0.01, 1),
  60_000,
);

describe('a measured curve', () => {
  const peak = [10, 10, 11, 12, 14, 18, 30, 60, 100, 70, 20, 2, 0];
  const csv = (unit: number) => peak.map((dose, i) => `${(i + 1) * unit},${dose}`).join('\n');

  test('is read in mm and cm, with commas, semicolons or blanks', () => {
    const wanted = Float64Array.from(peak, (_, i) => 10 * (i + 1));
    for (const text of [
      `depth_mm,dose\n${csv(10)}`,
      `# a chamber\nDepth (cm);Dose\r\n${csv(1).replaceAll(',', ';').replaceAll('\n', '\r\n')}\r\n`,
      `z [mm]\tdose\n${csv(10).replaceAll(',', ' ')}`,
    ]) {
      const read = readCurve(text, null);
      expect(read.ok && [...read.curve.depth_mm]).toEqual([...wanted]);
    }
    const read = readCurve(csv(1), 'cm');
    expect(read.ok && [...read.curve.depth_mm]).toEqual([...wanted]);
  });

  test('is read as the same curve over the depth dose is: decimal commas, columns by their names', () => {
    const wanted = [peak.map((_, i) => 10 * (i + 1)), peak.map((dose) => dose + 0.25)];
    const lines = (line: (depth: number, dose: number) => string) =>
      peak.map((dose, i) => line(10 * (i + 1), dose + 0.25)).join('\n');
    for (const text of [
      `depth_mm;dose\n${lines((depth, dose) => `${depth};${dose}`.replace('.', ','))}`,
      `Tiefe_mm;Dosis\n${lines((depth, dose) => `${depth},0;${dose}`.replace(/\.(\d+)$/, ',$1'))}`,
      `nr,dose,depth_mm\n${lines((depth, dose) => `7,${dose},${depth}`)}`,
      `\uFEFFdepth_mm,error,dose\n${lines((depth, dose) => `${depth},0.5,${dose}`)}`,
    ]) {
      const read = readCurve(text, null);
      expect(read.ok && [[...read.curve.depth_mm], [...read.curve.dose]]).toEqual(wanted);
    }
  });

  test('is refused where commas are decimals and separators alike, and where its column says another unit', () => {
    const commas = readCurve(`depth_mm,dose\n${peak.map((dose, i) => `${i + 1},5,${dose},25`).join('\n')}`, null);
    expect(!commas.ok && commas.faults[0]).toMatchObject({
      line: 2,
      message: expect.stringMatching(/^4 values; allowed: 2/),
    });
    const other = readOneCurve(`depth_cm,dose\n${csv(1)}`, 'mm');
    expect(!other.ok && other.faults[0]?.message).toContain('the depth is in cm by its column');
    expect(readOneCurve(`depth_cm,dose\n${csv(1)}`, 'cm').ok).toBe(true);
  });

  test.each([
    ['', 1, '0 points'],
    [csv(10), 1, 'nothing says the unit of depth'],
    ['depth_mm,dose\n1,2\n2,3\n', 1, '2 points; allowed: 10 to'],
    [`depth_mm,dose\n${csv(10)}\nx,3`, 15, '"x" is not a number'],
    [`depth_mm,dose\n${csv(10)}\n130,`, 15, '"" is not a number'],
    [`depth_mm,dose\n${csv(10)}\n130,0`, 15, 'the depth 130 does not go on'],
    [`depth_mm,dose\n${csv(10).split('\n').slice(0, 10).join('\n')}`, 11, 'does not fall to 20 %'],
  ])('%j is refused at its line', (text, line, says) => {
    const read = readCurve(text, null);
    expect(!read.ok && read.faults[0]?.line).toBe(line);
    expect(!read.ok && read.faults[0]?.message).toContain(says);
  });
});
