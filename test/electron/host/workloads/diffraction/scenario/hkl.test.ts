/** Lists of reflections in the forms that programs write: cases/README.md has sources and correct values. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readHkl } from '../../../../../../electron/host/workloads/diffraction/scenario/hkl.ts';

const ofCase = (name: string) => readAmplitudes(readFileSync(path.join(import.meta.dirname, 'cases', name), 'utf8'));
function readAmplitudes(text: string): readonly number[] | readonly string[] {
  const list = readHkl(text);
  return list.ok ? [...list.reflections] : list.faults.map(({ line, message }) => `${line}: ${message}`);
}

test('XDS_ASCII contains intensities, whose square roots are the amplitudes', () => {
  const [amplitudes, roots] = [ofCase('h00-good.hkl') as number[], ofCase('h01-xds.hkl') as number[]];
  expect(roots.length).toBe(amplitudes.length);
  const byIndex = (all: readonly number[]) =>
    new Map(
      Array.from({ length: all.length / 4 }, (_, i) => [all.slice(4 * i, 4 * i + 3).join(' '), all[4 * i + 3] ?? 0]),
    );
  const wanted = byIndex(amplitudes);
  for (const [index, f] of byIndex(roots)) expect(f, index).toBeCloseTo(wanted.get(index) ?? Number.NaN, 9);
});

test('a decimal comma in a space-separated column is read as a decimal point', () => {
  expect(ofCase('h03-comma.hkl').slice(0, 8)).toEqual([-2, -2, -2, 32.5, -2, -2, -1, 31.5]);
  expect(readAmplitudes('1 2 3 4,500')).toEqual([
    '1: the comma in 4,500 may separate thousands or decimals; allowed: a decimal point',
  ]);
});

test('the header determines if the fourth value is F or I, in any order of columns', () => {
  expect(readAmplitudes('h k l F sigF\n1 2 3 9 0.5')).toEqual([1, 2, 3, 9]);
  expect(readAmplitudes('H,K,L,I,SIGI\n1,2,3,9,0.5')).toEqual([1, 2, 3, 3]);
  expect(readAmplitudes('# h k l F2 sigma\n1 2 3 16 0.5')).toEqual([1, 2, 3, 4]);
  expect(readAmplitudes('F h k l\n9 1 2 3')).toEqual([1, 2, 3, 9]);
  // A negative intensity is noise around zero.
  expect(readAmplitudes('h k l I\n1 2 3 -4')).toEqual([1, 2, 3, 0]);
});

test('columns without a stated meaning are rejected', () => {
  expect(readAmplitudes('1 2 3 4 0.5')[0]).toMatch(
    /^1: "1 2 3 4 0\.5" has 5 values, but no header says whether the fourth is F or I/,
  );
  expect(readAmplitudes('h k l phase\n1 2 3 4')).toEqual([
    '1: its header "h k l phase" has neither F nor I; allowed: h k l F, h k l I',
  ]);
  expect(readAmplitudes('h k l F I\n1 2 3 4 16')[0]).toMatch(/has both F and I/);
  expect(readAmplitudes('!FORMAT=XDS_ASCII\n!ITEM_H=1\n!END_OF_HEADER\n')[0]).toMatch(
    /has the items H; allowed: H, K, L and IOBS/,
  );
});

test.each([
  ...['F', 'Fo', '|Fo|', 'Fobs', 'F(obs)', 'F-obs', 'F_meas_au', 'F [e]', 'FP', 'F(electrons)', 'amplitude'].map(
    (name) => [name, 100] as const,
  ),
  ...[
    'F(obs)^2',
    'F(squared)',
    'Fo^2',
    'Fobs^2',
    '|F|^2',
    '|F(obs)|^2',
    'F**2',
    'F²',
    'F ^2',
    'Fo ** 2',
    'F2',
    'Fsq',
  ].map((name) => [name, 10] as const),
  ...['I', 'Iobs', 'I(obs)', 'I-obs', 'Imean', 'intensity_meas', 'F_squared_meas', 'F^2(obs)', 'I (arb. units)'].map(
    (name) => [name, 10] as const,
  ),
])('a column named %s with 100 gives an amplitude of %d', (name, f) => {
  expect(readAmplitudes(`h k l ${name} sig\n1 0 0 100 1`)).toEqual([1, 0, 0, f]);
});

test.each([
  'Fc',
  'Fcalc^2',
  'F(calc)',
  'I^2',
  'F^2^2',
  'F000',
  'E',
  'I/sigma',
  'log(I)',
  'F(anom)',
  'F^3',
  '1/F',
  'F*',
])('a column named %s is neither F nor I', (name) => {
  expect(readAmplitudes(`h k l ${name} sig\n1 0 0 100 1`)[0]).toMatch(/has neither F nor I/);
});

test('XDS misfits, marked by a negative sigma, are excluded', () => {
  const head = ['!FORMAT=XDS_ASCII', '!ITEM_H=1', '!ITEM_K=2', '!ITEM_L=3', '!ITEM_IOBS=4', '!ITEM_SIGMA(IOBS)=5'];
  const list = readHkl([...head, '!END_OF_HEADER', '1 0 0 4 1', '2 0 0 900 -1', '!END_OF_DATA'].join('\n'));
  expect(list).toEqual({
    ok: true,
    reflections: Float64Array.of(1, 0, 0, 2),
    notes: ['Reflections omitted because XDS marks them as misfits by a negative sigma: 1.'],
  });
});

test.each([
  ['the fixed columns of HKLF 4', '   1   0   0    4.00    1.00\n   2   0   0  900.00   -1.00\n'],
  ['a header', 'h k l I sigma\n1 0 0 4 1\n2 0 0 900 -1.00\n'],
  ['a header of amplitudes', 'h k l F sigma\n1 0 0 4 1\n2 0 0 5 -1.00\n'],
])('a negative sigma in %s is rejected', (_, text) => {
  expect(readAmplitudes(text)).toEqual([
    expect.stringMatching(/^[23]: sigma = -1\.00 is negative; allowed: 0 and more$/),
  ]);
});

const readReflections = (text: string) => {
  const list = readHkl(text);
  return list.ok ? { reflections: [...list.reflections], notes: list.notes } : list.faults;
};

test.each([
  ['-999 as an amplitude', 'h k l F\n1 0 0 12\n2 0 0 -999\n3 0 0 40\n', [1, 0, 0, 12, 3, 0, 0, 40], 1],
  ['-99.9 as an amplitude', 'h k l F\n1 0 0 12\n2 0 0 -99.9\n', [1, 0, 0, 12], 1],
  ['-9999.00 without a header', '1 0 0 12\n2 0 0 -9999.00\n3 0 0 -999\n', [1, 0, 0, 12], 2],
  ['99999.99, far above the others', 'h k l F\n1 0 0 12\n2 0 0 99999.99\n', [1, 0, 0, 12], 1],
  ['-999 as an intensity beyond its noise', 'h k l I sig\n1 0 0 4 1\n2 0 0 -999 1\n', [1, 0, 0, 2], 1],
])('a marker for a missing value is skipped and counted: %s', (_, text, reflections, count) => {
  expect(readReflections(text)).toEqual({
    reflections,
    notes: [expect.stringMatching(`marks a missing value, such as -999: ${count}\\.$`)],
  });
});

test('plausible measurements that consist of nines are not treated as missing', () => {
  // A strong reflection among others, and an intensity of -2.5 standard deviations.
  for (const [text, reflections] of [
    ['h k l F\n1 0 0 999\n2 0 0 640\n', [1, 0, 0, 999, 2, 0, 0, 640]],
    ['h k l F\n1 0 0 99999\n', [1, 0, 0, 99999]],
    ['h k l I sig\n1 0 0 4 1\n2 0 0 -999 400\n', [1, 0, 0, 2, 2, 0, 0, 0]],
    ['h k l I sig\n1 0 0 4 1\n2 0 0 999999 1\n', [1, 0, 0, 2, 2, 0, 0, Math.sqrt(999999)]],
  ] as const)
    expect(readReflections(text)).toEqual({ reflections, notes: [] });
});

test('-999 is rejected in a list of signed amplitudes', () => {
  expect(readAmplitudes('h k l F\n1 0 0 -12\n2 0 0 -999\n3 0 0 40\n')).toEqual([
    '3: 2 0 0 has F = -999, which may mark a missing value or be an amplitude with a sign, as in line 2; allowed: no line for a missing value, or other digits such as -999.01',
  ]);
});

test('an arbitrary written list reads back unchanged', () => {
  const index = fc.integer({ min: -99, max: 99 });
  const row = fc.tuple(index, index, index, fc.double({ min: -1e6, max: 1e6, noNaN: true }));
  fc.assert(
    fc.property(fc.uniqueArray(row, { selector: ([h, k, l]) => `${h} ${k} ${l}`, minLength: 1 }), (rows) => {
      expect(readAmplitudes(rows.map((one) => one.join(' ')).join('\n'))).toEqual(
        rows.flat().map((value) => value + 0),
      );
    }),
    { numRuns: 100 },
  );
});

test('a header in a comment is read, and prose is ignored', () => {
  for (const head of ['# h k l |F|^2', '! h k l Fo^2'])
    expect(readAmplitudes(`${head}\n1 2 3 4`)).toEqual([1, 2, 3, 2]);
  expect(readAmplitudes('# list of h, k, l and F in P1\n1 2 3 4')).toEqual([1, 2, 3, 4]);
  expect(readAmplitudes('h k l F(+) F(-)\n1 2 3 4 5')[0]).toMatch(/has 2 values; allowed: one of F or I/);
});
