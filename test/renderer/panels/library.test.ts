/** The library's examples: each is listed once, under its question, with a picture. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { LibraryItem } from '../../../electron/contract/library.ts';
import { lineOf } from '../../../renderer/panels/library/entry.tsx';
import { exampleGroups, grouped, sought } from '../../../renderer/panels/library/examples-list.tsx';
import { whyNot } from '../../../renderer/panels/library/pack-project.tsx';
import { lengths, thumbnailOf } from '../../../renderer/panels/library/thumbnails.ts';
import { exampleBars } from '../../pictures/bars.ts';

const assets = path.resolve(import.meta.dirname, '../../../assets');
const below = (folder: string, ending: string): string[] =>
  readdirSync(path.join(assets, folder), { recursive: true, encoding: 'utf8' })
    .map((file) => file.split(path.sep).join('/'))
    .filter((file) => file.endsWith(ending));
const shipped = [...below('scenarios', '.json'), ...below('runs', '.h5').map((file) => `recorded/${file}`)];

const item = (id: string, more: Partial<LibraryItem> = {}): LibraryItem => ({
  ...{ id, file: null, fileName: id, kind: 'scenario', name: id, notes: '', tags: [], remark: '', problem: null },
  ...{ bytes: 1, modified: '2026-01-01T00:00:00Z' },
  facts: {
    ...{ workload: null, about: null, variant: null, precision: null, result: null },
    wall_s: null,
    status: null,
    device: null,
  },
  ...more,
});

describe('kernels from nothing', () => {
  it('are found by what they are, as the files are', () => {
    const all = [
      { id: 'vector-add', title: 'Vector add', says: 'a thread for each result' },
      { id: 'reduction', title: 'Reduction', says: 'threads share a sum' },
    ];
    const found = (text: string) => sought(all, text).map(({ id }) => id);
    expect(found('')).toEqual(['vector-add', 'reduction']);
    expect(found('own kernel SUM')).toEqual(['reduction']);
    expect(found('bone')).toEqual([]);
  });
});

describe('the groups of examples', () => {
  it('hold every file that comes with the program, once', () => {
    const files = exampleGroups.flatMap((group) => group.files);
    expect(files.length).toBeGreaterThan(60);
    expect([...files].sort()).toEqual([...shipped].sort());
  });

  it('come in their declared order, whatever the order of what was found', () => {
    const found = grouped([...shipped].reverse().map((id) => item(id)));
    expect(found.map(({ question }) => question)).toEqual(exampleGroups.map(({ question }) => question));
    expect(found.flatMap(({ items }) => items.map(({ id }) => id))).toEqual(
      exampleGroups.flatMap(({ files }) => files),
    );
    // Each subject has one heading.
    const heads = found.filter((group) => group.heads).map(({ about }) => about);
    expect(heads).toEqual([...new Set(exampleGroups.map(({ about }) => about))]);
  });

  it('leave out what has nothing, and keep what is in none', () => {
    const found = grouped([item('new.json'), item('micro/scan.json')]);
    expect(found.map(({ items, heads }) => [items.map(({ id }) => id), heads])).toEqual([
      [['micro/scan.json'], true],
      [['new.json'], true],
    ]);
  });
});

describe('what stands beside an example', () => {
  it('is its field or its session', () => {
    expect(shipped.filter((key) => thumbnailOf(key) === null)).toEqual([]);
    expect(thumbnailOf('recorded/h200-water-70MeV-cuda-depth.h5')).toEqual(thumbnailOf('water-70MeV.json'));
    expect(thumbnailOf('recorded/h200-overlap-cuda-streams.h5')).toEqual(thumbnailOf('micro/overlap.json'));
  });

  it('are the bars of the recorded sessions as they are: `npm run pictures` makes them anew', () => {
    expect(JSON.parse(readFileSync(path.join(assets, 'examples/bars.json'), 'utf8'))).toEqual(exampleBars());
  });

  it('shows the slowest longest, and what is wrong as wrong', () => {
    const found = thumbnailOf('micro/views.json');
    if (found?.kind !== 'bars') throw new Error('no bars');
    expect(found.bars.filter(({ right }) => !right).length).toBe(2);
    const long = lengths(found.bars);
    expect(Math.max(...long)).toBe(1);
    expect(Math.min(...long)).toBeGreaterThan(0.05);
    const slowest = found.bars.reduce((a, b, i) => (b.time_s > (found.bars[a]?.time_s ?? 0) ? i : a), 0);
    expect(long[slowest]).toBe(1);
    expect(lengths([{ time_s: 2 }, { time_s: 2 }])).toEqual([1, 1]);
  });

  it('is told in one line: the first sentence of its notes, or what a run says of itself', () => {
    const notes = 'A chain of loads: sweep it. More words.';
    expect(lineOf(item('a.json', { notes }))).toBe('A chain of loads: sweep it.');
    expect(lineOf(item('a.json', { notes: '' }))).toContain('a.json');
    expect(lineOf(item('recorded/a.h5', { kind: 'run', notes, name: 'Beam' }))).not.toContain('chain');
  });
});

describe('a project', () => {
  it('says why it cannot be packed yet', () => {
    expect(whyNot(' ', 2)).toBe('The project needs a name.');
    expect(whyNot('x'.repeat(101), 2)).toBe('The name has 101 characters; allowed: at most 100.');
    expect(whyNot('mine', 0)).toBe('Choose at least one part to pack.');
    expect(whyNot('x'.repeat(100), 1)).toBeNull();
  });
});
