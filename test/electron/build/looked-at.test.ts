import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { inputsNow, isAsLooked, keepLook } from '../../../electron/build/steps/looked-at.mjs';

const scratch = mkdtempSync(path.join(tmpdir(), 'looked-at-test-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

describe('what was up to date is not looked at again', () => {
  const root = path.join(scratch, 'checkout');
  const look = path.join(scratch, 'look.json');
  const place = { root, folders: ['sources'], files: ['package.json', 'absent'], settings: ['-O3', undefined] };
  const write = (name: string, text: string): void => writeFileSync(path.join(root, name), text);

  beforeEach(() => {
    rmSync(root, { recursive: true, force: true });
    mkdirSync(path.join(root, 'sources/below'), { recursive: true });
    write('sources/below/a.ts', 'one');
    write('package.json', '{}');
    write('made.js', 'made');
    keepLook(place, inputsNow(place), ['made.js'], look);
  });

  it('as long as nothing differs', () => {
    expect(isAsLooked(place, look)).toBe(true);
    expect(isAsLooked({ ...place, settings: ['-O2', undefined] }, look)).toBe(false);
  });

  it('and is where a source is changed in its place, comes, goes, or gets another time', () => {
    write('sources/below/a.ts', 'another one');
    expect(isAsLooked(place, look)).toBe(false);
    keepLook(place, inputsNow(place), ['made.js'], look);
    write('sources/below/b.ts', '');
    expect(isAsLooked(place, look)).toBe(false);
    keepLook(place, inputsNow(place), ['made.js'], look);
    rmSync(path.join(root, 'sources/below/b.ts'));
    expect(isAsLooked(place, look)).toBe(false);
    keepLook(place, inputsNow(place), ['made.js'], look);
    utimesSync(path.join(root, 'sources/below/a.ts'), 1, 1);
    expect(isAsLooked(place, look)).toBe(false);
  });

  it('and is where a file comes that was absent, or what was made is gone or another', () => {
    write('absent', '');
    expect(isAsLooked(place, look)).toBe(false);
    rmSync(path.join(root, 'absent'));
    expect(isAsLooked(place, look)).toBe(true);
    write('made.js', 'cut off');
    expect(isAsLooked(place, look)).toBe(false);
    rmSync(path.join(root, 'made.js'));
    expect(isAsLooked(place, look)).toBe(false);
  });

  it('and is where no look was kept, or only a part of one', () => {
    expect(isAsLooked(place, path.join(scratch, 'none.json'))).toBe(false);
    writeFileSync(look, '{"inputs": "');
    expect(isAsLooked(place, look)).toBe(false);
  });

  it('and is where a source changed while the steps were looked at', () => {
    const before = inputsNow(place);
    write('sources/below/a.ts', 'meanwhile');
    keepLook(place, before, ['made.js'], look);
    expect(isAsLooked(place, look)).toBe(false);
  });
});
