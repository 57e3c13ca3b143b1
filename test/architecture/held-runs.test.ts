/**
 * Every C++ test checks the mean range of its runs against the longest way of the beam. Tests in TypeScript always do
 * (test/physics/held-runs.ts).
 */
import { expect, test } from 'vitest';
import { read, sourceFiles } from './imports.ts';

const BARE = /\bengine::(?:Run|Beams)\b/;
const HELD = 'test/kernels/held_run.hpp';

test('C++ tests solve runs of transport as test::Run and test::Beams', () => {
  const files = sourceFiles(['test/**/*.{cpp,hpp}']);
  expect(BARE.test(read(HELD))).toBe(true);
  expect(files.filter((file) => /\btest::Run\b/.test(read(file))).length).toBeGreaterThan(8);
  expect(files.filter((file) => file !== HELD && BARE.test(read(file)))).toEqual([]);
});
