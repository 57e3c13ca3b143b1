import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { installInto } from '../../bench/waits/installed.ts';

const root = path.resolve(import.meta.dirname, '../../..');
const folder = mkdtempSync(path.join(tmpdir(), 'braggbench-installed-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('is a folder with the packages that the program needs, its programs among them, and none of its development', () => {
  const to = path.join(folder, 'user');
  installInto(to, root);
  const { dependencies, devDependencies } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
    readonly dependencies: object;
    readonly devDependencies: object;
  };
  const has = (name: string): boolean => existsSync(path.join(to, 'node_modules', name, 'package.json'));
  expect(Object.keys(dependencies).filter((name) => !has(name))).toEqual([]);
  const known = Object.keys(devDependencies);
  // Some of them are needed by what the program needs.
  for (const name of ['vitest', 'typescript', '@biomejs/biome']) {
    expect(known).toContain(name);
    expect(has(name)).toBe(false);
  }
  const bins = path.join(to, 'node_modules/.bin');
  expect(readdirSync(bins).toSorted()).toEqual(['braggbench', 'empty']);
  expect(spawnSync(process.execPath, [path.join(bins, 'empty')]).status).toBe(0);
});
