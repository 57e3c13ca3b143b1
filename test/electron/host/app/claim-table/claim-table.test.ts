/**
 * The table of published claims is complete: every row can run and has its claims, and its recorded sessions are read.
 * Each claim has a map over the parameters that it depends on, from a sweep of its row by `npm run bench -- gpu`. A
 * claim has exactly one answer.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path, { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { GPU_SESSIONS } from '../../../../../electron/build/bench/gpu-sessions.mjs';
import { flagValue, listFlag, parseArguments } from '../../../../../electron/cli/arguments.ts';
import { scenarioPath } from '../../../../../electron/cli/read-scenario.ts';
import { bench } from '../../../../../electron/cli/verbs/bench.ts';
import type { ClaimFinding, ClaimMap } from '../../../../../electron/contract/bench/claim-table.ts';
import { recordingsOnOtherGpus } from '../../../../../electron/contract/bench/recorded-names.mjs';
import { formatIssue } from '../../../../../electron/contract/scenario/index.ts';
import {
  type AnsweredClaim,
  answerOf,
  valueText,
  verdictRangesText,
} from '../../../../../electron/host/app/claim-table/answer.ts';
import { claimTable, partsOf, readClaimTable } from '../../../../../electron/host/app/claim-table/index.ts';
import { loadAddon } from '../../../../../electron/host/io/addon/addon.ts';
import {
  type Claim,
  readBenchmarkClaims as claimsReadClaimsOf,
  readClaimCatalogue,
  readTaskClaims,
} from '../../../../../electron/host/model/bench/claims.ts';
import { baselinesFor, readRegistry } from '../../../../../electron/host/model/external/conversation.ts';
import {
  problemOf,
  type ScenarioReading,
  type TaskReading,
} from '../../../../../electron/host/workloads/scenarios/scenarios.ts';
import { parseTaskSession } from '../../../../../electron/host/workloads/task/index.ts';
import { assetsFolder, openTestScenarios } from '../../small-run.ts';

describe('answers about claims', () => {
  test('sweep values are printed with thousands separators, and bytes with a unit', () => {
    expect([4, 10_000, 65_536, 0.5].map((value) => valueText(value, 'problem.n'))).toEqual([
      '4',
      '10 k',
      '65.54 k',
      '0.5',
    ]);
    expect([64_000, 4_000_000, 1e9].map((value) => valueText(value, 'problem.footprint_bytes'))).toEqual([
      '64 kB',
      '4 MB',
      '1 GB',
    ]);
  });

  test('neighbouring values with the same verdict are grouped, in ascending order', () => {
    const at = (verdict: string, ...values: number[]) => values.map((value) => ({ at: value, verdict }));
    const path = 'problem.footprint_bytes';
    expect(
      verdictRangesText([...at('more', 8e6), ...at('as claimed', 64_000, 1e6, 4e6), ...at('less', 1000)], path),
    ).toBe('less at 1 kB; as claimed from 64 kB to 4 MB; more at 8 MB');
    // A verdict that recurs after another one is listed again.
    expect(verdictRangesText([...at('less', 1000, 4000), ...at('more', 2000)], path)).toBe(
      'less at 1 kB; more at 2 kB; less at 4 kB',
    );
  });

  const finding = (verdict: string, value: number | null, more: Partial<ClaimFinding> = {}): ClaimFinding => ({
    ...{ session: 'recorded~s.json', file: 's.json', report: 0, scenario: 'Sum', machine: 'A', by: 'a → b', what: '' },
    ...{ value, interval: null, unit: '×', verdict, at: null, ...more },
  });
  const claim: AnsweredClaim = {
    ...{
      reason: null,
      kind: 'gain',
      from: 2,
      to: 10,
      tolerance: undefined,
      maps: [],
      findings: [],
      command: 'bench s',
    },
  };
  const sentence = (more: Partial<AnsweredClaim>): string => answerOf({ ...claim, ...more }).sentence;

  test('a claim confirmed by every decided measurement is true, and one confirmed by none is not', () => {
    const good = finding('as claimed', 3);
    expect(answerOf({ ...claim, findings: [good, finding('as claimed', 4.561), finding('undecided', 9.9)] })).toEqual({
      ...{ word: 'true', sentence: 'true: 3–4.56×', number: '3–4.56×', command: null },
    });
    const less = [finding('less', 1.5), finding('less', 1.2)];
    expect(sentence({ findings: less })).toBe('not true: 1.2–1.5× instead, a smaller gain');
    const more = [finding('more', 30, { unit: 'cycles' })];
    expect(sentence({ kind: 'cost', findings: more })).toBe('not true: 30 cycles instead, a larger cost');
    expect(sentence({ findings: more.map((one) => ({ ...one, unit: '×' })) })).toBe(
      'not true: 30× instead, a larger gain',
    );
  });

  test('a claimed gain that is a loss in every measurement is reported as reversed', () => {
    const loss = finding('less', 0.37, { unit: '×', interval: { low: 0.3, high: 0.4 } });
    expect(sentence({ findings: [loss] })).toBe('not true: 0.37× instead, the opposite');
    expect(sentence({ kind: 'yes-no', findings: [loss] })).toBe('not true: 0.37× instead, the claim does not hold');
    const none = finding('less', 0.99, { unit: '×', interval: { low: 0.97, high: 1.01 } });
    expect(sentence({ findings: [loss, none] })).toBe('not true: 0.37–0.99× instead, a smaller gain');
  });

  test('measurements with a wrong answer are ignored', () => {
    const wrong = finding('as claimed, with a wrong result', 5);
    expect(sentence({ findings: [wrong] })).toBe(
      'cannot be judged here: the variant that tests this claim gives a wrong result',
    );
    expect(sentence({ findings: [wrong, finding('less', 1.5)] })).toBe('not true: 1.5× instead, a smaller gain');
  });

  test('only measurements at the size stated in the note decide', () => {
    const findings = [finding('as claimed', 3), finding('less', 1.1, { atNote: true })];
    expect(sentence({ findings })).toBe('not true: 1.1× instead, a smaller gain');
  });

  test('a claim about another program is judged only with that program', () => {
    const findings = [finding('as claimed', 3)];
    const needs = 'PyTorch';
    expect(answerOf({ ...claim, needs, findings })).toEqual({
      ...{ word: 'cannot-judge', sentence: 'cannot be judged here: needs PyTorch', number: '', command: 'bench s' },
    });
    const rival = finding('less', 1.5, { rival: true });
    expect(sentence({ needs, findings: [...findings, rival] })).toBe('not true: 1.5× instead, a smaller gain');
    expect(sentence({ reason: 'No pair.', findings })).toBe('cannot be judged here: No pair.');
  });

  test('an open claim names the command that decides it', () => {
    expect(answerOf(claim)).toMatchObject({ word: 'not-measured', sentence: 'not measured yet', command: 'bench s' });
    expect(sentence({ findings: [finding('undecided', 1.9)] })).toBe(
      'not measured precisely enough yet: 1.9× measured, 2–10× claimed',
    );
  });

  test('a claim that holds in part of a sweep names that part, and pair and machine if they differ', () => {
    const points = [1, 2, 4].map((at) => ({ at, value: at, interval: null, verdict: at < 2 ? 'less' : 'as claimed' }));
    const map = (machine: string, ...by: readonly string[]): ClaimMap => ({
      ...{ session: 's', file: 's.json', scenario: 's', path: 'grid.dx_mm', machine },
      series: by.map((name) => ({ by: name, unit: '×', points, told: '' })),
    });
    const findings = [finding('less', 1), finding('as claimed', 2), finding('as claimed', 4, { by: 'c → d' })];
    const line = (...maps: readonly ClaimMap[]): string => sentence({ findings, maps });
    expect(line(map('A', 'a → b'))).toBe('true when dx is 2 to 4 mm; 1–4× overall');
    expect(line(map('A', 'a → b'), map('B', 'a → b'))).toBe('true when dx is 2 to 4 mm; 1–4× overall');
    expect(line(map('A', 'a → b', 'c → d'))).toBe(
      'true when dx is 2 to 4 mm (a → b); or dx is 2 to 4 mm (c → d); 1–4× overall',
    );
    expect(line(map('A', 'a → b'), { ...map('B'), series: [] })).toBe('true when dx is 2 to 4 mm (on A); 1–4× overall');
    const bytes = { ...map('A', 'a → b'), path: 'problem.footprint_bytes' };
    expect(line(bytes)).toBe('true when footprint is 2 B to 4 B; 1–4× overall');
    // Without a sweep, the answer names the pair for which the claim is true.
    expect(line()).toBe('true when the pair is c → d; 1–4× overall');
  });

  test('without a sweep, a claim holds for a pair, a number of a variant, a problem, a machine, or some of these', () => {
    const [good, bad] = [finding('as claimed', 3), finding('less', 1)];
    const when = (...more: readonly Partial<ClaimFinding>[]): string =>
      sentence({ findings: [bad, ...more.map((one) => ({ ...good, ...one }))] });
    expect(when({ by: 'cupy' }, { by: 'numba' }, { by: 'torch' })).toBe(
      'true when the variant is cupy or numba or 1 more; 1–3× overall',
    );
    expect(when({ scenario: 'Dense' })).toBe('true when the problem is Dense; 1–3× overall');
    expect(when({ machine: 'B' })).toBe('true when measured on B; 1–3× overall');
    const mixed = [finding('less', 1, { scenario: 'Dense' }), finding('less', 1, { by: 'c → d' })];
    expect(sentence({ findings: [...mixed, finding('as claimed', 3, { by: 'c → d', scenario: 'Dense' }), bad] })).toBe(
      'true when the pair is c → d on Dense; 1–3× overall',
    );
    expect(when({ file: 't.json' })).toBe('true when recorded in t.json; 1–3× overall');
  });
});

describe('the table of claims', async () => {
  const addon = loadAddon();
  const rows = await readClaimTable(assetsFolder);
  const scenarios = await openTestScenarios(addon);
  const benches = Map.groupBy(addon.taskVariants('micro'), ({ bench }) => bench);

  async function readMicroScenario(file: string): Promise<TaskReading | null> {
    const reading: ScenarioReading = await scenarios.any.read(join(assetsFolder, 'scenarios', file));
    expect(reading.issues.filter(({ severity }) => severity === 'error').map(formatIssue)).toEqual([]);
    return reading.kind === 'micro' ? reading : null;
  }

  test('has the rows 1 to 32, and includes all scenarios of small workloads', () => {
    expect(rows.map(({ row }) => row)).toEqual(Array.from({ length: 32 }, (_, i) => i + 1));
    const all = rows.flatMap((row) => row.scenarios).filter((file) => file.startsWith('micro/'));
    const listed = [...new Set(all)];
    const shipped = readdirSync(join(assetsFolder, 'scenarios/micro')).map((file) => `micro/${file}`);
    expect(listed.toSorted()).toEqual(shipped.toSorted());
  });

  const registry = await readRegistry(assetsFolder);

  test('has a scenario for every benchmark of the engine, and every claim names variants of its benchmark', async () => {
    const seen = new Set<string>();
    for (const file of new Set(rows.flatMap((row) => row.scenarios))) {
      const reading = await readMicroScenario(file);
      if (reading === null) continue;
      const problem = problemOf(reading);
      seen.add(problem.bench);
      const variants = benches.get(problem.bench)?.map(({ id }) => id) ?? [];
      const programs = baselinesFor(registry, { workload: 'micro', bench: problem.bench }).map(({ id }) => id);
      const known = [...variants, ...programs];
      expect(variants.length, file).toBeGreaterThanOrEqual(2);
      const claims = await readTaskClaims(assetsFolder, problem);
      // Claims about launches are decided by microseconds, so they do not apply to longer kernels. The claim about cold
      // starts is about PyTorch's end-to-end runs, not about one kernel.
      const none = ['micro/launch.json', 'micro/cold-start.json'].includes(file);
      expect(claims.length, file).toBeGreaterThanOrEqual(none ? 0 : 1);
      for (const { pairs, values, across, reason, from, to, about } of claims) {
        const named = [
          ...pairs.flatMap(({ slower, faster }) => [slower.variant, faster.variant]),
          ...values.flatMap(({ variant, over }) => (over === undefined ? [variant] : [variant, over])),
          ...across.map(({ variant }) => variant),
        ];
        expect(known).toEqual(expect.arrayContaining(named));
        expect(named.length === 0).toBe(reason !== null);
        expect(from).toBeLessThanOrEqual(to ?? Number.POSITIVE_INFINITY);
        if (reason === null) expect(about?.what ?? '', file).not.toBe('');
      }
    }
    expect([...seen].toSorted()).toEqual([...benches.keys()].toSorted());
  });

  describe('conditions of claims', () => {
    const about = { workload: 'micro', bench: 'coalescing', words: { order: 'forward' } };
    const ids = async (numbers: Record<string, number>, words: Record<string, string> = about.words) =>
      (await readTaskClaims(assetsFolder, { ...about, numbers, words })).map(({ id }) => id);

    test('match a numeric range, and a word', async () => {
      expect(await ids({ stride: 1, element_bytes: 4 })).toEqual(['coalescing']);
      expect(await ids({ stride: 2, element_bytes: 4 })).toEqual(['coalescing']);
      expect(await ids({ stride: 32, element_bytes: 4 })).toEqual(['coalescing', 'uncoalesced']);
      expect(await ids({ stride: 1, element_bytes: 4 }, { order: 'random' })).toEqual(['random', 'uncached']);
      expect(await ids({})).toEqual(['coalescing']);
    });
  });

  describe('an error in a row is reported with its path, value and what is allowed', () => {
    const cases: readonly (readonly [object, string])[] = [
      [{ kind: 'coalescing', stride: 65 }, 'problem.stride: 65 is too large; allowed: a whole number, 1 to 64'],
      [{ kind: 'coalescing', element_bytes: 5 }, 'problem.element_bytes: 5'],
      [{ kind: 'histogram', bins: 0 }, 'problem.bins: 0 is too small; allowed: a whole number, 1 to 1e7'],
      [{ kind: 'histogram', distribution: 'normal' }, 'problem.distribution: "normal"'],
      [{ kind: 'few-threads', threads: 1.5 }, 'problem.threads: 1.5'],
      [{ kind: 'compaction', kept: 2 }, 'problem.kept: 2 is too large; allowed: 0 to 1'],
      [{ kind: 'spmv', matrix: 'pentadiagonal' }, 'problem.matrix: "pentadiagonal"'],
      [{ kind: 'spmv', row: 5 }, 'problem.row'],
      [{ kind: 'lunch' }, 'problem.kind: "lunch" is not known (did you mean launch?)'],
    ];
    test.each(cases)('%j', async (problem, wanted) => {
      const text = JSON.stringify({ kind: 'micro', version: 1, problem });
      const reading = await scenarios.any.parse(text, { name: 's', folder: null });
      expect(reading.issues.map(formatIssue).join('\n')).toContain(wanted);
    });
  });

  /** Variants that must be wrong: they ignore strides of a view, or have fewer digits than FP32. */
  const WRONG: Readonly<Record<string, readonly string[]>> = {
    'micro/views.json': ['cpu-ignored', 'cuda-ignored'],
    'micro/scattering.json': ['cuda-tf32', 'cuda-bf16'],
  };

  test('recordings come from an H200 or an H100, belong to a row, and are wrong only where the row expects it', () => {
    const recorded = readdirSync(join(assetsFolder, 'runs/micro')).map((file) => `micro/${file}`);
    const listed = rows.flatMap((row) => row.sessions.flatMap((file) => [file, ...recordingsOnOtherGpus(file)]));
    expect(recorded.length).toBeGreaterThanOrEqual(25);
    for (const session of recorded.filter((file) => !/^micro\/(h[12]00-)?sweep-/.test(file))) {
      expect(listed).toContain(session);
      const path = join(assetsFolder, 'runs', session);
      expect(statSync(path).size).toBeLessThan(200_000);
      const [report] = parseTaskSession(readFileSync(path, 'utf8'), session).reports;
      expect(report?.machine.gpu?.name).toMatch(/^NVIDIA (H200|H100 80GB HBM3)$/);
      const measured = report?.entries.filter((entry) => entry.status === 'measured') ?? [];
      expect(measured.length, session).toBeGreaterThanOrEqual(2);
      const wrong = measured.filter(({ verdict }) => verdict === 'wrong').map(({ label }) => label);
      expect(wrong).toEqual(WRONG[session.replace(/\/h[12]00-/, '/')] ?? []);
    }
  });

  /** The table over all recorded sessions, computed once because it needs a second. */
  let made: ReturnType<typeof claimTable> | null = null;
  const tableOnce = (): ReturnType<typeof claimTable> => {
    made ??= claimTable(assetsFolder);
    return made;
  };

  test('the row about all optimisations together is judged by the recorded transport sessions', async () => {
    const last = (await tableOnce()).find(({ row }) => row === 25);
    const findings = last?.claims.flatMap((claim) => claim.findings).filter(({ value }) => value !== null) ?? [];
    expect(findings.length).toBeGreaterThanOrEqual(3);
    for (const { session, file, value, verdict } of findings) {
      expect(session).toBe(`recorded~${file}`);
      expect(file).toMatch(/^(h200-|transport\/h[12]00-)/);
      expect(value).toBeGreaterThan(0);
      // Smatrix_2D provides no dose map, so its dose is not checked.
      const unchecked = file?.includes('smatrix') ? ['not judged, result not checked'] : [];
      expect(['as claimed', 'less', 'more', ...unchecked]).toContain(verdict);
    }
  });

  test('every claim belongs to one row, and its text is unique and short', async () => {
    const inRows = rows.flatMap((row) =>
      partsOf(row).flatMap(({ workload, bench, ids }) =>
        ids.map((id) => `${bench === '' ? workload : `${workload}/${bench}`} ${id}`),
      ),
    );
    const catalogue = Object.entries(await readClaimCatalogue(assetsFolder));
    const known = catalogue.flatMap(([about, claims]) => claims.map(({ id }) => `${about} ${id}`));
    expect(inRows.toSorted()).toEqual(known.toSorted());
    const words = catalogue.flatMap(([, claims]) => claims.map((one) => one.claim));
    expect(words.filter((one, i) => words.indexOf(one) !== i)).toEqual([]);
    expect(words.filter((one) => one.length > 45)).toEqual([]);
  });

  test('bandwidths are those of all rounds, as in the report, not of a single launch', async () => {
    const session = parseTaskSession(
      readFileSync(join(assetsFolder, 'runs/micro/bandwidth.json'), 'utf8'),
      'bandwidth',
    );
    const entry = session.reports[0]?.entries.find(({ label }) => label === 'cuda-shared');
    if (entry?.status !== 'measured') throw new Error('it was measured');
    const claim = (await tableOnce())
      .flatMap(({ claims }) => claims)
      .find(({ id, bench }) => bench === 'bandwidth' && id === 'shared');
    const found = claim?.findings.find(({ file }) => file === 'micro/bandwidth.json');
    expect(found?.value).toBeCloseTo((10 * 12 * 64e6) / entry.time_s / 1e9, 6);
  });
});

describe('maps of claims', () => {
  /** Claims without a size parameter, or about a program that is installed separately. */
  const WITHOUT: Readonly<Record<string, string>> = {
    'micro/instruction-latency shuffle-latency': 'an instruction has no size',
    'micro/instruction-latency atomic-latency': 'an instruction has no size',
    'micro/instruction-latency add-latency': 'an instruction has no size',
    'micro/launch cupy-graphs': 'a graph can be captured or not',
    'transport interpreter': 'the triple loop takes minutes on finer grids',
    'diffraction autotuning': 'max-autotune compiles for half a minute at each size',
    'diffraction graph-caching': 'compiling does not depend on the size of the image',
    'diffraction c-over-gpu-total-1024': 'said of about 1024²; needs the C program of the user',
    'micro/bounds check': 'a last block is full or not',
    'micro/views views': 'strides are ignored at every size',
    'linear-relu graph-replay': 'three layers have sessions of their own',
    'linear-relu tensor-cores': 'three layers have sessions of their own',
    'linear-relu zeros-like': 'two layers have sessions of their own',
    'diffraction graph-replay': 'one crystal, and one of 100 orientations',
    'diffraction shared-memory': 'one crystal, and one of 100 orientations',
    'diffraction warp-reduction': 'one crystal, and one of 100 orientations',
    'diffraction double-float': 'one crystal, and one of 100 orientations',
    'diffraction operators': 'needs a profile of PyTorch',
    'diffraction c-over-gpu-warm-1024': 'said of about 1024²; needs the C program of the user',
    'diffraction c-over-gpu-1024': 'said of about 1024²; needs the C program of the user',
    'diffraction gpu-over-c': 'needs the C program of the user',
    'diffraction stages-on-cpu': 'needs the C program of the user',
  };

  interface Sweep {
    readonly file: string;
    readonly place: string;
    readonly labels: readonly string[];
  }

  const SWEEPS = GPU_SESSIONS.flatMap(({ file, words }): Sweep[] => {
    const parsed = parseArguments(words.slice(1), bench.flags);
    if (flagValue(parsed, 'sweep') === undefined) return [];
    const document = JSON.parse(readFileSync(scenarioPath(parsed.operands[0] ?? ''), 'utf8'));
    const place = [document.kind, ...(document.kind === 'micro' ? [document.problem.kind] : [])].join('/');
    const labels = [...(listFlag(parsed, 'variants') ?? []), ...(listFlag(parsed, 'external') ?? [])];
    return [{ file, place, labels }];
  });

  /** Whether the claim applies at one size only. */
  const isPinned = ({ where }: Claim): boolean =>
    Object.values(where).some((range) => typeof range !== 'string' && range[0] === range[1]);

  function comparesAny({ pairs, values, across }: Claim, labels: readonly string[]): boolean {
    return (
      across.some(({ variant }) => labels.includes(variant)) ||
      pairs.some(({ slower, faster }) => [slower, faster].every(({ variant }) => labels.includes(variant))) ||
      values.some(({ variant }) => labels.includes(variant))
    );
  }

  test('each have a sweep session in their row, or a single size', async () => {
    const without: string[] = [];
    for (const row of await readClaimTable(assetsFolder)) {
      const own = SWEEPS.filter(({ file }) => row.sessions.includes(file));
      for (const part of partsOf(row)) {
        const place = part.bench === '' ? part.workload : `${part.workload}/${part.bench}`;
        const known = await claimsReadClaimsOf(assetsFolder, part);
        for (const id of part.ids) {
          const claim = known.find((one) => one.id === id);
          if (claim === undefined) throw new Error(`${place} ${id}`);
          if (claim.reason !== null || isPinned(claim)) continue;
          if (own.some((sweep) => sweep.place === place && comparesAny(claim, sweep.labels))) continue;
          without.push(`${place} ${id}`);
        }
      }
    }
    expect(without.sort()).toEqual(Object.keys(WITHOUT).sort());
  });

  test('every sweep belongs to a row, or to the sessions without claims', async () => {
    const listedIn = (await readClaimTable(assetsFolder)).flatMap(({ sessions }) => sessions);
    const others = SWEEPS.map(({ file }) => path.posix.normalize(file)).filter((file) => !listedIn.includes(file));
    expect(others.sort()).toEqual(['h200-sweep-water-70MeV.json', 'transport/h200-scattering-uniform-grid-70MeV.json']);
  });
});
