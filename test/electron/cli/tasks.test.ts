/** The verbs of the command line on small measured workloads. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { GPU_SESSIONS } from '../../../electron/build/bench/gpu-sessions.mjs';
import { gpuTargets, layerTargets } from '../../../electron/build/bench/targets.mjs';
import { parseArguments } from '../../../electron/cli/arguments.ts';
import { runProgram } from '../../../electron/cli/program.ts';
import { Terminal } from '../../../electron/cli/terminal.ts';
import { exitCodes } from '../../../electron/cli/verb.ts';
import { bench } from '../../../electron/cli/verbs/bench.ts';
import { sessionSchema } from '../../../electron/contract/bench/session.ts';
import { braggbenchInProcess, environmentWith } from './command.ts';

const recordedSession = path.join(import.meta.dirname, '../../../assets/runs');
let folder: string;
let environment: NodeJS.ProcessEnv;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'bb-cli-task-'));
  environment = environmentWith(path.join(folder, 'home'));
});
afterEach(() => vi.unstubAllEnvs());
afterAll(() => rm(folder, { recursive: true, force: true }));

const smallFlags = ['batch=20', 'inputs=40', 'outputs=30'].flatMap((value) => ['--set', `problem.${value}`]);
const call = (...words: string[]) => braggbenchInProcess(words, { cwd: folder, environment });

test('run checks and times one variant, and saves the session', async () => {
  const run = await call('run', 'layer-odd', ...smallFlags, '--variant', 'cpu-blocked', '--out', 'run.json');
  expect(run.stdout).toMatch(
    /^Linear and ReLU, 1023 × 785 × 2047 \(problem.batch = 20, .*\)\nLinear layer with ReLU\n.* · braggbench 0.1.0 · /,
  );
  expect(run.stdout).toMatch(/cpu-blocked .*FLOP\/s/);
  expect(run.stdout).toContain('Compared: all 600 outputs with FP64 of the same inputs.');
  expect(run.code).toBe(0);
  const kept = sessionSchema.parse(JSON.parse(await readFile(path.join(folder, 'run.json'), 'utf8')));
  expect(kept.workload).toBe('linear-relu');
  expect(kept.reports[0]).toMatchObject({ rounds: 7, reference: 'cpu-blocked' });
});

test('bench accepts configurations of a shipped variant, and names the allowed values of fmad', async () => {
  const { code, stderr } = await call('bench', 'gemm-small', '--variants', 'cpu-blocks[fmad=2],cpu-rows');
  expect([code, stderr]).toEqual([2, 'error cpu-blocks: fmad = 2; allowed: 0, 1\n']);
});

test('--trace records every repetition of one sample per variant, which export and trace can read', async () => {
  const words = ['--set', 'problem.n=1000', '--set', 'problem.steps=3', '--set', 'solver.threads=2'];
  const out = ['--trace', '--out', 'traced.json'];
  const traced = await call('bench', 'launch', ...words, '--variants', 'cpu-passes,cpu-fused', '--rounds', '2', ...out);
  expect(traced.code).toBe(0);
  const { reports } = sessionSchema.parse(JSON.parse(await readFile(path.join(folder, 'traced.json'), 'utf8')));
  expect(reports[0]?.recordings?.map(({ label, device, trace }) => [label, device, trace])).toEqual([
    ['cpu-passes', null, null],
    ['cpu-fused', null, null],
  ]);
  const exported = await call('export', 'traced.json', '--trace', 'trace.json');
  expect(exported.stderr).toMatch(/^\d+ spans written to trace\.json/);
  const [own, chrome] = await Promise.all(
    ['traced.json', 'trace.json'].map(async (file) => JSON.parse((await call('trace', file, '--json')).stdout)),
  );
  const lanes = own.lanes.map(({ process, name }: Record<string, string>) => `${process} ${name}`);
  // The work is so short that it may end before the second thread has taken any.
  expect(lanes.filter((lane: string) => !lane.endsWith(' thread 1'))).toEqual([
    'cpu-passes samples',
    'cpu-passes thread 0',
    'cpu-fused samples',
    'cpu-fused thread 0',
  ]);
  expect(chrome.summary.spans).toBe(own.summary.spans);
  const run = await call('run', 'launch', ...words, '--variant', 'cpu-fused', '--trace', '--out', 'one.json');
  expect(run.code).toBe(0);
  expect((await call('trace', 'one.json')).stdout).toContain('cpu-fused FP32');
  const unkept = await call('run', 'launch', '--trace');
  expect(unkept).toMatchObject({ code: 2 });
  expect(unkept.stderr).toContain('--trace needs --out');
});

test('sessions that show streams on the timeline are traced, with options that the command line accepts', async () => {
  const traced = GPU_SESSIONS.filter(({ words }) => words.includes('--trace'));
  expect(traced.map(({ file }) => file)).toEqual(['micro/concurrent-kernels.json', 'micro/overlap.json']);
  for (const { words } of GPU_SESSIONS) expect(parseArguments(words.slice(1), bench.flags).operands).toHaveLength(1);
  // The command runs until it needs a GPU. Without one, every variant states why it cannot run, and the
  // session is saved nevertheless.
  const { words } = traced[1] ?? { words: [] };
  const ended = await call(...words, '--out', 'overlap.json');
  const session = sessionSchema.parse(JSON.parse(await readFile(path.join(folder, 'overlap.json'), 'utf8')));
  const [report] = session.reports;
  expect([exitCodes.done, exitCodes.badInput]).toContain(ended.code);
  expect(session.command).toContain('--trace');
  if (report?.stopped === 'refused') expect(report.recordings).toEqual([]);
  else expect(report?.recordings?.some(({ trace }) => trace !== null)).toBe(true);
});

test('a recorded session shows the measured values and nothing else', async () => {
  const open = async (name: string, ...words: readonly string[]) =>
    (await call('bench', '--open', path.resolve(recordedSession, name), ...words)).stdout;
  // A single round has no spread and no interval, and so no verdict on the claim.
  const compaction = await open(path.resolve(import.meta.dirname, '../../golden/sessions/one-round.json'));
  expect(compaction).toMatch(/^cuda-block +undecided +0 +75\.7 µs +1060×/m);
  expect(compaction).toMatch(/Ballot instead of atomics +5–10× +0\.999× +not judged +cuda-atomics → cuda-ballot/);
  expect(compaction).toContain('1 round, 16.1 s in total, ended because the time limit was reached. Noise, the');
  expect(compaction).toContain('NVIDIA H200 · driver 580.159.04 · 1\u202f980 MHz · ');
  // Samples under a power cap are retained and reported.
  const capped = await open('linear-relu/layer-8192.json');
  expect(capped).toMatch(/^cuda-cublas +faster +\S+ +5\.\d+ ms/m);
  expect(capped).toMatch(
    /^Flagged samples \(included in the results\): cuda-naive \d+ of \d+, [^()]*\(software-power-cap[^()]*\)$/m,
  );
  const saved = sessionSchema.parse(
    JSON.parse(await readFile(path.join(recordedSession, 'linear-relu/layer-8192.json'), 'utf8')),
  );
  const clean = (saved.reports[0]?.entries ?? []).flatMap((entry) =>
    entry.status === 'measured' && entry.ratio_unflagged != null
      ? [[entry.label, (1 / entry.ratio_unflagged.value).toPrecision(3)]]
      : [],
  );
  expect(clean.length).toBeGreaterThan(3);
  const [, listed = ''] =
    /^Ratios that exclude rounds with a flagged sample of the variant or the reference:\s([^:]*?)\n\n/m.exec(capped) ??
    [];
  expect(listed.split(/,\s/).map((one) => one.replace('×', '').split(/\s/))).toEqual(clean);
  // Byte counts are printed as integers; a claim without a number has no range.
  expect(await open('linear-relu/layer-1024.json', '--wide')).toMatch(/cuda-blocked .* 127 +33792 bytes /);
  expect(await open('micro/overlap.json')).toMatch(
    /Streams overlap copies and kernels +faster +2\.47× \(2\.46–2\.\d+\) +as claimed/,
  );
});

test('bench compares variants, sweeps a value, and reopens its session', async () => {
  const words = ['--variants', 'cpu-fp64,cpu-blocked,cuda-blocked', '--rounds', '5', '--out', 'session.json'];
  const bench = await call('bench', 'layer-odd', ...smallFlags, ...words, '--sweep', 'problem.batch=10,20');
  expect(bench.code).toBe(0);
  expect(bench.stdout).toMatch(
    /Sweep of problem\.batch[\s\S]+cpu-fp64: (.* fixed, and .* per million of problem\.batch|these times do not fit a line)/,
  );
  // The claims are about kernels on a GPU, which this session did not measure.
  expect(bench.stdout).not.toContain('Claimed and measured');
  const opened = await call('bench', '--open', 'session.json');
  expect(opened.stdout).toBe(bench.stdout);
  const kept = sessionSchema.parse(JSON.parse(await readFile(path.join(folder, 'session.json'), 'utf8')));
  expect(kept.reports.map(({ document }) => document)).toMatchObject([
    { problem: { batch: 10 } },
    { problem: { batch: 20 } },
  ]);
  const json = await call('bench', 'layer-odd', ...smallFlags, '--variants', 'cpu-fp64', '--rounds', '2', '--json');
  expect(JSON.parse(json.stdout)).toMatchObject({ workload: 'linear-relu', entries: [{ verdict: 'reference' }] });
});

test('the live table of rounds is erased when the session ends, even if it ends early', async () => {
  vi.stubEnv('BRAGGBENCH_HOME', path.join(folder, 'home'));
  const seen: string[] = [];
  const [out, live] = [{ write: () => undefined }, { isTTY: true, write: (text: string) => seen.push(text) }];
  const words = ['bench', 'layer-odd', ...smallFlags, '--variants', 'cpu-fp64', '--rounds', '9', '--time', '0'];
  expect(await runProgram(words, new Terminal(out, live, {}), new AbortController().signal)).toBe(0);
  expect(seen.length).toBeGreaterThan(1);
  // Moves back to the first drawn line and erases everything below.
  expect(seen.at(-1)?.startsWith('\r')).toBe(true);
  expect(seen.at(-1)?.endsWith('\u001B[J')).toBe(true);
  await expect(call('bench', 'layer-odd', '--variants', 'cpu-fp64,,')).resolves.toMatchObject({ code: 2 });
});

test('validate and variants support the workload, and errors state what is allowed', async () => {
  const valid = await call('validate', 'layer-8192');
  expect(valid.stdout).toMatch(/valid; needs batch 8192, inputs 4096, outputs 4096, .*with /);
  const faulty = await call('validate', 'layer-8192', '--set', 'problem.direction=sideways');
  expect(faulty.stdout).toContain('"sideways" is not known; allowed: forward, backward or through');
  const variants = await call('variants');
  expect(variants.stdout).toContain('cuda-lt-bf16-mask');
  const refused = await call('run', 'layer-8192', '--variant', 'cpu-fp64');
  expect(refused).toMatchObject({ code: 2 });
  expect(refused.stderr).toContain('would need about 137 s on one core');
});

test('the targets of the linear layer are checked with its recorded sessions', () => {
  const entry = (label: string, time_s: number, quantities: { id: string; value: number | null }[]) => ({
    ...{ label, status: 'measured', time_s, verdict: 'same', quantities },
  });
  const session = (...entries: ReturnType<typeof entry>[]) => ({ reports: [{ entries }] });
  const sessions = new Map([
    ['layer-4096', session(entry('cuda-blocked', 3e-3, []), entry('cuda-cublas', 3e-3, [{ id: 'gemm', value: 2700 }]))],
    ['layer-8192', session(entry('cuda-lt-fp32', 5e-3, [{ id: 'epilogue', value: 1.06 }]))],
  ]);
  expect(layerTargets(sessions).map(({ measured, met }) => [measured, met])).toEqual([
    ['90.0 %', true],
    ['1.06×', false],
    [null, null],
    [null, null],
  ]);
  expect(gpuTargets(new Map()).every(({ met }) => met === null)).toBe(true);
});
