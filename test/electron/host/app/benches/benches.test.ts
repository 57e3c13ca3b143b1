/** Benchmarks as a page requests them, over the real protocol and the real engine. */
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { BenchInfo, BenchProgress, Subject } from '../../../../../electron/contract/bench/benches.ts';
import { type Accuracy, sessionSchema } from '../../../../../electron/contract/bench/session.ts';
import { loadAddon } from '../../../../../electron/host/io/addon/addon.ts';
import type { Client } from '../../../../../renderer/data/client/client.ts';
import { assetsFolder, tinyScenario } from '../../small-run.ts';
import { eventually, longScenario, openTestHost, type TestHost } from '../../test-host.ts';

let test_: TestHost;
let page: Client;
/** Number of requests to the engine for the variants of a small workload. */
let engineRequests = 0;

beforeAll(async () => {
  const addon = new Proxy(loadAddon(), {
    get: (engine, key) => {
      if (key === 'taskVariants') engineRequests += 1;
      return Reflect.get(engine, key);
    },
  });
  test_ = await openTestHost({ addon });
  page = await test_.page();
});
afterAll(() => test_.close());

const scenario = { ...tinyScenario };
/** Options with which the rounds do not end by themselves before the test stops them. */
const unsettledOptions = { rounds: 10_000, time_s: 600, precision: 1e-4, processes: 0 } as const;

/** Error of the dose compared with FP64. */
function errorOf(row: { readonly accuracy: readonly Accuracy[] } | null | undefined): number {
  return row?.accuracy.find(({ id }) => id === 'parity')?.value ?? Number.NaN;
}

function followBench(bench: string): { readonly frames: BenchProgress[]; readonly ended: Promise<void> } {
  const frames: BenchProgress[] = [];
  const ended = new Promise<void>((resolve) => {
    page.stream('bench.progress', { bench }, { frame: (frame) => void frames.push(frame), end: () => resolve() });
  });
  return { frames, ended };
}

async function infoOf(id: string): Promise<BenchInfo> {
  const { benches } = await page.call('bench.list', {});
  const found = benches.find((one) => one.id === id);
  if (found === undefined) throw new Error(`${id} is not listed`);
  return found;
}

describe('a benchmark', () => {
  let info: BenchInfo;
  let frames: BenchProgress[];

  beforeAll(async () => {
    const variants = ['gather', 'window', 'window@fp64'];
    info = await page.call('bench.start', { scenario, name: 'small', variants, rounds: 6, time_s: 600, processes: 1 });
    const followed = followBench(info.id);
    await followed.ended;
    frames = followed.frames;
  });

  test('reports progress, remaining time, and the ratios measured so far', () => {
    expect(info.state).toMatch(/queued|running/);
    const phases = frames.map(({ phase }) => phase);
    expect(phases).toContain('rounds');
    expect(frames.at(-1)).toMatchObject({ state: 'done', left_s: null });
    const late = frames.filter(({ round }) => round >= 5);
    expect(late.length).toBeGreaterThan(0);
    for (const { latest, rounds } of late) {
      expect(rounds).toBe(6);
      expect(latest.map(({ label }) => label)).toEqual(['gather', 'window', 'window@fp64']);
      expect(latest[0]?.ratio).toBeNull();
      expect(latest[1]?.ratio?.value).toBeGreaterThan(0);
    }
    const running = frames.filter((frame) => frame.state === 'running' && frame.round > 0);
    for (const { left_s } of running) expect(left_s).toBeGreaterThanOrEqual(0);
  });

  test('is listed with what can be compared, and stores the scenario and the command', async () => {
    const listed = await infoOf(info.id);
    expect(listed).toMatchObject({ state: 'done', recorded: false, file: null, scenario: 'small µ run' });
    expect(listed.subjects.map(({ title }) => title)).toEqual(['gather', 'window', 'window@fp64']);
    const { session } = await page.call('bench.session', { bench: info.id });
    expect(session.reports[0]?.document).toEqual(JSON.parse(JSON.stringify(scenario)));
    expect(session.command).toBe(
      "bench 'small µ run.json' --variants gather,window,window@fp64 --processes 1 --rounds 6 --time 600 --margin 1% --seed 1",
    );
    // The commit, if this folder is a git checkout.
    expect(session.reports[0]?.program.commit ?? '0'.repeat(40)).toMatch(/^[0-9a-f]{40}/);
  });

  test('reports per row if a clock was locked, a GPU cooled down or energy was read', async () => {
    const asked = { lock_MHz: 1500, cool_C: 90, energy: true, processes: 0 };
    const variants = ['gather', 'window'];
    const { id } = await page.call('bench.start', { scenario, name: 'small', variants, rounds: 5, ...asked });
    await followBench(id).ended;
    const { subjects } = await infoOf(id);
    const { rows } = await page.call('compare.rows', { subjects: subjects.map((one) => one.subject), reference: 0 });
    const told = new Map(rows[1]?.conditions);
    // Either result is valid, depending on the machine.
    expect(told.get('GPU clock')).toMatch(/^locked at 1500 MHz$|^not locked/);
    expect(told.get('Cooling')).toMatch(/^no temperature limit: |waited \d+\.\d s for 90 °C/);
    expect(told.get('Energy')).toMatch(/RAPL/);
    expect(told.get('Results checked against')).toMatch(/fp64/i);
    const readable = !/no RAPL counters|not readable/.test(told.get('Energy') ?? '');
    for (const { quantities } of rows) {
      expect(quantities.find((one) => one.id === 'energy')?.value ?? null, 'joules').toEqual(
        readable ? expect.any(Number) : null,
      );
    }
    const { session } = await page.call('bench.session', { bench: id });
    expect(session.command).toContain(' --lock-clocks 1500 --cool 90 --energy ');
  });

  test('has rows, curves and maps relative to any reference', async () => {
    const { subjects } = await infoOf(info.id);
    const chosen = subjects.map(({ subject }) => subject);
    const { rows, groups } = await page.call('compare.rows', { subjects: chosen, reference: 1 });
    expect(rows.map(({ verdict }) => verdict)[1]).toBe('reference');
    expect(rows[0]?.paired).toBe(true);
    expect(rows[0]?.ratio.interval?.low).toBeLessThanOrEqual(rows[0]?.ratio.value ?? 0);
    expect(rows[0]?.samples).toHaveLength(6);
    expect(errorOf(rows[0])).toBeLessThan(1e-5);
    expect(rows[2]?.precision).toBe('fp64');
    expect(errorOf(rows[2])).toBeLessThan(1e-12);
    expect(groups).toMatchObject([{ title: '', reference: 1 }]);
    expect(groups[0]?.noise.floor).toBeGreaterThan(0);
    const { curves } = await page.call('compare.curves', { subjects: chosen, reference: 1 });
    expect(curves[1]?.residual).toBeNull();
    const peak = Math.max(...(curves[1]?.curve?.values ?? []));
    const residual = curves[0]?.residual?.values ?? new Float64Array();
    expect(residual.length).toBe(curves[0]?.curve?.values.length);
    expect(Math.max(...residual.map(Math.abs))).toBeLessThan(1e-4 * peak);
    const { maps } = await page.call('compare.maps', {
      subjects: chosen,
      reference: 1,
      viewport: { horizontal: null, vertical: null, pixels: [20, 10] },
    });
    expect(maps[0]?.map?.values.length).toBeLessThanOrEqual(200);
    expect(maps[0]?.difference).not.toBeNull();
    expect(maps[1]?.difference).toBeNull();
  });

  test('is saved in the library under a name that no scenario can have', async () => {
    const file = { kind: 'library', key: 'mine.session.json' } as const;
    await page.call('bench.save', { bench: info.id, file, ifExists: 'refuse' });
    const { benches } = await page.call('bench.list', {});
    const stored = benches.find(({ id }) => id === 'library~mine.session.json');
    expect(stored).toMatchObject({ state: 'stored', name: 'mine', recorded: false });
    const { session } = await page.call('bench.session', { bench: stored?.id ?? '' });
    expect(session).toEqual((await page.call('bench.session', { bench: info.id })).session);
    const { entries } = await page.call('scenario.library', {});
    expect(entries.map(({ fileName }) => fileName)).not.toContain('mine.session.json');
    // A stored session contains times but no doses.
    const { curves } = await page.call('compare.curves', {
      subjects: [stored?.subjects[0]?.subject as Subject],
      reference: 0,
    });
    expect(curves[0]?.reason).toMatch(/contains times/);
  });
});

test('the shipped sessions are available without a GPU', async () => {
  const { benches } = await page.call('bench.list', {});
  const recorded = benches.filter((one) => one.recorded);
  expect(recorded.length).toBeGreaterThanOrEqual(6);
  // The engine is queried less than once per file.
  expect(engineRequests).toBeLessThan(recorded.length);
  const grid = recorded.find(({ name }) => name === 'h200-uniform-grid-70MeV');
  expect(grid).toMatchObject({ state: 'stored', machine: 'NVIDIA H200', sweep: null });
  const subjects = grid?.subjects.map(({ subject }) => subject) ?? [];
  const { rows } = await page.call('compare.rows', { subjects, reference: 0 });
  const window = rows.find(({ title }) => title === 'cuda-window');
  expect(window).toMatchObject({ verdict: 'faster', paired: true });
  expect(window?.provenance).toMatchObject({ machine: 'NVIDIA H200', driver: '580.159.04' });
  // The verdict on cupy-raw was decided after six of the 21 rounds.
  expect(rows.find(({ title }) => title === 'cupy-raw')).toMatchObject({ verdict: 'slower', paired: false });
  expect(window?.modes.map(({ mode, time_s }) => [mode, time_s === null])).toEqual([
    ['cold', false],
    ['graph', false],
  ]);
});

test('a cancelled benchmark keeps its complete rounds', async () => {
  const variants = ['gather', 'window'];
  const { id } = await page.call('bench.start', { scenario, name: 's', variants, ...unsettledOptions });
  const { frames, ended } = followBench(id);
  await eventually(() => (frames.at(-1)?.round ?? 0) >= 2);
  const cancelled = await page.call('bench.cancel', { bench: id });
  expect(cancelled.state).toBe('running');
  await ended;
  expect((await infoOf(id)).state).toBe('cancelled');
  const { session } = await page.call('bench.session', { bench: id });
  expect(session.reports[0]?.stopped).toBe('cancelled');
  const entry = session.reports[0]?.entries[0];
  expect(entry?.status === 'measured' && entry.samples.length).toBeGreaterThanOrEqual(2);
});

test('a benchmark waits for an earlier run, and a later run waits for the benchmark', { tags: 'slow' }, async () => {
  const run = await page.call('run.start', { scenario: { ...longScenario }, name: 'long' });
  const one = { scenario, name: 's', variants: ['window'], rounds: 1, processes: 0 };
  const bench = await page.call('bench.start', one);
  const after = await page.call('run.start', { scenario, name: 'after' });
  expect(bench).toMatchObject({ state: 'queued', queuePosition: 1 });
  expect(after).toMatchObject({ state: 'queued', queuePosition: 2 });
  await page.call('run.cancel', { run: run.id });
  await test_.host.benches.waitForEnd(bench.id);
  const ended = await test_.host.runs.waitForEnd(after.id);
  expect(ended.state).toBe('done');
  const taken = await page.call('bench.start', one);
  await page.call('bench.cancel', { bench: taken.id });
  await test_.host.benches.waitForEnd(taken.id);
});

test('a benchmark with impossible variants or an impossible sweep is rejected at once', async () => {
  const start = (variants: string[], sweep: { path: string; values: number[] } | null = null) =>
    page.call('bench.start', { scenario, name: 's', variants, sweep });
  await expect(start(['gathr'])).rejects.toThrow('"gathr" is not known (did you mean gather?)');
  await expect(start(['gather@fp16'])).rejects.toThrow('allowed: gather@fp32, gather@fp64');
  await expect(start(['gather:0'])).rejects.toThrow('allowed: gather, which runs on the CPU');
  await expect(start(['window'], { path: 'grid..x', values: [1] })).rejects.toThrow('is not a path');
  await expect(start(['window'], { path: 'grid.dx_mm', values: [-1] })).rejects.toThrow('grid.dx_mm');
});

test('other programs are compared with the variants, or the reason for their absence is given', async () => {
  const { programs } = await page.call('bench.external', { workload: 'transport' });
  const program = (id: string) => programs.find((one) => one.id === id);
  expect(programs.map(({ id }) => id)).toEqual(expect.arrayContaining(['numpy-array', 'cupy-array', 'cupy-raw']));
  // A user's own program is named by a file, for which the page has a field.
  expect(program('smatrix-2d')?.file).toEqual({ what: expect.stringMatching(/^run_simulation.py/), named: null });
  expect(program('numpy-array')?.file).toBeNull();
  const numpy = program('numpy-array')?.reason ?? null;
  if (numpy !== null) expect(numpy).toMatch(/python3 is not installed|No module named 'numpy'/);
  const external = ['numpy-array', 'cupy-raw'];
  const few = { rounds: 1, processes: 1 };
  const { id } = await page.call('bench.start', { scenario, name: 's', variants: ['window'], external, ...few });
  await test_.host.benches.waitForEnd(id);
  const { session } = await page.call('bench.session', { bench: id });
  expect(session.command).toContain('--external numpy-array,cupy-raw');
  for (const asked of external) {
    const entry = session.reports[0]?.entries.find(({ label }) => label === asked);
    // The availability check agrees with the measurement.
    expect(entry?.status).toBe(program(asked)?.reason === null ? 'measured' : 'refused');
    if (entry?.status !== 'measured') continue;
    expect(errorOf(entry)).toBeLessThan(1e-5);
    expect(entry.samples).toHaveLength(1);
    expect(entry.whole?.ratio.value).toBeGreaterThan(1);
  }
  await expect(
    page.call('bench.start', { scenario, name: 's', variants: ['window'], external: ['matlab'] }),
  ).rejects.toThrow('the program "matlab" is not registered; allowed: numpy-array');
});

test('registers and spills come from the session or from a build of the same commit, and their source is named', async () => {
  const recorded = { bench: 'recorded~h200-uniform-grid-70MeV.json', report: 0 };
  const kept = await page.call('variant.resources', { variant: 'cuda-fused', session: recorded });
  expect(kept.origin).toBe('recorded with h200-uniform-grid-70MeV');
  expect(kept.resources?.kernels.every(({ architecture }) => architecture === 'sm_90')).toBe(true);

  // Remove the recorded resources from the session, so that those of a build of the kernels are used.
  const folder = await mkdtemp(path.join(tmpdir(), 'braggbench-kernels-'));
  const before = { kernels: process.env['BRAGGBENCH_KERNELS'], commit: process.env['BRAGGBENCH_COMMIT'] };
  try {
    const file = path.join(assetsFolder, 'runs', 'h200-uniform-grid-70MeV.json');
    const session = sessionSchema.parse(JSON.parse(await readFile(file, 'utf8')));
    const bare = session.reports.map(({ resources: _, ...report }) => report);
    const text = JSON.stringify({ ...session, reports: bare });
    const { id } = await page.call('bench.open', { source: { kind: 'text', name: 'bare.session.json', text } });
    const ask = () => page.call('variant.resources', { variant: 'cuda-fused', session: { bench: id, report: 0 } });
    process.env['BRAGGBENCH_KERNELS'] = folder;
    await symlink(path.join(assetsFolder, '../kernels'), path.join(folder, 'source'));
    expect((await ask()).reason).toContain('The kernels were not compiled on this machine');
    const built = { workload: 'transport', ...kept.resources };
    await writeFile(path.join(folder, 'transport.resources.json'), JSON.stringify(built));
    const commit = session.reports[0]?.program.commit ?? '';
    process.env['BRAGGBENCH_COMMIT'] = commit;
    expect(await ask()).toMatchObject({
      reason: null,
      origin: expect.stringMatching(/^of this build, from the same commit as bare.*which has no kernel data$/),
    });
    process.env['BRAGGBENCH_COMMIT'] = 'f'.repeat(40);
    const other = await ask();
    expect(other.resources).toBeNull();
    expect(other.reason).toContain(`is from commit ${commit.slice(0, 7)}; this build is from fffffff.`);
  } finally {
    for (const [name, value] of [
      ['BRAGGBENCH_KERNELS', before.kernels],
      ['BRAGGBENCH_COMMIT', before.commit],
    ] as const) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
    await rm(folder, { recursive: true });
  }
});

test('a sweep measures every size and fits the cost', async () => {
  const sweep = { path: 'grid.dx_mm', values: [2, 1] };
  const { id } = await page.call('bench.start', {
    scenario,
    name: 's',
    variants: ['window'],
    rounds: 2,
    processes: 0,
    sweep,
  });
  await test_.host.benches.waitForEnd(id);
  const { session } = await page.call('bench.session', { bench: id });
  expect(session.reports).toHaveLength(2);
  expect(session.sweep?.fits[0]?.points.map(({ value }) => value)).toEqual([2, 1]);
  expect((await infoOf(id)).subjects.map(({ title }) => title)).toEqual(['window at 2', 'window at 1']);
  // Each report contains the document that it measured, not the first one of the sweep.
  expect(session.reports.map(({ document }) => document)).toMatchObject([
    { ...scenario, grid: { dx_mm: 2 } },
    { ...scenario, grid: { dx_mm: 1 } },
  ]);
});

test('images and small workloads are measured alike, and shown with their own measures', { tags: 'slow' }, async () => {
  const spots = {
    kind: 'diffraction',
    version: 1,
    beam: { wavelength_A: 6.2 },
    crystal: { lattice: { kind: 'cell', a_A: 100, b_A: 100, c_A: 100 }, cells: { a: 5, b: 5, c: 5 } },
    structure_factors: { default_electrons: 100 },
    detector: { width: 32, height: 32 },
  };
  const variants = ['diffraction-fp64', 'diffraction-mixed'];
  const images = await page.call('bench.start', {
    scenario: spots,
    name: 'spots',
    variants,
    rounds: 2,
    time_s: 600,
    processes: 0,
  });
  const { frames, ended } = followBench(images.id);
  await ended;
  expect(frames.map(({ phase }) => phase)).toContain('rounds');
  const listed = await infoOf(images.id);
  expect(listed).toMatchObject({ state: 'done', workload: 'diffraction', bench: '' });
  const subjects = listed.subjects.map(({ subject }) => subject);
  const { rows, words } = await page.call('compare.rows', { subjects, reference: 0 });
  expect(words?.time).toBe('Image');
  expect(rows[1]?.accuracy.map(({ id, holds }) => [id, holds])).toEqual([
    ['rel_l2', true],
    ['max', true],
    ['bright', true],
    ['sum', true],
    ['mean', true],
    ['correlation', true],
  ]);
  expect(rows.map(({ determinism }) => determinism)).toEqual([
    { runs: 5, bitwise: true, spread: 0 },
    { runs: 3, bitwise: true, spread: 0 },
  ]);
  const viewport = { horizontal: null, vertical: null, pixels: [64, 64] as [number, number] };
  const { maps } = await page.call('compare.maps', { subjects, reference: 0, viewport });
  expect(maps[1]?.map).toMatchObject({ quantity: 'photons', horizontal: { name: 'fast', count: 32 } });
  const [less, whole] = [maps[1]?.difference, maps[1]?.map];
  expect(Math.max(Math.abs(less?.min ?? 1), less?.max ?? 1)).toBeLessThan(1e-4 * (whole?.max ?? 0));
  const { curves } = await page.call('compare.curves', { subjects, reference: 0 });
  expect(curves[0]).toMatchObject({ curve: null, reason: 'it has no curve' });
  const file = { kind: 'library', key: 'spots.session.json' } as const;
  await page.call('bench.save', { bench: images.id, file, ifExists: 'refuse' });
  expect((await infoOf('library~spots.session.json')).workload).toBe('diffraction');
  await expect(
    page.call('bench.start', { scenario: spots, name: 's', variants: ['diffraction-mixd'] }),
  ).rejects.toThrow('did you mean diffraction-mixed?');

  // A run of a small workload is a measurement, so its variants are listed among the sessions.
  const layer = { kind: 'linear-relu', version: 1, problem: { batch: 8, inputs: 16, outputs: 8 } };
  const run = await page.call('run.start', { scenario: layer, name: 'layer' });
  await test_.host.runs.waitForEnd(run.id);
  const session = await infoOf(`run~${run.id}`);
  expect(session).toMatchObject({ workload: 'linear-relu', state: 'stored', recorded: false });
  const own = session.subjects.map(({ subject }) => subject);
  const compared = await page.call('compare.rows', { subjects: own, reference: 0 });
  expect(compared.rows[0]).toMatchObject({ verdict: 'reference', has_map: false });
  expect(compared.rows.every(({ accuracy }) => accuracy.some(({ bound }) => bound !== null))).toBe(true);
  const asRun: Subject = { kind: 'run', run: run.id };
  expect((await page.call('compare.rows', { subjects: [asRun], reference: 0 })).gone[0]?.reason).toContain('sessions');
  await expect(page.call('compare.rows', { subjects: [...own, ...subjects], reference: 0 })).rejects.toThrow(
    /Only results of one workload can be compared, but these belong to several workloads: layer of linear-relu/,
  );
});

test('a stored run can be compared with a session', async () => {
  const { id } = await page.call('run.start', { scenario, name: 'r' });
  await test_.host.runs.waitForEnd(id);
  const other = { ...scenario, solver: { ...scenario.solver, variant: 'gather' } };
  const second = await page.call('run.start', { scenario: other, name: 'r' });
  await test_.host.runs.waitForEnd(second.id);
  const subjects: Subject[] = [
    { kind: 'run', run: id },
    { kind: 'run', run: second.id },
    { kind: 'run', run: 'gone' },
  ];
  const { rows, gone } = await page.call('compare.rows', { subjects, reference: 0 });
  expect(gone.map(({ reason }) => reason)).toEqual(['This run does not exist.']);
  expect(rows[1]).toMatchObject({ verdict: 'undecided', note: 'too few samples for an interval' });
  expect(rows[1]?.accuracy[0]).toMatchObject({ id: 'parity', bound: 1e-5, holds: true });
  expect(errorOf(rows[1])).toBeLessThan(1e-5);
  expect(rows[1]?.quantities.find((one) => one.id === 'r80')?.value).toBeGreaterThan(8);
  expect(rows[1]?.differences.map(({ what }) => what)).toContain('solver.variant');
});

test('a session read by the page is imported, and no other file', async () => {
  const recorded = await readFile(path.join(assetsFolder, 'runs', 'h200-water-70MeV.json'), 'utf8');
  const open = (name: string, text: string) => page.call('bench.open', { source: { kind: 'text', name, text } });
  const info = await open('mine.json', recorded);
  expect(info).toMatchObject({ name: 'mine', state: 'stored', file: null, machine: 'NVIDIA H200' });
  const { session } = await page.call('bench.session', { bench: info.id });
  const said = sessionSchema.parse(JSON.parse(recorded));
  expect(session.reports[0]?.entries.map(({ label }) => label)).toEqual(
    said.reports[0]?.entries.map(({ label }) => label),
  );
  expect((await page.call('bench.list', {})).benches.map(({ id }) => id)).toContain(info.id);
  await expect(open('bad.json', '{"kind":"transport"}')).rejects.toThrow('bad.json is not a Braggbench benchmark');
});
