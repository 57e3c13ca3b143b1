/**
 * Damaged files of every kind that the program reads: each is read, or rejected with one clear error, in bounded time
 * and memory. `npm run fuzz` tries thousands; `npm test` always tries the same few of each kind.
 */

import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { zipSync } from 'fflate';
import { expect, test } from 'vitest';
import { sessionSchema } from '../../electron/contract/bench/session.ts';
import { BraggError } from '../../electron/contract/errors.ts';
import { readCurveCsv } from '../../electron/domain/dose/curve-csv.ts';
import { readDraft } from '../../electron/host/app/recovery/recovery.ts';
import { readRun as readAnyRun } from '../../electron/host/app/run-files/tasks.ts';
import { deriveSession, parseSession, readCurrentRules } from '../../electron/host/app/sessions/index.ts';
import { openTrace } from '../../electron/host/app/timelines/open.ts';
import { UserKernels } from '../../electron/host/app/user-kernels/user-kernels.ts';
import { errorFromNative } from '../../electron/host/io/addon/addon.ts';
import { Locks } from '../../electron/host/io/files/locks.ts';
import { HostSettings, RecentFiles } from '../../electron/host/io/files/state-file.ts';
import { kernelFolders } from '../../electron/host/model/bench/machine.ts';
import { readNpz } from '../../electron/host/model/external/npz.ts';
import { readStoppingCsv } from '../../electron/host/model/scenarios/stopping-table.ts';
import { readHkl } from '../../electron/host/workloads/diffraction/scenario/hkl.ts';
import { hostWorkloads } from '../../electron/host/workloads/index.ts';
import { writeRun } from '../../electron/host/workloads/transport/run-file-write.ts';
import { addon, assetsFolder, scenarios } from '../electron/host/model/scenarios/open.ts';
import { writeNsight } from '../electron/host/model/timeline/import/nsight-file.ts';
import { runScenario, tinyScenario } from '../electron/host/small-run.ts';
import { renderDocument } from '../electron/host/workloads/image.ts';
import { smallImage } from '../electron/host/workloads/small-image.ts';
import { scratchFolder } from '../scratch-folder.ts';

const SEED = Number(process.env['BRAGGBENCH_FUZZ_SEED'] ?? 20_261_121);
/** Number of files, over all kinds. */
const FILES = Number(process.env['BRAGGBENCH_FUZZ_FILES'] ?? 420);
const KINDS = 14;
const FILES_PER_KIND = Math.ceil(FILES / KINDS);
/** Processor time allowed for one file. */
const MAX_S = 5;
const MAX_BYTES = 2 ** 30;

const folder = scratchFolder('fuzz');

/** Mulberry32 generator: the same seed gives the same files. */
function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const TOKENS = [
  '{',
  '}',
  '[',
  ']',
  ',',
  '"',
  ':',
  '-',
  '1e999',
  'null',
  'NaN',
  '\n',
  '\u0000',
  '&a ',
  '*a',
  '💥',
  '../',
];

/** Makes one to eight changes: flips, removes, doubles or inserts bytes, or truncates the file. */
function damageBytes(bytes: Uint8Array, random: () => number): Uint8Array {
  let now = Buffer.from(bytes);
  const upTo = (n: number) => Math.floor(random() * n);
  for (let left = 1 + upTo(8); left > 0; left -= 1) {
    // Half of the changes are near the beginning, where the structure is.
    const at = upTo(random() < 0.5 ? Math.min(now.length, 2048) : now.length);
    const [before, after] = [now.subarray(0, at), now.subarray(at)];
    const piece = after.subarray(0, upTo(64));
    switch (upTo(12)) {
      case 0:
        now = Buffer.concat([before, after.subarray(piece.length)]);
        break;
      case 1:
        now = Buffer.concat([before, piece, after]);
        break;
      case 2:
        now = Buffer.from(before);
        break;
      case 3:
      case 4:
        now = Buffer.concat([before, Buffer.from(TOKENS[upTo(TOKENS.length)] ?? ''), after]);
        break;
      default:
        if (at < now.length) now[at] = upTo(256);
    }
  }
  return now;
}

type Reader = (bytes: Uint8Array) => unknown;

/** Reads damaged copies; errors must be readable for users. Returns the number of rejected copies. */
async function readDamagedCopies(kind: string, starts: readonly Uint8Array[], read: Reader): Promise<number> {
  const random = randomOf(SEED ^ kind.length ^ (kind.charCodeAt(0) << 8));
  const before_bytes = process.memoryUsage().rss;
  let refused = 0;
  for (let i = 0; i < FILES_PER_KIND; i += 1) {
    const bytes = damageBytes(starts[i % starts.length] ?? new Uint8Array(), random);
    const start = process.cpuUsage();
    try {
      await read(bytes);
    } catch (error) {
      refused += 1;
      const file = path.join(tmpdir(), `braggbench-fuzz-${kind.replaceAll(' ', '-')}-${i}`);
      if (!(error instanceof BraggError) || error.code === 'internal') writeFileSync(file, bytes);
      expect(error, `${kind} ${i} of seed ${SEED}; the file is ${file}`).toBeInstanceOf(BraggError);
      const { code, message } = error as BraggError;
      expect(['foreign-file', 'invalid', 'not-found', 'memory', 'io', 'unsupported']).toContain(code);
      expect(message).not.toMatch(/undefined|\[object|^.{0,3}$/);
    }
    expect(process.cpuUsage(start).user / 1e6, `${kind} ${i}`).toBeLessThan(MAX_S);
  }
  expect(process.memoryUsage().rss - before_bytes).toBeLessThan(MAX_BYTES);
  return refused;
}

const asText = (bytes: Uint8Array): string => Buffer.from(bytes).toString('utf8');
const filesOf = (name: string, ending: string, most_bytes = 2 ** 20, recursive = true): readonly Uint8Array[] =>
  readdirSync(path.join(assetsFolder, name), { recursive, encoding: 'utf8' })
    .filter((one) => one.endsWith(ending))
    .map((one) => path.join(assetsFolder, name, one))
    .filter((one) => statSync(one).size <= most_bytes)
    .map((one) => readFileSync(one));

/** Issues of a table: readable messages, each with its line. */
function expectRejection(faults: readonly { readonly line: number; readonly message: string }[]): void {
  expect(faults.length).toBeGreaterThan(0);
  for (const { line, message } of faults) {
    expect(line).toBeGreaterThan(0);
    expect(message).not.toMatch(/undefined|\[object/);
  }
}

/** An array in NumPy's format: magic, version, and a header that describes the data. */
function npyFile(values: Float64Array): Uint8Array {
  const header = `{'descr': '<f8', 'fortran_order': False, 'shape': (${values.length},), }`;
  const padded = `${header.padEnd(117)}\n`;
  const head = Buffer.concat([Buffer.from('\x93NUMPY\x01\x00', 'latin1'), Buffer.from([padded.length, 0])]);
  return Buffer.concat([head, Buffer.from(padded, 'latin1'), Buffer.from(values.buffer)]);
}

const here = { name: 'test', folder: null } as const;
const draftOf = (title: string): object => ({
  version: 1,
  title,
  path: null,
  draft: { kind: 'transport', version: 1, beam: { energy_MeV: 70 } },
  time: '2026-01-02T03:04:05.000Z',
});

/** Parses a scenario to its issues: readable messages, and at least one error if it has no problem. */
function readScenario(name: string): Reader {
  return async (bytes) => {
    const reading = await scenarios.parse(asText(bytes), { name, folder: null });
    const errors = reading.issues.filter(({ severity }) => severity === 'error');
    for (const { message } of reading.issues) expect(message).not.toMatch(/undefined|\[object/);
    if (reading.problem === null) expect(errors.length).toBeGreaterThan(0);
  };
}

test('damaged scenarios are read or rejected', async () => {
  const json = filesOf('scenarios', '.json');
  expect(json.length).toBeGreaterThan(3);
  await readDamagedCopies('scenario json', json, readScenario('s.json'));
  await readDamagedCopies('yaml scenario', json, readScenario('s.yaml'));
});

test('damaged run files are read or rejected', async () => {
  const bytes = await writeRun(await runScenario(tinyScenario));
  expect(await readDamagedCopies('run', [bytes], (damage) => readAnyRun(damage, 'run.h5'))).toBeGreaterThan(
    FILES_PER_KIND / 10,
  );
});

test('damaged run files of images are read or rejected', async () => {
  const bytes = await hostWorkloads.diffraction.runFile.write(await renderDocument(smallImage));
  expect(await readDamagedCopies('image run', [bytes], (damage) => readAnyRun(damage, 'run.h5'))).toBeGreaterThan(
    FILES_PER_KIND / 10,
  );
});

test('damaged sessions of every workload, and measurements as run files, are read or rejected', async () => {
  const current = await readCurrentRules(assetsFolder);
  for (const [kind, folderName] of [
    ['session', ''],
    ['image session', 'diffraction'],
    ['layer session', 'linear-relu'],
    ['micro session', 'micro'],
  ] as const) {
    const starts = filesOf(path.join('runs', folderName), '.json', 2 ** 18, folderName !== '');
    expect(starts.length, kind).toBeGreaterThan(0);
    await readDamagedCopies(kind, starts, async (bytes) => {
      sessionSchema.parse(deriveSession(parseSession(asText(bytes), 'session.json'), current));
      if (kind === 'micro session') await readAnyRun(bytes, 'run.json');
    });
  }
});

test('damaged measurements of every workload are read or rejected, as sessions and as run files', async () => {
  const event = (at: number) => ({ ph: 'X', ts: at, dur: 5, name: 'step', pid: 1, tid: at % 3, args: { bytes: at } });
  const chrome = Buffer.from(JSON.stringify({ traceEvents: Array.from({ length: 60 }, (_, at) => event(at)) }));
  const run = await writeRun(await runScenario(tinyScenario));
  const file = path.join(folder, 'trace');
  await readDamagedCopies('timeline', [chrome, run], (bytes) => {
    writeFileSync(file, bytes);
    return openTrace(file, 'trace.json');
  });
});

test('damaged databases of another profiler are read or rejected', async () => {
  const file = path.join(folder, 'report.sqlite');
  writeNsight(file);
  const database = readFileSync(file);
  await readDamagedCopies('nsight', [database], (bytes) => {
    writeFileSync(file, bytes);
    return openTrace(file, 'report.sqlite');
  });
});

test('damaged lists of reflections are read or rejected', async () => {
  const lines = Array.from({ length: 60 }, (_, i) => `${i % 7} ${i % 5} ${i % 3} ${(1000 / (i + 1)).toFixed(2)}`);
  await readDamagedCopies('hkl', [Buffer.from(`# h k l F\n${[...new Set(lines)].join('\n')}\n`)], (bytes) => {
    const read = readHkl(asText(bytes));
    if (read.ok) {
      expect(read.reflections.length % 4).toBe(0);
      expect(read.reflections.every(Number.isFinite)).toBe(true);
    } else expectRejection(read.faults);
  });
});

test('damaged tables of nuclear reactions are read or rejected', async () => {
  const reading = await scenarios.check({ ...tinyScenario, physics: { nuclear: 'icru63' } }, here);
  const problem = scenarios.resolve(reading);
  const tables = problem.physics.nuclear_tables ?? [];
  expect(tables.length).toBeGreaterThan(0);
  const [first] = tables;
  await readDamagedCopies('nuclear table', [Buffer.from(first?.text ?? '')], async (bytes) => {
    const damage = tables.map((table) => (table === first ? { ...table, text: asText(bytes) } : table));
    const physics = { ...problem.physics, nuclear_tables: damage };
    try {
      await addon.createTransport({ ...problem, physics }).start(() => undefined);
    } catch (error) {
      throw errorFromNative(error);
    }
  });
});

test('damaged overlay curves are read or rejected', async () => {
  const rows = Array.from({ length: 50 }, (_, i) => `${i * 0.5},${(100 / (i + 1)).toFixed(3)}`);
  await readDamagedCopies('curve', [Buffer.from(`depth_mm,dose (Gy)\n${rows.join('\n')}\n`)], (bytes) => {
    const read = readCurveCsv(asText(bytes));
    if (!read.ok) expectRejection(read.faults);
  });
});

test('damaged arrays from other programs are read or rejected', async () => {
  const archive = zipSync({ 'dose.npy': npyFile(Float64Array.from({ length: 24 }, (_, i) => i / 7)) }, { level: 0 });
  const packed = zipSync({ 'dose.npy': npyFile(Float64Array.from({ length: 24 }, (_, i) => i / 7)) });
  await readDamagedCopies('npz', [archive, packed], (bytes) => readNpz(bytes, 'dose'));
});

test('damaged state files of the program are read, or renamed and reported', async () => {
  const locks = new Locks(folder);
  const said: string[] = [];
  const starts = [
    { version: 1, paths: ['/a', '/b'] },
    { version: 1, settings: { libraryFolder: '/x' } },
    draftOf('a page'),
  ];
  let turn = 0;
  await readDamagedCopies(
    'state',
    starts.map((one) => Buffer.from(JSON.stringify(one))),
    async (bytes) => {
      const which = turn++ % starts.length;
      const name = ['recent.json', 'settings.json', 'draft-page.json'][which] ?? '';
      writeFileSync(path.join(folder, name), bytes);
      if (which === 0) await new RecentFiles(folder, locks, (reason) => said.push(reason)).list();
      else if (which === 1) await HostSettings.open(folder, locks, (reason) => said.push(reason));
      else await readDraft(path.join(folder, name));
    },
  );
  for (const reason of said) expect(reason).toMatch(/moved to|not read/);
});

test('damaged stopping tables are read or rejected', async () => {
  const rows = Array.from({ length: 40 }, (_, i) => `${(0.01 * 1.4 ** i).toFixed(4)},${(200 / (i + 1)).toFixed(3)}`);
  const table = Buffer.from(`T_MeV,S\n${rows.join('\n')}\n`);
  await readDamagedCopies('csv', [table], (bytes) => {
    const read = readStoppingCsv(asText(bytes), 'table.csv');
    if (!read.ok) expectRejection(read.faults);
  });
});

test('damaged descriptions of user kernels, and their code, are read or rejected', async () => {
  const own = new UserKernels({ addon, folders: kernelFolders(), isTrusted: () => false });
  const fields = { kind: 'variant', version: 1, base: 'gather', replaces: 'kernels/transport/cpu/gather.cpp' };
  const description = Buffer.from(JSON.stringify({ ...fields, title: 'Mine', changes: 'One loop.' }));
  const code = readFileSync(path.join(kernelFolders().sources, 'transport/cpu/gather.cpp'));
  const file = path.join(folder, 'mine.cpp');
  let turn = 0;
  await readDamagedCopies('kernel', [description, code], (bytes) => {
    const ofCode = turn++ % 2 === 1;
    writeFileSync(file, ofCode ? bytes : code);
    writeFileSync(path.join(folder, 'mine.json'), ofCode ? description : bytes);
    return own.open(file);
  });
  own.close();
});

test('the command line exits with 0 or 2 for any file', () => {
  const cli = path.resolve('dist/host/cli.js');
  const random = randomOf(SEED);
  const starts = filesOf('scenarios', '.json');
  for (let i = 0; i < Math.max(4, FILES_PER_KIND / 20); i += 1) {
    const file = path.join(folder, 'damaged.json');
    writeFileSync(file, damageBytes(starts[i % starts.length] ?? new Uint8Array(), random));
    const { status, stderr } = spawnSync(process.execPath, [cli, 'validate', file], {
      encoding: 'utf8',
      timeout: 60_000,
    });
    expect([0, 2], stderr).toContain(status);
  }
});
