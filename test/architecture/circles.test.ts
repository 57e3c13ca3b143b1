import { expect, it } from 'vitest';
import { circles, read, scriptImports, sourceFiles } from './imports.ts';
import { tangled } from './rules.ts';

it('finds circles, of types and of one file too', () => {
  const step = (from: string, to: string) => ({ from, to });
  expect(circles([step('a', 'b'), step('b', 'c'), step('c', 'b'), step('d', 'd'), step('a', 'd')])).toEqual([
    ['b', 'c'],
    ['d'],
  ]);
  expect(circles([step('a', 'b'), step('a', 'c'), step('b', 'd'), step('c', 'd')])).toEqual([]);
});

it('no file imports itself by way of others', () => {
  const files = sourceFiles(['{electron,renderer}/**/*.{ts,tsx}']);
  const known = new Set(files);
  const imports = files.flatMap((file) => scriptImports(file, read(file))).filter(({ to }) => known.has(to));
  expect(imports.length).toBeGreaterThan(1000);
  const found = circles(imports);
  const excused = (circle: readonly string[]) => tangled.some(({ file }) => circle.includes(file));
  expect(found.filter((circle) => !excused(circle))).toEqual([]);
  expect(tangled.filter(({ file }) => !found.flat().includes(file))).toEqual([]);
});
