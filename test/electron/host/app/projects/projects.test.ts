/**
 * Projects in one file, packed from one library and unpacked into another: no content is lost and no file is replaced.
 * Also projects crafted to write outside of the library, or to fill memory and disk. `cases/README.md` has their
 * sources.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { strFromU8, strToU8, unzipSync, type Zippable, zipSync } from 'fflate';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, test } from 'vitest';
import type { UnpackedPart } from '../../../../../electron/contract/projects/project.ts';
import { defaultViewSettings } from '../../../../../electron/contract/study/calls.ts';
import { PLAN_FORMAT, type PlanLine, STUDY_FOLDER_VERSION } from '../../../../../electron/contract/study/index.ts';
import { packProject } from '../../../../../electron/host/app/projects/pack.ts';
import { unpackProject } from '../../../../../electron/host/app/projects/unpack.ts';
import { StudyFolder } from '../../../../../electron/host/model/studies/folder.ts';
import { candidateFiles, readProblemFolder } from '../../../../../electron/host/model/user-kernels/problem-folder.ts';
import type { Client } from '../../../../../renderer/data/client/client.ts';
import { scratchFolder } from '../../../../scratch-folder.ts';
import { tinyScenario } from '../../small-run.ts';
import { openTestHost, type TestHost } from '../../test-host.ts';

describe('hostile projects', () => {
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
  /** No project may write outside of the library. */
  afterEach(() => expect(readdirSync(outside)).toEqual([]));

  const unpack = async (bytes: Uint8Array, signal?: AbortSignal): Promise<readonly UnpackedPart[]> =>
    (await unpackProject({ name: 'x.braggbench', bytes, library }, signal)).came;

  interface ArchiveEntry {
    readonly part: string;
    readonly name: string;
    readonly text: string;
    /** Path in the archive, if it differs from the entry's own. */
    readonly at?: string;
  }

  function projectOf(entries: readonly ArchiveEntry[]): Uint8Array {
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

  describe('a project whose data files lead through a symbolic link', () => {
    beforeEach(() => symlinkSync(outside, path.join(library, 'ct')));

    it.each([
      ['the case of an audit', (): Uint8Array => caseOf('beside-through-link')],
      ['a data file', (): Uint8Array => beside('ct/slice.dcm')],
      ['a data file in a new folder', (): Uint8Array => beside('ct/deeper/slice.dcm')],
    ])('writes nothing through the link: %s', async (_what, bytes) => {
      await expect(unpack(bytes())).rejects.toThrow(/location outside of|extension that is executed/);
      expect(readdirSync(library)).toEqual(['ct']);
    });

    it('may stay within the library', async () => {
      mkdirSync(path.join(library, 'real'));
      symlinkSync(path.join(library, 'real'), path.join(library, 'inner'));
      expect(await unpack(beside('inner/slice.dcm'))).toMatchObject([{ how: 'new' }]);
      expect(readdirSync(path.join(library, 'real'))).toEqual(['slice.dcm']);
    });
  });

  describe('names of data files', () => {
    it.each(['name-beside-142', 'name-beside-151', 'name-beside-156', 'name-beside-173', 'name-scenario-000'])(
      'are rejected in the case %s',
      async (name) => {
        await expect(unpack(caseOf(name))).rejects.toThrow(/that no scenario uses|^The file name /);
        expect(readdirSync(library)).toEqual([]);
      },
    );

    const HOSTILE = [
      ...['../x', '/etc/x', 'a//x', './x', 'a/../x', 'a\\x', 'C:x', '.hidden', 'a/.hidden', '', ' x.csv', 'x.csv '],
      ...['x.exe', 'X.EXE', 'a/x.so', 'x.so.1', 'x.desktop', 'x.sh', 'x.lnk', 'x.dylib', 'x.node', 'x.js', 'x.bat'],
      ...['CON.json', 'nul.json', 'aux', 'LPT9.json', 'a/com1', 'x.json.', 'x.json ', 'a./x.csv', 'a /x.csv'],
      ...['Studies/x', 'STUDIES/x', 'Notes/x', 'notes/x', 'studies./x', 'studies /x', 'x\u0000.csv', 'x\u202evsc.csv'],
    ].filter((name) => name !== '');
    it.each(HOSTILE.map((name) => [JSON.stringify(name), name]))('reject %s', async (_shown, name) => {
      await expect(unpack(beside(name))).rejects.toThrow(/that no scenario uses|^The file name /);
      expect(readdirSync(library)).toEqual([]);
    });

    it.each(['IM0001', 'ct/IM0001', 'own.csv', 'mine.cpp', 'mine.cu', 'step.hpp', 'mine.py', 'β table.csv'])(
      'accept %s',
      async (name) => {
        expect(await unpack(beside(name))).toMatchObject([{ as: name, how: 'new' }]);
      },
    );

    it('are all unpacked if they differ only in case', async () => {
      expect((await unpack(caseOf('case'))).map(({ how }) => how)).toEqual(['new', 'new', 'new']);
    });

    it('become plain files if the archive entry is a symbolic link', async () => {
      await unpack(caseOf('symlink'));
      const [file] = readdirSync(library, { withFileTypes: true });
      expect([file?.name, file?.isFile()]).toEqual(['ln.csv', true]);
    });
  });

  describe('limits of a project archive', () => {
    it.each([
      ['overlap-3.9GiB', /data of different files overlap|decompresses to more than 64.0 MiB/],
      ['claims-3.75GiB', 'x.braggbench decompresses to more than 64.0 MiB, the limit for its 102 B.'],
    ])('reject the project before anything is unpacked: %s', async (name, says) => {
      const before = process.resourceUsage().maxRSS;
      await expect(unpack(caseOf(name))).rejects.toThrow(says);
      // maxRSS is in kB; both archives would unpack to sixty times this size.
      expect(process.resourceUsage().maxRSS - before).toBeLessThan(64 * 1024);
    });

    it('allow 64 MiB of packed zeros, and no more', async () => {
      const zeros = (mebibytes: number): Uint8Array =>
        projectOf(
          Array.from({ length: mebibytes }, (_, i) => ({
            ...{ part: 'beside', name: `${i}.csv`, text: '0'.repeat(2 ** 20) },
          })),
        );
      expect(await unpack(zeros(63))).toHaveLength(63);
      await expect(unpack(zeros(65))).rejects.toThrow(/decompresses to more than 64.0 MiB/);
    });

    it('allow one entry per file', async () => {
      const twice = [
        { part: 'beside', name: 'a.csv', text: 'x' },
        { part: 'beside', name: 'b.csv', text: 'x', at: 'e0' },
      ];
      await expect(unpack(projectOf(twice))).rejects.toThrow(
        'x.braggbench is damaged: project.json lists "b.csv" twice.',
      );
      const named = ['x', 'y'].map((text) => ({ part: 'scenario', name: 'a.json', text }));
      await expect(unpack(projectOf(named))).rejects.toThrow('project.json lists "a.json" twice.');
      expect(readdirSync(library)).toEqual([]);
    });

    it('unpack only the files named in project.json', async () => {
      const entries = unzipSync(beside('a.csv'));
      // A damaged deflate stream of three bytes: reading it would fail.
      const bytes = zipSync({ ...entries, unnamed: [strToU8('abcabcabcabc'), { level: 9 }] });
      const at = strFromU8(bytes, true).lastIndexOf('unnamed', bytes.length - 60);
      const damaged = bytes.slice();
      damaged.fill(0xff, at + 7, at + 9);
      expect(await unpack(damaged)).toHaveLength(1);
    });
  });

  describe('unpacking a project', () => {
    it('removes what it wrote if it is cancelled', async () => {
      const cancel = new AbortController();
      const many = projectOf(
        Array.from({ length: 500 }, (_, i) => ({ part: 'beside', name: `${i}.csv`, text: `${i}` })),
      );
      const unpacking = unpack(many, cancel.signal);
      const refused = expect(unpacking).rejects.toThrow('It was cancelled.');
      // Waits until unpacking has written the first files.
      while (readdirSync(library).length === 0) await new Promise((done) => setImmediate(done));
      cancel.abort();
      await refused;
      expect(readdirSync(library)).toEqual([]);
    });

    it('removes what it wrote if it fails', async () => {
      // The file `c` is at the path of the folder that the second entry needs.
      mkdirSync(path.join(library, 'b.csv'));
      writeFileSync(path.join(library, 'c'), '');
      const entries = ['a.csv', 'c/d.csv'].map((name) => ({ part: 'beside', name, text: name }));
      await expect(unpack(projectOf(entries))).rejects.toThrow();
      expect(readdirSync(library)).toEqual(['b.csv', 'c']);
    });
  });
});

describe('projects', () => {
  let from: TestHost;
  let to: TestHost;
  let mine: Client;
  let theirs: Client;
  const note = { from_ns: 5, to_ns: 50, text: 'look here', created: '2026-01-01T00:00:00.000Z' };

  beforeAll(async () => {
    from = await openTestHost();
    to = await openTestHost();
    mine = await from.page();
    theirs = await to.page();
  });
  afterAll(async () => {
    await from.close();
    await to.close();
  });

  async function createStudy(): Promise<string> {
    const { study } = await mine.call('study.start', {
      document: {
        ...{ kind: 'study', version: 1, name: 'ranges', base: [{ scenario: { ...tinyScenario } }] },
        axes: [{ kind: 'list', path: 'beam.energy_MeV', values: [20, 25, 30] }],
      },
    });
    for (const until = Date.now() + 110_000; ; await sleep(50)) {
      const entry = (await mine.call('study.list', {})).studies.find(({ id }) => id === study);
      if (entry?.state === 'whole') break;
      if (Date.now() > until) throw new Error(`${study} did not end: ${JSON.stringify(entry)}`);
    }
    await mine.call('study.keepViews', { study, views: [{ name: 'all', look: defaultViewSettings }] });
    return study;
  }

  describe('packing and unpacking', () => {
    let bytes: Uint8Array;
    let name = '';
    let study = '';
    beforeAll(async () => {
      study = await createStudy();
      const { id: run } = await mine.call('run.start', {
        scenario: { ...tinyScenario, name: 'tiny' },
        name: 'tiny',
        file: null,
        trace: false,
      });
      await from.host.runs.waitForEnd(run);
      const { id: trace } = await mine.call('timeline.open', { source: { kind: 'run', run } });
      await mine.call('timeline.keepNotes', { trace, notes: [note] });
      const file = { kind: 'library', key: 'kept.json' } as const;
      await mine.call('scenario.save', { scenario: { ...tinyScenario, name: 'kept' }, file, ifExists: 'refuse' });
      ({ bytes, name } = await mine.call('project.pack', {
        ...{ name: 'for you: all/of it', scenario: { name: 'the form', document: { ...tinyScenario } } },
        ...{ files: [file], runs: [run], benches: [], studies: [study], notes: true },
      }));
    }, 120_000);

    test('opens everything on the other machine without further files', async () => {
      expect(name).toBe('for you- all-of it.braggbench');
      const { came } = await theirs.call('project.unpack', { source: { kind: 'bytes', name, bytes } });
      expect(came.map(({ part, as, how }) => [part, as, how])).toEqual([
        ['scenario', 'the form.json', 'new'],
        ['scenario', 'kept.json', 'new'],
        ['run', 'tiny.h5', 'new'],
        ['study', 'ranges', 'new'],
        ['notes', expect.stringMatching(/^[0-9a-f]{24}\.notes$/), 'new'],
      ]);
      const [entry] = (await theirs.call('study.list', {})).studies;
      expect(entry).toMatchObject({ id: 'ranges', state: 'whole', points: 3, done: 3 });
      const rows = (client: Client) => client.call('study.rows', { study, filter: '', sort: null, from: 0, count: 10 });
      expect((await rows(theirs)).rows).toEqual((await rows(mine)).rows);
      expect((await theirs.call('study.views', { study })).views).toHaveLength(1);
      const run = await theirs.call('run.open', {
        source: { kind: 'file', file: { kind: 'library', key: 'tiny.h5' } },
      });
      const { id: trace } = await theirs.call('timeline.open', { source: { kind: 'run', run: run.id } });
      expect(await theirs.call('timeline.notes', { trace })).toEqual({ notes: [note] });
    });

    test('duplicates nothing when repeated, and keeps changes made in the meantime', async () => {
      const again = await theirs.call('project.unpack', { source: { kind: 'bytes', name, bytes } });
      expect(again.came.map(({ how }) => how)).toEqual(['there', 'there', 'there', 'there', 'there']);
      const file = { kind: 'library', key: 'kept.json' } as const;
      const changed = { ...tinyScenario, name: 'theirs' };
      await theirs.call('scenario.save', { scenario: changed, file, ifExists: 'replace' });
      const third = await theirs.call('project.unpack', { source: { kind: 'bytes', name, bytes } });
      expect(third.came.find(({ name: of }) => of === 'kept.json')).toMatchObject({ as: 'kept 2.json', how: 'new' });
      expect((await theirs.call('scenario.open', { file })).draft).toMatchObject({ name: 'theirs' });
    });

    const refused = async (change: (entries: Record<string, Uint8Array>) => void): Promise<string> => {
      const entries = unzipSync(bytes);
      change(entries);
      const broken = zipSync(entries);
      return theirs.call('project.unpack', { source: { kind: 'bytes', name: 'x.braggbench', bytes: broken } }).then(
        ({ came }: { readonly came: readonly UnpackedPart[] }) => `unpacked ${came.length}`,
        (error: Error) => error.message,
      );
    };

    test('rejects inconsistent contents with the reason, and writes none of them', async () => {
      const before = (await theirs.call('study.list', {})).studies.length;
      expect(await refused((all) => delete all['project.json'])).toBe(
        'x.braggbench is not a project: it contains no project.json.',
      );
      expect(await refused((all) => (all['scenarios/kept.json'] = strToU8('{}')))).toMatch(
        /scenarios\/kept\.json does not match/,
      );
      for (const name of ['../outside.json', '/etc/outside.json', 'con.json', 'a\\..\\b.json']) {
        const says = await refused((all) => {
          const manifest = JSON.parse(strFromU8(all['project.json'] ?? new Uint8Array())) as {
            entries: { name: string }[];
          };
          for (const entry of manifest.entries) if (entry.name === 'kept.json') entry.name = name;
          all['project.json'] = strToU8(JSON.stringify(manifest));
        });
        expect(says).toMatch(/^The file name /);
      }
      for (const name of ['studies/x.study/plan.json', '.trash/x', '../x', 'notes/x.notes']) {
        const says = await refused((all) => {
          const manifest = JSON.parse(strFromU8(all['project.json'] ?? new Uint8Array())) as {
            entries: { name: string; part: string }[];
          };
          for (const entry of manifest.entries)
            if (entry.name === 'kept.json') Object.assign(entry, { name, part: 'beside' });
          all['project.json'] = strToU8(JSON.stringify(manifest));
        });
        expect(says).toMatch(/that no scenario uses|^The file name /);
      }
      const bytesOf = (written: string) =>
        theirs.call('project.unpack', { source: { kind: 'bytes', name: 'y.braggbench', bytes: strToU8(written) } });
      await expect(bytesOf('no zip')).rejects.toThrow('y.braggbench is not an archive, or is damaged.');
      expect((await theirs.call('study.list', {})).studies).toHaveLength(before);
    });

    test('rejects an empty selection', async () => {
      const nothing = { name: 'x', scenario: null, files: [], runs: [], benches: [], studies: [], notes: false };
      await expect(mine.call('project.pack', nothing)).rejects.toThrow('Nothing was selected');
    });
  });

  test('includes the files that a scenario names', async () => {
    const library = from.host.files.library.folder;
    await mkdir(library, { recursive: true });
    writeFileSync(
      path.join(library, 'own.csv'),
      'energy_MeV,stopping_power_MeV_cm2_g\n0.1,700\n1,260\n10,45\n100,7.3\n300,3.6\n',
    );
    const scenario = { ...tinyScenario, physics: { stopping_power: { file: 'own.csv' } } };
    writeFileSync(path.join(library, 'with-table.json'), JSON.stringify(scenario));
    const { bytes, name } = await mine.call('project.pack', {
      ...{ name: 'tables', scenario: null, runs: [], benches: [], studies: [], notes: false },
      files: [{ kind: 'library', key: 'with-table.json' }],
    });
    const { came } = await theirs.call('project.unpack', { source: { kind: 'bytes', name, bytes } });
    expect(came.map(({ part, name: of, how }) => [part, of, how])).toEqual([
      ['beside', 'own.csv', 'new'],
      ['scenario', 'with-table.json', 'new'],
    ]);
  });

  test('includes a user kernel with its scenario and studies, completely but untrusted', async () => {
    const files = {
      'mine.cpp': '#include "step.hpp"\nint mine() { return step(); }\n',
      'step.hpp': 'inline int step() { return 1; }\n',
      'mine.json': JSON.stringify({
        ...{ kind: 'variant', version: 1, base: 'gather', replaces: 'kernels/transport/cpu/gather.cpp', title: 'Mine' },
      }),
    };
    const library = (test_: TestHost): string => path.join(test_.folder, 'library');
    for (const [name, text] of Object.entries(files)) writeFileSync(path.join(library(from), name), text);
    writeFileSync(path.join(library(from), 'other.txt'), 'of nobody');
    const document = { ...tinyScenario, solver: { variant: 'mine.cpp' } };
    const { bytes } = await mine.call('project.pack', {
      ...{ name: 'kernel', scenario: { name: 'of mine', document }, files: [], runs: [], benches: [], studies: [] },
      notes: false,
    });
    const { came } = await theirs.call('project.unpack', { source: { kind: 'bytes', name: 'kernel', bytes } });
    expect(came.map(({ part, as }) => `${part} ${as}`).toSorted()).toEqual([
      'beside mine.cpp',
      'beside mine.json',
      'beside step.hpp',
      'scenario of mine.json',
    ]);
    for (const [name, text] of Object.entries(files))
      expect(readFileSync(path.join(library(to), name), 'utf8')).toBe(text);
  });

  const softmax = path.resolve('assets/problems/softmax-rows');
  const softmaxFiles = ['numpy.py', 'online.cpp', 'overflow.cpp', 'problem.json', 'reference.py', 'three-passes.cpp'];

  test.each(['problem.json', 'online.cpp'])(
    'includes a problem folder, selected by its %s, with its reference and candidates',
    async (given) => {
      const bytes = await packProject({
        ...{ name: 'problem', program: '0', studies: [], notesFolder: null },
        files: [{ name: given, from: path.join(softmax, given) }],
      });
      const library = scratchFolder(`problem-project-${given}`);
      const unpack = () => unpackProject({ name: 'problem', bytes, library });
      const { came } = await unpack();
      expect(came.map(({ part, as, how }) => `${part} ${as} ${how}`).toSorted()).toEqual(
        softmaxFiles.map((name) => `beside softmax-rows/${name} new`),
      );
      const read = await readProblemFolder(path.join(library, 'softmax-rows'));
      expect(read === null ? [] : await candidateFiles(read)).toHaveLength(4);
      // An existing problem with that name is unchanged, and gets no candidates of the unpacked one.
      writeFileSync(path.join(library, 'softmax-rows', 'problem.json'), '{}');
      expect((await unpack()).came.map(({ as }) => path.dirname(as))).toEqual(softmaxFiles.map(() => 'softmax-rows 2'));
      expect((await unpack()).came.every(({ how }) => how === 'there')).toBe(true);
    },
  );

  test('includes the reference and the candidates of a problem folder with a study of it', async () => {
    const folder = path.join(from.folder, 'library', 'studies', 'by rows.study');
    await mkdir(folder, { recursive: true });
    const document = JSON.parse(readFileSync(path.join(softmax, 'problem.json'), 'utf8')) as object;
    await StudyFolder.create(
      folder,
      {
        ...{ format: PLAN_FORMAT, version: STUDY_FOLDER_VERSION, created: '2026-01-01T00:00:00Z', name: 'by rows' },
        ...{ study: { kind: 'study', version: 1 }, points: 1, state_bytes: null, least_s: null },
        bases: [{ name: 'base', document: document as typeof tinyScenario, folder: softmax, beside: [] }],
      },
      [{ id: '0'.repeat(16), base: 0, settings: [{ path: ['solver', 'variant'], value: 'online.cpp' }] }],
    );
    const { bytes } = await mine.call('project.pack', {
      ...{ name: 'rows', scenario: null, files: [], runs: [], benches: [], studies: ['by rows'], notes: false },
    });
    await theirs.call('project.unpack', { source: { kind: 'bytes', name: 'rows', bytes } });
    const there = await StudyFolder.open(path.join(to.folder, 'library', 'studies', 'by rows.study'));
    expect(readdirSync(there.head.bases[0]?.folder ?? '').toSorted()).toEqual(softmaxFiles);
  });

  test('includes the kernels named by the points of a study', async () => {
    const at = path.join(from.folder, 'library');
    writeFileSync(path.join(at, 'axis.cpp'), 'int axis() { return 1; }\n');
    const folder = path.join(at, 'studies', 'by kernel.study');
    await mkdir(folder, { recursive: true });
    const lines: PlanLine[] = ['gather', 'axis.cpp[kTile=8]'].map((value, i) => ({
      id: String(i).padStart(16, '0'),
      base: 0,
      settings: [{ path: ['solver', 'variant'], value }],
    }));
    await StudyFolder.create(
      folder,
      {
        ...{ format: PLAN_FORMAT, version: STUDY_FOLDER_VERSION, created: '2026-01-01T00:00:00Z', name: 'by kernel' },
        ...{ study: { kind: 'study', version: 1 }, points: 2, state_bytes: null, least_s: null },
        bases: [{ name: 'base', document: tinyScenario, folder: at, beside: [] }],
      },
      lines,
    );
    const { bytes } = await mine.call('project.pack', {
      ...{ name: 'kernels', scenario: null, files: [], runs: [], benches: [], studies: ['by kernel'], notes: false },
    });
    await theirs.call('project.unpack', { source: { kind: 'bytes', name: 'kernels', bytes } });
    const there = await StudyFolder.open(path.join(to.folder, 'library', 'studies', 'by kernel.study'));
    const [base] = there.head.bases;
    expect(readdirSync(base?.folder ?? '')).toEqual(['axis.cpp']);
  });
});
