/** Projects made to write outside of the library, or to fill memory and disk. `cases/README.md` has their sources. */
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { strFromU8, strToU8, unzipSync, type Zippable, zipSync } from 'fflate';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Came } from '../../../../../electron/contract/projects/project.ts';
import { unpackProject } from '../../../../../electron/host/app/projects/unpack.ts';
import { scratchFolder } from '../../../../scratch-folder.ts';

const caseOf = (name: string): Uint8Array =>
  readFileSync(path.join(import.meta.dirname, 'cases', `${name}.braggbench`));

let number = 0;
let library = '';
let outside = '';
beforeEach(() => {
  number += 1;
  const folder = scratchFolder(`hostile-projects-${number}`);
  library = path.join(folder, 'library');
  outside = path.join(folder, 'outside');
  for (const made of [library, outside]) mkdirSync(made);
});
/** Nothing may be written outside of the library, by any of these. */
afterEach(() => expect(readdirSync(outside)).toEqual([]));

const unpack = async (bytes: Uint8Array, signal?: AbortSignal): Promise<readonly Came[]> =>
  (await unpackProject({ name: 'x.braggbench', bytes, library }, signal)).came;

interface Entry {
  readonly part: string;
  readonly name: string;
  readonly text: string;
  /** Path in the archive where it is not that of the entry's own. */
  readonly at?: string;
}

function projectOf(entries: readonly Entry[]): Uint8Array {
  const files: Zippable = {};
  const listed = entries.map(({ part, name, text, at }, i) => {
    const bytes = strToU8(text);
    if (at === undefined) files[`e${i}`] = bytes;
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    return { part, path: at ?? `e${i}`, name, bytes: bytes.length, sha256 };
  });
  const manifest = {
    ...{ format: 'braggbench-project', version: 1, name: 'x', created: '2026-01-01', program: '0' },
    entries: listed,
  };
  return zipSync({ ...files, 'project.json': strToU8(JSON.stringify(manifest)) });
}
const beside = (name: string): Uint8Array => projectOf([{ part: 'beside', name, text: 'x' }]);

describe('a project whose data files lead through a link', () => {
  beforeEach(() => symlinkSync(outside, path.join(library, 'ct')));

  it.each([
    ['the case of an audit', (): Uint8Array => caseOf('beside-through-link')],
    ['a data file', (): Uint8Array => beside('ct/slice.dcm')],
    ['a data file in a new folder', (): Uint8Array => beside('ct/deeper/slice.dcm')],
  ])('writes nothing behind it: %s', async (_what, bytes) => {
    await expect(unpack(bytes())).rejects.toThrow(/leads out of|ending that is run/);
    expect(readdirSync(library)).toEqual(['ct']);
  });

  it('may lead within the library', async () => {
    mkdirSync(path.join(library, 'real'));
    symlinkSync(path.join(library, 'real'), path.join(library, 'inner'));
    expect(await unpack(beside('inner/slice.dcm'))).toMatchObject([{ how: 'new' }]);
    expect(readdirSync(path.join(library, 'real'))).toEqual(['slice.dcm']);
  });
});

describe('names of data files', () => {
  it.each(['name-beside-142', 'name-beside-151', 'name-beside-156', 'name-beside-173', 'name-scenario-000'])(
    'of the case %s are refused',
    async (name) => {
      await expect(unpack(caseOf(name))).rejects.toThrow(/which no scenario names|^The file name /);
      expect(readdirSync(library)).toEqual([]);
    },
  );

  const HOSTILE = [
    ...['../x', '/etc/x', 'a//x', './x', 'a/../x', 'a\\x', 'C:x', '.hidden', 'a/.hidden', '', ' x.csv', 'x.csv '],
    ...['x.exe', 'X.EXE', 'a/x.so', 'x.so.1', 'x.desktop', 'x.sh', 'x.lnk', 'x.dylib', 'x.node', 'x.js', 'x.bat'],
    ...['CON.json', 'nul.json', 'aux', 'LPT9.json', 'a/com1', 'x.json.', 'x.json ', 'a./x.csv', 'a /x.csv'],
    ...['Studies/x', 'STUDIES/x', 'Notes/x', 'notes/x', 'studies./x', 'studies /x', 'x\u0000.csv', 'x\u202evsc.csv'],
  ].filter((name) => name !== '');
  it.each(HOSTILE.map((name) => [JSON.stringify(name), name]))('refuses %s', async (_shown, name) => {
    await expect(unpack(beside(name))).rejects.toThrow(/which no scenario names|^The file name /);
    expect(readdirSync(library)).toEqual([]);
  });

  it.each(['IM0001', 'ct/IM0001', 'own.csv', 'mine.cpp', 'mine.cu', 'step.hpp', 'mine.py', 'β table.csv'])(
    'accepts %s',
    async (name) => {
      expect(await unpack(beside(name))).toMatchObject([{ as: name, how: 'new' }]);
    },
  );

  it('that differ in case only are all unpacked', async () => {
    expect((await unpack(caseOf('case'))).map(({ how }) => how)).toEqual(['new', 'new', 'new']);
  });

  it('of an entry that is a symbolic link become a plain file', async () => {
    await unpack(caseOf('symlink'));
    const [file] = readdirSync(library, { withFileTypes: true });
    expect([file?.name, file?.isFile()]).toEqual(['ln.csv', true]);
  });
});

describe('a project that is larger than its archive can be', () => {
  it.each([
    ['overlap-3.9GiB', /overlap each other|unpacks to more than 67 MB/],
    ['claims-3.75GiB', 'x.braggbench unpacks to more than 67 MB, the limit for its 102 bytes.'],
  ])('is refused before anything is unpacked: %s', async (name, says) => {
    const before = process.resourceUsage().maxRSS;
    await expect(unpack(caseOf(name))).rejects.toThrow(says);
    // kB; what both unpack to is sixty times as much.
    expect(process.resourceUsage().maxRSS - before).toBeLessThan(64 * 1024);
  });

  it('may pack 64 MiB of zeros, and no more', async () => {
    const zeros = (mebibytes: number): Uint8Array =>
      projectOf(
        Array.from({ length: mebibytes }, (_, i) => ({
          ...{ part: 'beside', name: `${i}.csv`, text: '0'.repeat(2 ** 20) },
        })),
      );
    expect(await unpack(zeros(63))).toHaveLength(63);
    await expect(unpack(zeros(65))).rejects.toThrow(/unpacks to more than 67 MB/);
  });

  it('has one entry for each file', async () => {
    const twice = [
      { part: 'beside', name: 'a.csv', text: 'x' },
      { part: 'beside', name: 'b.csv', text: 'x', at: 'e0' },
    ];
    await expect(unpack(projectOf(twice))).rejects.toThrow(
      'x.braggbench is damaged: project.json names "b.csv" twice.',
    );
    const named = ['x', 'y'].map((text) => ({ part: 'scenario', name: 'a.json', text }));
    await expect(unpack(projectOf(named))).rejects.toThrow('project.json names "a.json" twice.');
    expect(readdirSync(library)).toEqual([]);
  });

  it('unpacks what project.json names, and nothing else', async () => {
    const entries = unzipSync(beside('a.csv'));
    // Deflate of three bytes that is damaged: reading it would fail.
    const bytes = zipSync({ ...entries, unnamed: [strToU8('abcabcabcabc'), { level: 9 }] });
    const at = strFromU8(bytes, true).lastIndexOf('unnamed', bytes.length - 60);
    const damaged = bytes.slice();
    damaged.fill(0xff, at + 7, at + 9);
    expect(await unpack(damaged)).toHaveLength(1);
  });
});

describe('unpacking', () => {
  it('that is cancelled takes back what it wrote', async () => {
    const cancel = new AbortController();
    const many = projectOf(Array.from({ length: 500 }, (_, i) => ({ part: 'beside', name: `${i}.csv`, text: `${i}` })));
    const unpacking = unpack(many, cancel.signal);
    const refused = expect(unpacking).rejects.toThrow('It was cancelled.');
    // Some are there: it has begun to write.
    while (readdirSync(library).length === 0) await new Promise((done) => setImmediate(done));
    cancel.abort();
    await refused;
    expect(readdirSync(library)).toEqual([]);
  });

  it('that fails takes back what it wrote', async () => {
    // A folder of the name of its second file.
    mkdirSync(path.join(library, 'b.csv'));
    writeFileSync(path.join(library, 'c'), '');
    const entries = ['a.csv', 'c/d.csv'].map((name) => ({ part: 'beside', name, text: name }));
    await expect(unpack(projectOf(entries))).rejects.toThrow();
    expect(readdirSync(library)).toEqual(['b.csv', 'c']);
  });
});
