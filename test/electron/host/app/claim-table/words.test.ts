/** The text of each claim agrees with its pairs of variants and its sessions. */

import { mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { flagValue, listFlag, parseArguments, parseSweep } from '../../../../../electron/cli/arguments.ts';
import { parseOverrides, scenarioPath } from '../../../../../electron/cli/read-scenario.ts';
import { bench as benchVerb } from '../../../../../electron/cli/verbs/bench.ts';
import { formatIssue } from '../../../../../electron/contract/scenario/index.ts';
import {
  briefAnswer,
  claimedText,
  claimId,
  claimTitle,
  findingsOnSeveralMachines,
  sortByPriority,
} from '../../../../../electron/domain/claim-texts.ts';
import { claimTable, readClaimTable } from '../../../../../electron/host/app/claim-table/index.ts';
import { deriveSession, parseSession, readCurrentRules } from '../../../../../electron/host/app/sessions/index.ts';
import { loadAddon } from '../../../../../electron/host/io/addon/addon.ts';
import { readBenchmarkClaims } from '../../../../../electron/host/model/bench/claims.ts';
import { baselinesFor, readRegistry } from '../../../../../electron/host/model/external/conversation.ts';
import { hostWorkloads } from '../../../../../electron/host/workloads/index.ts';
import { scratchFolder } from '../../../../scratch-folder.ts';
import { assetsFolder, openTestScenarios, shippedVariants } from '../../small-run.ts';

const runs = path.join(assetsFolder, 'runs');
const recordedFiles = readdirSync(runs, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.json'));
const savedClaims = (file: string) => parseSession(readFileSync(path.join(runs, file), 'utf8'), file);
const claimsAbout = (workload: string, bench = '') => readBenchmarkClaims(assetsFolder, { workload, bench });
const current = await readCurrentRules(assetsFolder);
const rows = await claimTable(assetsFolder);
const row = (number: number) => {
  const found = rows.find((one) => one.row === number);
  if (found === undefined) throw new Error(`no row ${number}`);
  return found;
};

test('the naive layer is slower than the library, and the larger layer confirms its claim', async () => {
  const layer = await claimsAbout('linear-relu');
  const claim = layer.find(({ id }) => id === 'fused-naive-slower');
  expect([claim?.from, claim?.to]).toEqual([45.5, 200]);
  expect(claim?.pairs.map(({ slower, faster }) => [slower.variant, faster.variant])).toEqual([
    ['cuda-naive', 'cuda-cublas'],
  ]);
  // No claim states that a library is slower than the naive kernel.
  expect(layer.flatMap(({ pairs }) => pairs).filter(({ faster }) => faster.variant === 'cuda-naive')).toEqual([]);
  const gains = ['layer-1024', 'layer-8192'].map((name) => {
    const [report] = deriveSession(savedClaims(`linear-relu/${name}.json`), current).reports;
    const [pair] = report?.claims.find(({ id }) => id === 'fused-naive-slower')?.pairs ?? [];
    return [pair?.gain?.value.toFixed(1), pair?.verdict];
  });
  expect(gains).toEqual([
    ['26.6', 'less'],
    ['54.0', 'as claimed'],
  ]);
});

test("the fused kernel's goal of 1.1 to 1.2 times the library is a claim", async () => {
  const goal = (await claimsAbout('linear-relu')).find(({ id }) => id === 'fused-goal');
  expect([goal?.from, goal?.to]).toEqual([1.1, 1.2]);
  expect(goal?.pairs.map(({ slower }) => slower.variant)).toEqual(['cuda-cublas', 'cuda-cublas', 'torch-eager']);
});

test('no claim compares our end-to-end FP32 and FP64 images, since their read-back differs', async () => {
  const single = /^diffraction-.*(fp32|delta|naive)/;
  for (const { id, pairs } of await claimsAbout('diffraction'))
    for (const { slower, faster, rival } of pairs) {
      if (rival || (slower.clock === 'counted' && faster.clock === 'counted')) continue;
      expect(
        [slower, faster].filter(({ variant }) => single.test(variant)),
        id,
      ).toEqual([]);
    }
});

test('claims about PyTorch and the C program get no verdict from other programs', async () => {
  const claims = (await claimsAbout('diffraction')).filter(
    ({ claim }) => /\bC\b/.test(claim) && !/^Fusing/.test(claim),
  );
  expect(claims.length).toBeGreaterThanOrEqual(7);
  for (const { pairs, values, reason, id } of claims) {
    expect(pairs.length + values.length > 0, id).toBe(reason === null);
    for (const { slower, faster } of pairs)
      expect([slower.variant, faster.variant].filter((name) => !/^(nanobragg|torch-)/.test(name))).toEqual([]);
  }
});

test('the row about FP64 covers FP64, consumer GPUs and transport', () => {
  const { title, claims } = row(24);
  expect(title).toContain('consumer GPUs');
  const findings = claims.flatMap((one) => one.findings);
  expect(findings.filter(({ by }) => by.includes('double-float'))).toEqual([]);
  const transport = findings.filter(({ file }) => file.startsWith('h200-'));
  expect(transport.map(({ by, value, verdict }) => [by, value?.toFixed(2), verdict])).toContainEqual([
    'cuda-fused@fp64 → cuda-fused',
    '3.28',
    'not judged',
  ]);
  // The H200 of the sessions is not a consumer GPU.
  for (const { answer } of claims)
    expect(answer.sentence).toBe('cannot be judged here: needs a consumer GPU, which the claim is about');
});

test('every recorded sweep belongs to a row', async () => {
  const listed = (await readClaimTable(assetsFolder)).flatMap(({ sessions }) => sessions);
  const sweeps = recordedFiles.filter((file) => file.startsWith('micro/sweep-'));
  expect(sweeps.length).toBeGreaterThan(15);
  expect(sweeps.filter((file) => !listed.includes(file))).toEqual([]);
});

const claimAnswerText = (number: number, id: string, bench: string): string | undefined =>
  row(number).claims.find((one) => one.id === id && one.bench === bench)?.answer.sentence;

describe('claims measure what their notes mean', () => {
  test('a sweep gives a verdict for each part of its range', () => {
    expect(claimAnswerText(8, 'bank-conflicts', 'bank-conflicts')).toBe('true when stride is 16; 0.696–16.8× overall');
    expect(claimAnswerText(3, 'host-loop', 'host-loop')).toBe(
      'not true: 0.991–951× instead, a larger gain or a smaller gain',
    );
    expect(claimAnswerText(9, 'match', 'histogram')).toBe(
      'not true: 0.461–30.4× instead, a smaller gain or a larger gain',
    );
    expect(claimAnswerText(7, 'tiling', 'stencil-2d')).toBe('true when radius is 8 to 16; 1.02–2.2× overall');
  });

  test('fusion covers three kernels, graphs cover small ones, and one stream compared with one stream shows no overlap', () => {
    const fusing = row(1).claims.find(({ id, bench }) => id === 'kernel-fusion' && bench === 'launch');
    expect(fusing?.findings.length).toBeGreaterThan(0);
    for (const { file } of fusing?.findings ?? []) expect(file).toMatch(/launch-three\.json$/);
    const graphs = row(2).claims.flatMap(({ maps }) => maps);
    const launches = graphs.filter(({ file }) => file === 'micro/sweep-launch.json').flatMap(({ series }) => series);
    expect(launches.flatMap(({ points }) => points.map(({ at }) => at))).toEqual([100, 10_000]);
    // The cost of the call and the cost per node of one replay are separate values, so each has a curve.
    const launch = row(2).claims.find(({ id }) => id === 'graph-launch');
    expect(launch?.maps.map(({ series }) => series.map(({ by }) => by))).toEqual([
      ['cuda-graph, the call alone', 'cuda-graph, of the replay, per node'],
    ]);
    for (const { points } of launch?.maps[0]?.series ?? []) {
      expect(new Set(points.map(({ at }) => at)).size).toBe(points.length);
    }
    const streams = row(15).claims.find(({ bench }) => bench === 'overlap');
    expect(streams?.maps[0]?.series[0]?.points.map(({ at }) => at)).toEqual([2, 4, 8]);
  });

  test('every recommended block size is compared with all others', () => {
    const [blocks] = row(22).claims;
    const by = Map.groupBy(blocks?.findings ?? [], ({ file }) => file);
    for (const own of by.values()) expect(own.length % 9).toBe(0);
    const worse = by.get('micro/block-size.json')?.filter(({ verdict }) => verdict === 'less');
    expect(worse?.map((one) => one.by)).toEqual(['cuda-1024 → cuda-128']);
  });

  test('a sweep over too few threads keeps the work constant at both ends', () => {
    const idle = row(23).claims.find(({ id }) => id === 'idle');
    expect(idle?.findings.map(({ value }) => Math.round(value ?? 0))).toEqual(
      // Measured values of the sweeps on an H200 and on an H100.
      [23, 20181, 21, 18162],
    );
  });

  test('claims about one size are judged at the sweep points with that size', () => {
    for (const [side, at] of [
      [256, 256],
      [2048, 2048],
    ] as const) {
      const findings = row(31).claims.find(({ id }) => id === `c-over-gpu-${side}`)?.findings ?? [];
      expect(findings.length).toBeGreaterThan(0);
      for (const one of findings) expect(one.at).toBe(at);
    }
    // The claim of 11.5× is about a first run, the claim of 2.8× about a later one.
    const filesOf = (id: string): readonly string[] =>
      row(31)
        .claims.find((one) => one.id === id)
        ?.findings.flatMap(({ value, file }) => (value === null ? [] : [file])) ?? [];
    expect(filesOf('c-over-gpu-warm-1024')).toContain('diffraction/h200-programs-1024.json');
    expect([...new Set(filesOf('c-over-gpu-1024'))]).toEqual(['diffraction/h200-sweep-first-runs.json']);
    expect(claimAnswerText(31, 'c-over-gpu-1024', '')).toBe('not true: 2.47–2.72× instead, a smaller gain');
    expect(claimAnswerText(31, 'c-over-gpu-warm-1024', '')).toBe('not true: 0.238–0.28× instead, the opposite');
  });

  test('claims about CuPy, PyTorch or the C program are judged with these programs, or report that they are needed', () => {
    expect(claimAnswerText(1, 'launch-cost', 'launch')).toMatch(/^true when the variant is cupy-expert/);
    // Each sentence of the source note is a separate claim about the program that it names.
    expect(row(20).claims.map(({ workload, id }) => [workload, id])).toEqual([['diffraction', 'cold-start']]);
    // PyTorch in FP32 is wrong by this program's limit. It is correct by the limit of the source note, which covers
    // only 1024².
    expect(claimAnswerText(29, 'fp64-as-fast', '')).toMatch(
      /^not measured precisely enough yet: .* measured, 0\.99–1\.01× claimed$/,
    );
    const by = row(25).claims.flatMap(({ findings }) => findings.map((one) => one.by));
    expect(by).toContain('cupy-array → cuda-graph');
    expect(by.join()).not.toContain('window');
  });

  test('a bandwidth is reported in bytes, next to the copy bandwidth', () => {
    const bandwidths = row(6).claims.flatMap(({ findings }) => findings);
    expect(bandwidths.length).toBeGreaterThan(8);
    for (const { unit } of bandwidths) expect(['GB/s', '×']).toContain(unit);
    const dram = row(6).claims.find(({ id }) => id === 'dram');
    // The memory bandwidth of an H200 is at most 4.8 TB/s.
    for (const { value, machine } of dram?.findings ?? [])
      if (machine === 'NVIDIA H200') expect(value).toBeGreaterThan(3500);
  });

  test('a single repetition is reported and not judged', () => {
    // The sweep on the H200 ended with one repetition at its two largest sizes.
    const swept = row(13)
      .claims.flatMap(({ findings }) => findings)
      .filter(({ file }) => file === 'micro/sweep-unrolling.json');
    // Two kernels, unrolled by 4 and by 8.
    const judgedAt = (factor: number) =>
      swept.filter(({ at }) => at === factor).map(({ verdict, value }) => [verdict !== 'not judged', value !== null]);
    expect(judgedAt(1024)).toEqual(Array(2).fill([false, true]));
    expect(judgedAt(16)).toEqual(Array(2).fill([true, true]));
  });

  test('code that the notes call wrong is wrong: a kernel that ignores strides, and one without a bounds check', () => {
    expect(claimAnswerText(18, 'views', 'views')).toBe('true: 1.07');
    expect(claimAnswerText(21, 'check', 'bounds')).toBe('true: 61');
  });

  test('costs are compared as costs, shares are in per cent, and the pair named in the note counts', () => {
    expect(claimAnswerText(26, 'fused-naive-measured', '')).toMatch(/a larger cost$/);
    expect(claimAnswerText(31, 'c-over-gpu-total-256', '')).toMatch(/^not true: .*a smaller cost$/);
    expect(claimAnswerText(26, 'memory-bound', '')).toBe('not true: 5.15–7.29 % instead, less than claimed');
    // Three launches from Python compared with one kernel in C++, as in the source note.
    expect(claimAnswerText(1, 'kernel-fusion', 'launch')).toMatch(/^true when the pair is cupy-expert → cuda-fused;/);
    // The removal of a cleared buffer is measured, so the claim has a number and an answer.
    expect(claimAnswerText(28, 'zeros-like', '')).toBe('not true: 1.03–1.04× instead, a smaller gain');
    // A CSR matrix that the host builds does not count as a custom kernel.
    const odd = row(16).claims.find(({ bench }) => bench === 'changing-pattern');
    expect([...new Set(odd?.findings.map(({ by }) => by))]).toEqual(['cuda-csr → cuda-list']);
  });

  test('errors of the notes are reported', () => {
    const remarks = rows.flatMap(({ claims }) => claims.map(({ remark }) => remark ?? '')).join(' ');
    for (const told of ['36 million', '3.3 GFLOP', 'at most 3×', 'cusparseSpMV', '37× at 1024²'])
      expect(remarks).toContain(told);
  });
});

describe('recorded sessions', () => {
  test('state in plain words, instead of a driver error, that a graph cannot be captured again', () => {
    const named = recordedFiles.filter((file) =>
      readFileSync(path.join(runs, file), 'utf8').includes('CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED'),
    );
    expect(named).not.toEqual([]);
    for (const file of named) {
      const [report] = deriveSession(savedClaims(file), current).reports;
      const graph = report?.entries.find(({ label }) => label === 'cuda-graph');
      const reasons = graph?.status === 'measured' ? graph.modes.map(({ mode, reason }) => [mode, reason]) : [];
      expect(reasons, file).toContainEqual(['graph', 'it is already a graph']);
      expect(JSON.stringify(report), file).not.toContain('CAPTURE_UNSUPPORTED');
    }
  });

  test("have the current claims, whatever their files contain, and the ladder begins with the note's four priorities", () => {
    const file = 'transport/h100-uniform-grid-70MeV.json';
    expect(savedClaims(file).reports[0]?.claims.some(({ priority }) => priority !== undefined)).toBe(false);
    const claims = deriveSession(savedClaims(file), current).reports[0]?.claims ?? [];
    const rungs = sortByPriority(claims).filter(({ priority }) => priority !== undefined);
    expect(rungs.map((one) => [claimTitle(one), claimedText(one)])).toEqual([
      ['Priority 1: Kernel fusion in a beam', '3–12×'],
      ['Priority 2: Coalesced access to a beam’s cells', '2–10×'],
      ['Priority 2: Tiling of a beam’s cells', '2–10×'],
      ['Priority 2: Shared-memory tiling of a beam’s cells', '10–50×'],
      ['Priority 3: Warp-level reduction of dose', '3–10×'],
      ['Priority 3: Fewer atomics in a beam', '5–30×'],
      ['Priority 4: CUDA graphs of a beam’s launches', '10–50×'],
    ]);
    // Coalescing alone was measured in another session.
    const unmeasured = rungs.filter(({ pairs }) => pairs.every(({ gain }) => gain === null)).map(({ id }) => id);
    expect(unmeasured).toEqual(['coalescing']);
    const counters = deriveSession(savedClaims('transport/h200-counters-uniform-grid-70MeV.json'), current).reports[0];
    expect(counters?.claims.find(({ id }) => id === 'coalescing')?.pairs[0]?.gain?.value).toBeCloseTo(1.43, 2);
  });

  test('state in their names that they were changed by --set', () => {
    for (const file of recordedFiles) {
      const { command, reports } = savedClaims(file);
      for (const [, at, value] of command.matchAll(/--set (\S+?)=(\S+)/g))
        for (const { scenario } of reports) expect(scenario, file).toContain(`${at} = ${value}`);
    }
    expect(savedClaims('h200-dense-144M.json').reports[0]?.scenario).toContain('geometry.width_mm = 200');
  });
});

describe('counts stated in the note about the layer', () => {
  const claim = (id: string) => row(26).claims.find((one) => one.id === id);
  /** Findings on the H200, without those of the sweep over batch sizes, which measures the same layer at one point. */
  const findings = (id: string) =>
    claim(id)?.findings.filter(
      ({ machine, file }) => machine === 'NVIDIA H200' && file !== 'linear-relu/sweep-batch.json',
    ) ?? [];
  const found = (id: string) => findings(id).map(({ value, verdict }) => [Number(value?.toPrecision(3)), verdict]);

  test('follow exactly from the sizes: bytes, and the saving of the second version', () => {
    const bytes = (outputs: number) => 4 * (1024 * 784 + 784 * 2048 + outputs * 1024 * 2048);
    expect(findings('layer-bytes').map(({ value }) => value)).toEqual([bytes(1) / 1e6]);
    expect(found('layer-bytes')).toEqual([[18, 'as claimed']]);
    expect(found('unfused-bytes')).toEqual([[34.8, 'as claimed']]);
    expect(found('traffic-saved')).toEqual([
      [Number((100 * (1 - bytes(1) / bytes(3))).toPrecision(3)), 'as claimed'],
      [0, 'less'],
    ]);
    for (const { findings } of [claim('layer-bytes'), claim('traffic-saved')].flatMap((one) => one ?? [])) {
      for (const { interval, value, counted } of findings) {
        expect([interval?.low, interval?.high, counted]).toEqual([value, value, true]);
      }
    }
    // Byte counts do not depend on a GPU.
    expect(claim('layer-bytes')?.cards).toEqual([]);
  });

  test("give rates that equal operations divided by the session's times", () => {
    expect(found('naive-rate')).toEqual([[1500, 'more']]);
    expect(findings('library-rate').map(({ verdict }) => verdict)).toEqual(['more', 'more']);
    expect(findings('traffic-rate').map(({ verdict }) => verdict)).toEqual(['less']);
    expect(claim('naive-rate')?.cards.map(({ machine, answer }) => [machine, answer.sentence])).toContainEqual([
      'NVIDIA H200',
      'not true: 1500 GFLOP/s instead, more than claimed',
    ]);
  });

  test('also appear in a session', () => {
    const [report] = deriveSession(savedClaims('linear-relu/layer-1024.json'), current).reports;
    const values = report?.claims.find(({ id }) => id === 'layer-bytes')?.values;
    expect(values?.map(({ variant, unit, verdict }) => [variant, unit, verdict])).toEqual([
      ['counted', 'MB', 'as claimed'],
    ]);
    // The claim is about the forward pass only.
    const [back] = deriveSession(savedClaims('linear-relu/layer-1024-backward.json'), current).reports;
    expect(back?.claims.some(({ id }) => id === 'layer-bytes')).toBe(false);
  });
});

describe('the same problem on two GPUs', () => {
  const cards = (number: number, id: string) => row(number).claims.find((one) => one.id === id)?.cards ?? [];

  test('has fusion and graphs of the beam measured on both', () => {
    for (const [number, id] of [
      [1, 'kernel-fusion'],
      [2, 'cuda-graphs'],
    ] as const) {
      const transport = row(number).claims.find((one) => one.id === id && one.workload === 'transport');
      expect(transport?.cards.map(({ machine }) => machine)).toEqual(['NVIDIA H100 80GB HBM3', 'NVIDIA H200']);
    }
  });

  test('has a separate result for each GPU', () => {
    expect(cards(8, row(8).claims[0]?.id ?? '').map(({ machine }) => machine)).toContain('NVIDIA H200');
    const several = findingsOnSeveralMachines(rows);
    expect(several.length).toBeGreaterThanOrEqual(20);
    for (const { found, holds } of several) {
      expect(new Set(found.map(({ machine }) => machine)).size).toBe(found.length);
      const verdicts = found.map(({ verdict }) => verdict);
      if (holds === 'same verdict') expect(new Set(verdicts).size).toBe(1);
      if (holds === 'different verdicts') expect(new Set(verdicts).size).toBeGreaterThan(1);
    }
  });
});

describe('an undecided claim and the command that measures it', async () => {
  // Copy all shipped files except the recordings: no claim has an answer yet.
  const unrecorded = path.join(scratchFolder('claims-unrecorded'), 'assets');
  mkdirSync(unrecorded, { recursive: true });
  for (const name of readdirSync(assetsFolder))
    if (name !== 'runs') symlinkSync(path.join(assetsFolder, name), path.join(unrecorded, name));
  const waiting = await claimTable(unrecorded);
  const commandOf = (number: number, id: string, workload = 'micro'): string | null | undefined =>
    waiting.find((one) => one.row === number)?.claims.find((one) => one.id === id && one.workload === workload)?.answer
      .command;
  const bench = 'npx braggbench bench';

  test('name the scenario of the claimed size, its variants and its programs', () => {
    expect(commandOf(1, 'launch-cost')).toBe(
      `${bench} launch-small --variants cuda-launches,cuda-synchronised --external cupy-expert,cupy-jit,cupy-kernels,cupy`,
    );
    expect(commandOf(1, 'three-launches')).toMatch(/^npx braggbench bench launch-three /);
    expect(commandOf(4, 'coalescing', 'transport')).toBe(
      `${bench} uniform-grid-70MeV --variants cuda-uncoalesced,cuda-gather`,
    );
  });

  test('include processes, the image size and the file of a user program', () => {
    const more = '--external torch-image,nanobragg=NANOBRAGG,torch-image-fp32 --processes 6 --time 5m';
    expect(commandOf(31, 'c-over-gpu-256', 'diffraction')).toBe(`${bench} simple-cubic-256 ${more}`);
    const sized = '--set detector.width=2048 --set detector.height=2048';
    expect(commandOf(31, 'c-over-gpu-2048', 'diffraction')).toMatch(new RegExp(`${sized} ${more}$`));
  });

  test('quote configurations, since shells treat brackets as patterns', () => {
    expect(commandOf(11, 'fma', 'transport')).toBe(
      `${bench} uniform-grid-70MeV --variants "cuda-gather[fmad=0],cuda-gather[fmad=1],cuda-tiled[fmad=0],cuda-tiled[fmad=1]"`,
    );
  });

  test('exist for every open claim that another program decides', () => {
    const open = waiting
      .flatMap(({ claims }) => claims)
      .filter(
        ({ answer, reason, needs }) => answer.word === 'cannot-judge' && reason === null && !/GPU/.test(needs ?? ''),
      );
    expect(open.length).toBeGreaterThan(5);
    for (const { id, answer } of open) if (id !== 'operators') expect(answer.command, id).toContain('--external');
  });

  const addon = loadAddon();
  const scenarios = await openTestScenarios(addon, 128 * 2 ** 30);
  const registry = await readRegistry(assetsFolder);
  const commands = waiting.flatMap(({ claims }) =>
    claims.flatMap((claim) => (claim.answer.command === null ? [] : [[claimId(claim), claim.answer.command] as const])),
  );

  test('are accepted by the command line, including every variant and program', async () => {
    expect(commands.length).toBeGreaterThan(120);
    for (const [id, command] of commands) {
      const [npx, program, verb, ...words] = command.split(' ');
      expect([npx, program], id).toEqual(['npx', 'braggbench']);
      if (verb === 'trace') continue;
      expect(verb, id).toBe('bench');
      const parsed = parseArguments(
        words.map((word) => word.replaceAll('"', '')),
        benchVerb.flags,
      );
      const sweep = flagValue(parsed, 'sweep');
      for (const more of sweep === undefined ? [[]] : parseSweep(sweep).overrides) {
        const file = scenarioPath(parsed.operands[0] ?? '');
        const reading = await scenarios.any.read(file, { overrides: [...parseOverrides(parsed), ...more] });
        expect(reading.issues.filter(({ severity }) => severity === 'error').map(formatIssue), command).toEqual([]);
        if (reading.kind === null) throw new Error(`${id}: no scenario`);
        const { benchable } = hostWorkloads[reading.kind];
        benchable.check(addon, benchable.problem(reading), shippedVariants(listFlag(parsed, 'variants') ?? []));
        const { kind, problem = {} } = JSON.parse(readFileSync(file, 'utf8')) as {
          kind?: string;
          problem?: { kind?: string };
        };
        const about = { workload: kind ?? 'transport', bench: kind === 'micro' ? (problem.kind ?? '') : '' };
        const solving = baselinesFor(registry, about).map((one) => one.id);
        const programs = (listFlag(parsed, 'external') ?? []).map((one) => one.split('=')[0]);
        expect(solving, command).toEqual(expect.arrayContaining(programs));
      }
    }
  });
});

test('the short answer contains number and claim once, with their unit', () => {
  const said = (word: 'not-true' | 'true-when' | 'cannot-judge', sentence: string, number: string, unit: string) =>
    briefAnswer({ from: 10, to: 20, reason: null, unit, answer: { word, sentence, number, command: null } });
  expect(said('not-true', 'not true: 41–44 cycles instead, a larger cost', '41–44 cycles', 'cycles')).toBe(
    'not true: 41–44, not 10–20 cycles',
  );
  expect(said('not-true', 'not true: 2× instead, a smaller gain', '2×', '×')).toBe('not true: 2×, not 10–20×');
  expect(said('true-when', 'true when n is 4; 1–20× overall', '12×', '×')).toBe('true when n is 4');
  expect(said('cannot-judge', 'cannot be judged here: needs a GPU', '', '×')).toBe('cannot be judged here');
});
