/** A project in one file: packed from one library, unpacked into another, by which nothing is lost and nothing replaced. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Came } from '../../../../../electron/contract/projects/project.ts';
import { PLAN_FORMAT, type PlanLine, STUDY_FOLDER_VERSION } from '../../../../../electron/contract/study/index.ts';
import { plainLook } from '../../../../../electron/contract/study/views.ts';
import { StudyFolder } from '../../../../../electron/host/model/studies/folder.ts';
import type { Client } from '../../../../../renderer/client/index.ts';
import { tinyScenario } from '../../small-run.ts';
import { openTestHost, type TestHost } from '../../test-host.ts';

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

async function studied(): Promise<string> {
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
  await mine.call('study.keepViews', { study, views: [{ name: 'all', look: plainLook }] });
  return study;
}

describe('packed and unpacked', () => {
  let bytes: Uint8Array;
  let name = '';
  let study = '';
  beforeAll(async () => {
    study = await studied();
    const { id: run } = await mine.call('run.start', {
      scenario: { ...tinyScenario, name: 'tiny' },
      name: 'tiny',
      file: null,
      trace: false,
    });
    await from.host.runs.ended(run);
    const { id: trace } = await mine.call('timeline.open', { source: { kind: 'run', run } });
    await mine.call('timeline.keepNotes', { trace, notes: [note] });
    const file = { kind: 'library', key: 'kept.json' } as const;
    await mine.call('scenario.save', { scenario: { ...tinyScenario, name: 'kept' }, file, ifExists: 'refuse' });
    ({ bytes, name } = await mine.call('project.pack', {
      ...{ name: 'for you: all/of it', scenario: { name: 'the form', document: { ...tinyScenario } } },
      ...{ files: [file], runs: [run], benches: [], studies: [study], notes: true },
    }));
  }, 120_000);

  test('all of it opens there without anything else', async () => {
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
    const run = await theirs.call('run.open', { source: { kind: 'file', file: { kind: 'library', key: 'tiny.h5' } } });
    const { id: trace } = await theirs.call('timeline.open', { source: { kind: 'run', run: run.id } });
    expect(await theirs.call('timeline.notes', { trace })).toEqual({ notes: [note] });
  });

  test('a second time nothing is doubled; what they made of it meanwhile stays', async () => {
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
      ({ came }: { readonly came: readonly Came[] }) => `unpacked ${came.length}`,
      (error: Error) => error.message,
    );
  };

  test('what is not what it says is refused, with what is wrong, and nothing of it is written', async () => {
    const before = (await theirs.call('study.list', {})).studies.length;
    expect(await refused((all) => delete all['project.json'])).toBe(
      'x.braggbench is no project: there is no project.json in it.',
    );
    expect(await refused((all) => (all['scenarios/kept.json'] = strToU8('{}')))).toMatch(
      /scenarios\/kept\.json is not what/,
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
      expect(says).toMatch(/which no scenario names|^The file name /);
    }
    const bytesOf = (written: string) =>
      theirs.call('project.unpack', { source: { kind: 'bytes', name: 'y.braggbench', bytes: strToU8(written) } });
    await expect(bytesOf('no zip')).rejects.toThrow('y.braggbench is no archive, or is damaged.');
    expect((await theirs.call('study.list', {})).studies).toHaveLength(before);
  });

  test('nothing chosen is no project', async () => {
    const nothing = { name: 'x', scenario: null, files: [], runs: [], benches: [], studies: [], notes: false };
    await expect(mine.call('project.pack', nothing)).rejects.toThrow('Nothing was chosen');
  });
});

test('files that a scenario names go with it', async () => {
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

test('a user kernel goes with its scenario and with studies of it: whole, and trusted by nobody yet', async () => {
  const files = {
    'mine.cpp': '#include "step.hpp"\nint mine() { return step(); }\n',
    'step.hpp': 'inline int step() { return 1; }\n',
    'mine.py': 'print(1)\n',
    'mine.json': JSON.stringify({
      ...{ kind: 'variant', version: 1, base: 'gather', replaces: 'kernels/transport/cpu/gather.cpp', title: 'Mine' },
      answer: 'mine.py',
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
    'beside mine.py',
    'beside step.hpp',
    'scenario of mine.json',
  ]);
  for (const [name, text] of Object.entries(files))
    expect(readFileSync(path.join(library(to), name), 'utf8')).toBe(text);
});

test('kernels of a study are those of its points', async () => {
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
