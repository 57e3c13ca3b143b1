/**
 * Rules for tests. A test that is skipped on some machines gives the reason (test/unless.ts). Every C++ test checks
 * that the mean range of its runs does not exceed the longest path of the beam. TypeScript tests always check this
 * (test/physics/held-runs.ts).
 */
import { expect, test } from 'vitest';
import { read, sourceFiles } from './imports.ts';

const UNCHECKED_RUN = /\bengine::(?:Run|Beams)\b/;
const CHECKED_RUN_HEADER = 'test/kernels/held_run.hpp';

test('C++ tests start transport runs only through test::Run and test::Beams', () => {
  const files = sourceFiles(['test/**/*.{cpp,hpp}']);
  expect(UNCHECKED_RUN.test(read(CHECKED_RUN_HEADER))).toBe(true);
  expect(files.filter((file) => /\btest::Run\b/.test(read(file))).length).toBeGreaterThan(8);
  expect(files.filter((file) => file !== CHECKED_RUN_HEADER && UNCHECKED_RUN.test(read(file)))).toEqual([]);
});

test('a test that is skipped on some machines states why', () => {
  const silent = /\.(?:skipIf|runIf|todo)\(|\bskip\(\)|\b(?:it|test|describe)\.skip\(/;
  const others = sourceFiles(['test/**/*.{ts,tsx}']).filter((file) => file !== 'test/architecture/held-runs.test.ts');
  expect(others.filter((file) => silent.test(read(file)))).toEqual([]);
  expect(others.filter((file) => /\bunless\(/.test(read(file))).length).toBeGreaterThan(5);
});
