/** A program's peak memory does not include the process that started it. */
import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';

const module = new URL('../../../../electron/host/io/peak-memory.ts', import.meta.url).href;
const LARGE_bytes = 3e8;

/** A Node program that runs `body`, with the function `peak` in scope. */
const program = (body: string): readonly string[] => [
  ...['--input-type=module', '-e'],
  `import { peakMemory_bytes as peak } from ${JSON.stringify(module)}; ${body}`,
];
const printedPeak = (body: string): number => {
  const { stdout, stderr } = spawnSync(process.execPath, program(body), { encoding: 'utf8' });
  expect(stderr).toBe('');
  return Number(stdout);
};

describe('the peak memory of a process', () => {
  it('includes memory that has been released', () => {
    const body = `let held = Buffer.alloc(${LARGE_bytes}, 1); held = held.buffer.transfer(0); console.log(peak())`;
    expect(printedPeak(body)).toBeGreaterThan(LARGE_bytes);
  });

  it('is small for a small program started by a large one', () => {
    const small = JSON.stringify(program('console.log(peak())'));
    const body = `
      import { spawnSync } from 'node:child_process';
      const held = Buffer.alloc(${LARGE_bytes}, 1);
      console.log(spawnSync(process.execPath, ${small}, { encoding: 'utf8' }).stdout, held.length === 0 ? 'no' : '');`;
    expect(printedPeak(body)).toBeLessThan(LARGE_bytes / 2);
  });
});
