/** Tables as figures: their cells, and the exported numbers. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { sessionSchema } from '../../../../electron/contract/bench/session.ts';
import { figureCsv } from '../../../../renderer/drawing/export/csv.ts';
import { claimsFigure } from '../../../../renderer/drawing/figures/claims.ts';
import type { Figure } from '../../../../renderer/drawing/figures/figure.ts';
import { tableFigure } from '../../../../renderer/drawing/figures/table.ts';

const texts = (figure: Figure) => figure.shapes.flatMap((shape) => (shape.kind === 'text' ? [shape] : []));

describe('a table as a figure', () => {
  const figure = tableFigure(
    'Balance',
    [
      { title: '', align: 'left', texts: ['In', 'Out at the sides', 'at low x'], numbers: null },
      {
        title: 'Protons',
        align: 'right',
        texts: ['1', '0.25', ''],
        numbers: { name: 'protons', unit: '', description: 'protons', values: [1, 0.25, Number.NaN] },
      },
    ],
    [{ strong: true }, {}, { part: true }],
    'Water, window, fp32',
    11,
  );

  it('is wide enough for its longest text, and sets parts in', () => {
    const all = texts(figure);
    const at = (text: string) => all.find((shape) => shape.text === text)?.at[0] ?? Number.NaN;
    expect(at('at low x')).toBe(at('In') + 11);
    expect(at('Protons')).toBe(at('0.25'));
    expect(at('0.25')).toBeLessThanOrEqual(figure.width);
    expect(all.find(({ text }) => text === 'In')?.bold).toBe(true);
    expect(all.at(-1)?.text).toBe('Water, window, fp32');
  });

  it('gives its numbers as columns, and its words as notes', () => {
    expect(figureCsv(figure.arrays).split('\n').slice(0, 3)).toEqual(['row,protons', '1,1', '2,0.25']);
    expect(figure.notes).toMatchObject({ row_1: 'In', row_3: 'at low x' });
  });
});

it('every claim of a recorded session has a line, with what was claimed and what was measured', () => {
  const file = path.resolve(import.meta.dirname, '../../../../assets/runs/h200-uniform-grid-70MeV.json');
  const [report] = sessionSchema.parse(JSON.parse(readFileSync(file, 'utf8'))).reports;
  const claims = (report?.claims ?? []).map((claim) => ({ ...claim, values: [] }));
  const figure = claimsFigure(claims, 'NVIDIA H200', 11);
  const lines = claims.reduce((sum, { pairs }) => sum + Math.max(1, pairs.length), 0);
  const measured = figure.arrays.find(({ name }) => name === 'measured')?.values ?? [];
  expect(measured).toHaveLength(lines);
  const gains = claims.flatMap(({ pairs }) => pairs.flatMap(({ gain }) => gain?.value ?? []));
  // The figure draws other candidates of a claim after its own pairs.
  const sorted = (values: Iterable<number>) => [...values].sort((a, b) => a - b);
  expect(sorted(measured.filter(Number.isFinite))).toEqual(sorted(gains));
  expect(gains.length).toBeGreaterThan(3);
});
