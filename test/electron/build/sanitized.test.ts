/**
 * Reports of compute-sanitizer are saved without paths of a machine, and the handbook's table is generated from them.
 */
import path from 'node:path';
import { expect, test } from 'vitest';
import {
  keepSanitized,
  readSanitized,
  SANITIZED_SCENARIO,
  SANITIZED_VARIANTS,
  sanitizedRun,
} from '../../../electron/build/bench/sanitized.ts';
import { sanitizedTable } from '../../../electron/build/figures/sanitized.ts';
import type { Sanitized } from '../../../electron/contract/user-kernels/sanitizer.ts';
import { loadAddon } from '../../../electron/host/io/addon/addon.ts';
import { scratchFolder } from '../../scratch-folder.ts';

const found = {
  what: 'Invalid __global__ write of size 4 bytes',
  kernel: 'micro_bounds_unchecked',
  file: path.resolve('/build/kernels/micro/memory/bounds.cu'),
  line: 19,
  more: 'by thread (67,0,0) in block (7812,0,0)',
  times: 61,
};
const of = (errors: number | null, findings: Sanitized['findings']): Sanitized => ({
  ...{ tool: 'memcheck', errors, findings, issues: [], seconds: 3, command: 'compute-sanitizer …' },
});

test('its variants are those of the scenario', () => {
  const ids = loadAddon()
    .taskVariants()
    .filter(({ bench }) => bench === SANITIZED_SCENARIO)
    .map(({ id }) => id);
  expect(ids).toEqual(expect.arrayContaining([...SANITIZED_VARIANTS]));
});

test('runs are kept with the GPU and the day, and read back', async () => {
  const root = scratchFolder('sanitized');
  expect(readSanitized(root)).toBeNull();
  const runs = [sanitizedRun('cuda-checked', of(0, [])), sanitizedRun('cuda-unchecked', of(61, [found]))];
  await keepSanitized(root, 'NVIDIA H100', runs);
  const kept = readSanitized(root);
  expect(kept).toMatchObject({ gpu: 'NVIDIA H100', scenario: 'bounds', runs: [{ errors: 0 }, { errors: 61 }] });
  expect(kept?.runs[1]?.findings[0]?.file).toBe('bounds.cu');
  const told = sanitizedTable(kept);
  expect(told).toContain('| `cuda-checked` | memcheck | 0 | nothing |');
  expect(told).toContain(
    '| `cuda-unchecked` | memcheck | 61 | Invalid __global__ write of size 4 bytes, bounds.cu:19 |',
  );
  expect(told).toContain('NVIDIA H100');
  expect(told).toContain('The first of them: by thread (67,0,0) in block (7812,0,0).');
});

test('a run that did not come to its end is none; without a file the table says what to do', () => {
  expect(() => sanitizedRun('cuda-unchecked', of(null, []))).toThrow('did not come to its end with cuda-unchecked');
  expect(sanitizedTable(null)).toContain('`npm run bench -- sanitized --keep`');
});
