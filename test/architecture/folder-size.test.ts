import path from 'node:path';
import { expect, it } from 'vitest';
import { sourceFiles } from './imports.ts';
import { crowded } from './rules.ts';

/** Most entries that an editor's tree view shows at once. */
const MOST = 30;

const files = sourceFiles(['{electron,renderer}/**/*.{ts,tsx,css,mjs}', '{native,kernels}/**/*.{cpp,hpp,cu,cuh}']);
const counts = new Map<string, number>();
for (const file of files) counts.set(path.dirname(file), (counts.get(path.dirname(file)) ?? 0) + 1);
const large = [...counts].filter(([, count]) => count > MOST).map(([folder]) => folder);

it('no folder of sources holds more than 30 files', () => {
  expect(files.length).toBeGreaterThan(1000);
  expect(large.filter((folder) => !crowded.some((one) => one.folder === folder))).toEqual([]);
});

it('no excuse has outlived its reason', () => {
  expect(crowded.filter(({ folder }) => !large.includes(folder))).toEqual([]);
});
