import { expect, it } from 'vitest';
import { read, sourceFiles } from './imports.ts';

/** A file above this says in its header why it is one file. */
const LONG = 700;
const HEADER_LINES = 30;

const files = sourceFiles([
  '{electron,renderer,test}/**/*.{ts,tsx,mjs,css}',
  '{native,kernels,test}/**/*.{cpp,hpp,cu,cuh}',
]).map((file) => ({ file, lines: read(file).split('\n') }));

it('files above 700 lines say why', () => {
  expect(files.length).toBeGreaterThan(50);
  const silent = files
    .filter(({ lines }) => lines.length > LONG)
    .filter(({ lines }) => !/\b(long|lines|one file)\b/i.test(lines.slice(0, HEADER_LINES).join('\n')))
    .map(({ file, lines }) => `${file} has ${lines.length} lines`);
  expect(silent).toEqual([]);
});

it('most files are short', () => {
  const sizes = files.map(({ lines }) => lines.length).sort((a, b) => a - b);
  const quantile = (part: number) => sizes[Math.floor(part * (sizes.length - 1))] ?? 0;
  expect(quantile(0.5)).toBeLessThanOrEqual(150);
  expect(quantile(0.9)).toBeLessThanOrEqual(400);
});
