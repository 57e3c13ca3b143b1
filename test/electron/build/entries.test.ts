/** One npm script for several entry scripts: the table of names, and names that do not exist. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';

const folder = path.resolve(import.meta.dirname, '../../../electron/build');
const call = (file: string, ...words: readonly string[]) =>
  spawnSync(process.execPath, [path.join(folder, file), ...words], { encoding: 'utf8' });
const filesIn = (file: string): readonly string[] =>
  [...readFileSync(path.join(folder, file), 'utf8').matchAll(/'([\w-]+\.mjs)'/g)].map(([, name = '']) => name);

describe('npm run bench', () => {
  test('prints every benchmark with what it measures when no name is given', () => {
    const { status, stdout } = call('bench.mjs');
    expect(status).toBe(0);
    const lines = stdout.trimEnd().split('\n');
    expect(lines[0]).toBe('npm run bench -- NAME [ARGUMENT…], where NAME is');
    expect(lines.slice(1).map((line) => line.trim().split(/\s+/)[0])).toEqual(
      ['cpu', 'gpu', 'start', 'maps', 'timeline', 'studies', 'tuning'].concat([
        ...['verdicts', 'aa', 'power', 'gate', 'sanitized'],
      ]),
    );
    for (const line of lines.slice(1)) expect(line).toMatch(/^ {2}\w+ {2,}\S.{20,}/);
  });

  test('rejects an unknown name and lists the allowed ones', () => {
    const { status, stderr } = call('bench.mjs', 'constructor');
    expect(status).toBe(2);
    expect(stderr).toMatch(/^npm run bench: unknown name constructor; allowed: cpu, gpu, /);
  });
});

test('npm run test:all rejects an unknown name and lists the parts', () => {
  const { status, stderr } = call('test-all.mjs', 'short');
  expect(status).toBe(2);
  expect(stderr).toMatch(/^npm run test:all: unknown name short; allowed: nightly, or one of\n {2}long {2}/);
});

test('every named entry script exists', () => {
  const files = [...filesIn('bench.mjs'), ...filesIn('test-all.mjs')];
  expect(files.length).toBe(17);
  expect(files.filter((file) => !existsSync(path.join(folder, file)))).toEqual([]);
});
