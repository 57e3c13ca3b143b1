/**
 * Table of published claims. The verdict on each claim is computed from the samples of recorded sessions by the current
 * rule.
 */
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import type { ClaimFinding, ClaimMap, ClaimTableRow, TableClaim } from '../../../contract/bench/claim-table.ts';
import { judgeClaim, termsForMeasurement } from '../../../contract/bench/claims.ts';
import { recordingsOnOtherGpus } from '../../../contract/bench/recorded-names.mjs';
import type { Session } from '../../../contract/bench/session.ts';
import { defaultKind, scenarioKindNames } from '../../../contract/scenario/index.ts';
import type { WorkloadName } from '../../../contract/workload.ts';
import { defineThreadTask } from '../../io/threads/task.ts';
import {
  exactRatio,
  gainBetween,
  judgeClaims,
  quantityValue,
  type ReportMeasurements,
  unmetRequirement,
} from '../../model/bench/claim-results.ts';
import {
  applicableClaims,
  type Claim,
  type ClaimCatalogue,
  type ClaimSide,
  claimsFor,
  meetsConditions,
  type ProblemValues,
  readClaimCatalogue,
  readClaimFiles,
} from '../../model/bench/claims.ts';
import { collectMeasurements } from '../../model/bench/report-claims.ts';
import { claimedValues } from '../../workloads/index.ts';
import { documentIn, parseSession, withoutRecordings } from '../sessions/index.ts';
import { answerOf, verdictRangesText } from './answer.ts';

/** Rows in assets/claims/table.json. Each claim names its row; a row with a single claim needs no entry here. */
const rowSchema = z.strictObject({
  /** Number of the row, from 1. */
  row: z.int().positive(),
  claim: z.string().min(1),
  source: z.string().min(1),
  /** Paths below assets/scenarios, for workloads with one benchmark. */
  scenarios: z.array(z.string()).default([]),
  /** Paths below assets/runs, for workloads with one benchmark. */
  sessions: z.array(z.string()).default([]),
});
const tableSchema = z.strictObject({ version: z.literal(1), rows: z.array(rowSchema).min(1) });

interface ClaimRow extends Readonly<z.infer<typeof rowSchema>> {
  /** Ids of the claims by workload or benchmark, for example `micro/launch`, `diffraction` or `transport`. */
  readonly claims: Readonly<Record<string, readonly string[]>>;
}

const exampleSchema = z.object({ problem: z.object({ kind: z.string() }) });

/** Returns the example scenarios of each benchmark, relative to assets/scenarios, by the name of the claims file. */
async function examplesByBench(
  assetsFolder: string,
  workload: string,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const folder = path.join(assetsFolder, 'scenarios', workload);
  const examples = new Map<string, readonly string[]>();
  const names = (await readdir(folder)).map((file) => path.basename(file, '.json')).sort();
  for (const name of names) {
    const { problem } = exampleSchema.parse(JSON.parse(await readFile(path.join(folder, `${name}.json`), 'utf8')));
    const bench = `${workload}/${problem.kind}`;
    examples.set(bench, [...(examples.get(bench) ?? []), `${workload}/${name}.json`]);
  }
  return examples;
}

/** Reads the rows of the table, each with the examples, sessions and sweeps of its benchmarks. */
export async function readClaimTable(assetsFolder: string): Promise<readonly ClaimRow[]> {
  const table = path.join(assetsFolder, 'claims', 'table.json');
  const listed = tableSchema.parse(JSON.parse(await readFile(table, 'utf8'))).rows;
  const files = await readClaimFiles(assetsFolder);
  const benches = Object.keys(files).filter((about) => about.includes('/'));
  const workloads = [...new Set(benches.map((about) => path.posix.dirname(about)))];
  const examples = new Map(
    (await Promise.all(workloads.map((workload) => examplesByBench(assetsFolder, workload)))).flatMap((one) => [
      ...one,
    ]),
  );
  // Small benchmarks that isolate a claim come before complete workloads.
  const byPart = Object.entries(files).sort(([a], [b]) => Number(b.includes('/')) - Number(a.includes('/')));
  const rows = new Map(listed.map((row) => [row.row, row]));
  for (const claim of Object.values(files).flatMap(({ claims }) => claims)) {
    if (claim.row === undefined || rows.has(claim.row)) continue;
    rows.set(claim.row, { row: claim.row, claim: claim.claim, source: claim.source, scenarios: [], sessions: [] });
  }
  return [...rows.values()]
    .sort((a, b) => a.row - b.row)
    .map((row) => {
      const parts = byPart.flatMap(([about, { claims, sweeps }]) => {
        const ids = claims.filter((claim) => claim.row === row.row).map(({ id }) => id);
        return ids.length === 0 ? [] : [{ about, ids, sweeps, folder: path.posix.dirname(about) }];
      });
      const scenarios = parts.flatMap(({ about }) => examples.get(about) ?? []);
      const sweeps = parts.flatMap((part) => part.sweeps.map(({ name }) => `${part.folder}/sweep-${name}.json`));
      return {
        ...row,
        scenarios: [...scenarios, ...row.scenarios],
        // The session of an example has the same path as its scenario.
        sessions: [...scenarios, ...sweeps, ...row.sessions],
        claims: Object.fromEntries(parts.map(({ about, ids }) => [about, ids])),
      };
    });
}

interface RowPart {
  readonly workload: WorkloadName;
  readonly bench: string;
  readonly ids: readonly string[];
}

/** Throws if a row names an unknown workload. */
export function partsOf({ row, claims }: ClaimRow): readonly RowPart[] {
  return Object.entries(claims).map(([about, ids]) => {
    const [name = '', bench = ''] = about.split('/');
    const workload = scenarioKindNames.find((one) => one === name);
    if (workload === undefined)
      throw new Error(`row ${row} of the claims table refers to the unknown workload ${JSON.stringify(name)}`);
    return { workload, bench, ids };
  });
}

/** A recorded session in the form in which claims are judged. */
interface RecordedSession {
  /** Path below assets/runs. */
  readonly file: string;
  readonly session: Session;
  readonly reports: readonly { readonly measured: ReportMeasurements; readonly values: ProblemValues }[];
}

const noValues: ProblemValues = { numbers: {}, words: {} };

async function readRecorded(assetsFolder: string, file: string): Promise<RecordedSession | null> {
  const full = path.join(assetsFolder, 'runs', file);
  const text = await readFile(full, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (text === null) return null;
  const session = withoutRecordings(parseSession(text, full));
  return {
    file,
    session,
    reports: session.reports.map((report, i) => ({
      measured: collectMeasurements(report),
      // Some claims apply only to certain problem sizes.
      values: claimedValues(documentIn(session, i)) ?? noValues,
    })),
  };
}

/** Id of a recorded session in the lists of sessions. */
const recordedSessionId = (file: string): string => `recorded~${file}`;

type FindingSource = Pick<ClaimFinding, 'session' | 'file' | 'report' | 'scenario' | 'machine' | 'at'>;

function findingSource({ file, session }: RecordedSession, report: number): FindingSource {
  const { scenario, machine } = session.reports[report] ?? { scenario: '', machine: null };
  return {
    ...{ session: recordedSessionId(file), file, report, scenario },
    machine: machine?.gpu?.name ?? machine?.cpu ?? 'not known',
    at: session.sweep?.values[report] ?? null,
  };
}

type StatedValue = Claim['values'][number];

/** Names the variant of a claimed number. If the claim has several numbers for it, the description is added. */
function statedValueLabel(one: StatedValue, all: readonly StatedValue[]): string {
  const variantText = ({ variant, over }: StatedValue): string =>
    over === undefined ? variant : `${variant} over ${over}`;
  const several = all.filter((other) => variantText(other) === variantText(one)).length > 1;
  return several ? `${variantText(one)}, ${one.what}` : variantText(one);
}

/** Returns the findings of one report on a claim. The claim must apply to this report. */
function findingsOf(claim: Claim, about: FindingSource, measured: ReportMeasurements): readonly ClaimFinding[] {
  const [result] = judgeClaims([claim], measured);
  const pairs = (result?.pairs ?? []).map(({ slower, faster, what, gain, verdict, wrong, unchecked, rival }) => ({
    ...about,
    ...{ by: `${slower} → ${faster}`, what, unit: '×' },
    ...{ value: gain?.value ?? null, interval: gain?.interval ?? null },
    verdict:
      wrong !== undefined
        ? `${verdict}, with a wrong result`
        : unchecked !== undefined
          ? `${verdict}, result not checked`
          : verdict,
    ...(rival && { rival }),
  }));
  const stated = { ...claim, needs: unmetRequirement(claim, measured.gpu) };
  const values = claim.values.map((each) => {
    const { found, unit } = quantityValue(each, measured);
    const by = statedValueLabel(each, claim.values);
    return {
      ...about,
      ...{ by, what: each.what, unit, value: found?.value ?? null, interval: found?.interval ?? null },
      verdict: judgeClaim(found, termsForMeasurement(stated, each.rival)),
      ...(each.rival && { rival: true as const }),
    };
  });
  const counted = claim.counted.map((each) => {
    const found = exactRatio(each);
    const { by, what, unit } = each;
    return { ...about, by, what, unit, ...found, verdict: judgeClaim(found, stated), counted: true as const };
  });
  return [...pairs, ...values, ...counted];
}

/** Returns findings that compare one variant at two values of the session's sweep. */
function findingsAcrossSweep(claim: Claim, recorded: RecordedSession): readonly ClaimFinding[] {
  const { sweep } = recorded.session;
  return claim.across.flatMap(({ variant, path: swept, slower, faster, what }): ClaimFinding[] => {
    if (sweep?.path !== swept) return [];
    const [slow, fast] = [slower, faster].map((value) => recorded.reports[sweep.values.indexOf(value)]?.measured);
    if (slow === undefined || fast === undefined) return [];
    const side: ClaimSide = { variant, mode: 'warm', clock: 'counted' };
    // The two times come from different reports, so their rounds cannot be paired.
    const gain = gainBetween({ ...slow.timesFor(side), afterRounds: true }, fast.timesFor(side), slow.seed);
    if (gain === null) return [];
    const stated = { ...claim, needs: unmetRequirement(claim, slow.gpu) };
    const by = `${variant}, ${slower} → ${faster}`;
    const about = { ...findingSource(recorded, sweep.values.indexOf(faster)), at: null };
    return [
      { ...about, by, what, unit: '×', value: gain.value, interval: gain.interval, verdict: judgeClaim(gain, stated) },
    ];
  });
}

function sweepMapOf({ file, session }: RecordedSession, findings: readonly ClaimFinding[]): ClaimMap | null {
  const { sweep } = session;
  const points = findings.flatMap((one) =>
    one.at === null || one.value === null ? [] : [{ ...one, at: one.at, value: one.value }],
  );
  if (sweep === null || points.length < 2) return null;
  const [first] = points;
  const series = [...Map.groupBy(points, ({ by }) => by)].map(([by, own]) => ({
    by,
    unit: own[0]?.unit ?? '',
    points: own.map(({ at, value, interval, verdict }) => ({ at, value, interval, verdict })),
    told: verdictRangesText(own, sweep.path),
  }));
  const { scenario = '', machine = '' } = first ?? {};
  return { session: recordedSessionId(file), file, scenario, machine, path: sweep.path, series };
}

/** Answers the claim for each GPU separately. Counted numbers are left out, because they do not depend on the GPU. */
function answersByGpu(
  claim: Omit<Parameters<typeof answerOf>[0], 'findings' | 'maps'>,
  findings: readonly ClaimFinding[],
  maps: readonly ClaimMap[],
): TableClaim['cards'] {
  const measured = findings.filter(({ value, counted }) => value !== null && counted === undefined);
  return [...Map.groupBy(measured, ({ machine }) => machine)]
    .map(([machine, own]) => ({
      machine,
      sessions: new Set(own.map(({ session }) => session)).size,
      answer: answerOf({ ...claim, findings: own, maps: maps.filter((map) => map.machine === machine) }),
    }))
    .sort((a, b) => (a.machine < b.machine ? -1 : 1));
}

/** A shipped scenario, with the values by which claims may be limited. */
interface ShippedScenario {
  readonly file: string;
  readonly workload: string;
  /** Empty for a workload that has one benchmark. */
  readonly bench: string;
  readonly values: ProblemValues;
}

const documentSchema = z.looseObject({
  kind: z.string().default(defaultKind),
  problem: z.looseObject({ kind: z.string().default('') }).default({ kind: '' }),
});

async function shippedScenario(assetsFolder: string, file: string): Promise<ShippedScenario> {
  const document: unknown = JSON.parse(await readFile(path.join(assetsFolder, 'scenarios', file), 'utf8'));
  const { kind, problem } = documentSchema.parse(document);
  return { file, workload: kind, bench: problem.kind, values: claimedValues(document) ?? noValues };
}

/** Arguments for external programs on the machine of the user. Each contains a placeholder for the program file. */
const USER_PROGRAMS: Readonly<Record<string, string>> = {
  nanobragg: 'nanobragg=NANOBRAGG',
  'smatrix-2d': 'smatrix-2d=run_simulation.py',
};
const isProgram = (id: string): boolean => /^(cupy|torch|numba|numpy|nanobragg|smatrix)/.test(id);
const PROCESS_QUANTITIES: readonly string[] = ['process', 'cold-whole', 'cold-run', 'setup-share'];
/** Number of processes to start. Fewer processes give no verdict. */
const PROCESSES = 6;

/** Side length in pixels of the square image that the claim is limited to. Null if the claim applies to all sizes. */
function imageSideOf({ where }: Claim): number | null {
  const pixels = where['pixels'];
  const side = Array.isArray(pixels) ? Math.sqrt(pixels[1]) : Number.NaN;
  return Number.isInteger(side) ? side : null;
}

/**
 * Builds the command that measures a claim: a scenario of a suitable size, the variants, and the external programs.
 */
function commandOf(claim: Claim, { workload, bench }: RowPart, scenarios: readonly ShippedScenario[]): string | null {
  const { pairs, values, where, note, across } = claim;
  const own = scenarios.filter((one) => one.workload === workload && one.bench === bench);
  const meeting = own.filter((one) => meetsConditions(where, one.values));
  const scenario = meeting.find((one) => meetsConditions(note ?? {}, one.values)) ?? meeting[0] ?? own[0];
  if (scenario === undefined) return null;
  const sides = pairs.flatMap(({ slower, faster }) => [slower, faster]);
  const ids = [
    ...sides.map(({ variant }) => variant),
    ...values.flatMap(({ variant, over }) => (over === undefined ? [variant] : [variant, over])),
    ...across.map(({ variant }) => variant),
  ];
  const [programs, variants] = [ids.filter(isProgram), ids.filter((id) => !isProgram(id))];
  const side = meetsConditions(where, scenario.values) ? null : imageSideOf(claim);
  const clocks = [...sides.map(({ clock }) => clock), ...values.map(({ quantity }) => quantity)];
  const joinWords = (words: readonly string[]): string => {
    const all = [...new Set(words)].join(',');
    // Quote brackets, because shells treat them as patterns.
    return all.includes('[') ? `"${all}"` : all;
  };
  return [
    `npx braggbench bench ${path.basename(scenario.file, '.json')}`,
    ...(side === null ? [] : [`--set detector.width=${side} --set detector.height=${side}`]),
    ...(variants.length === 0 ? [] : [`--variants ${joinWords(variants)}`]),
    ...(programs.length === 0 ? [] : [`--external ${joinWords(programs.map((id) => USER_PROGRAMS[id] ?? id))}`]),
    ...across.slice(0, 1).map((one) => `--sweep ${one.path}=${one.slower},${one.faster}`),
    ...(sides.some(({ mode }) => mode === 'graph') ? ['--modes warm,graph'] : []),
    ...(clocks.some((clock) => PROCESS_QUANTITIES.includes(clock)) ? [`--processes ${PROCESSES} --time 5m`] : []),
  ].join(' ');
}

function judgeClaimOfRow(
  claim: Claim,
  part: RowPart,
  sessions: readonly RecordedSession[],
  scenarios: readonly ShippedScenario[],
): TableClaim {
  const { workload, bench } = part;
  const command = claim.command ?? commandOf(claim, part, scenarios);
  const own = sessions.filter(
    ({ session }) => session.workload === workload && (session.reports[0]?.bench ?? '') === bench,
  );
  const each = own.map((recorded) => {
    const found = recorded.reports.flatMap(({ measured, values }, i) =>
      applicableClaims([claim], values).flatMap((one) => {
        const atNote =
          claim.note !== undefined && meetsConditions(claim.note, values) ? ({ atNote: true } as const) : {};
        return findingsOf(one, findingSource(recorded, i), measured).map((each) => ({ ...each, ...atNote }));
      }),
    );
    return { found: [...found, ...findingsAcrossSweep(claim, recorded)], map: sweepMapOf(recorded, found) };
  });
  const findings = each.flatMap(({ found }) => found);
  const maps = each.flatMap(({ map }) => map ?? []);
  const needs =
    own.flatMap(({ reports }) => reports.map(({ measured }) => unmetRequirement(claim, measured.gpu)))[0] ??
    claim.needs;
  const { id, claim: words, from, to, tolerance, source, reason, about, remark, priority } = claim;
  const answered = { ...claim, needs, command, remedy: claim.command ?? null };
  return {
    ...{ id, claim: words, from, to, source, reason, workload, bench, about, remark },
    unit: findings.find(({ value }) => value !== null)?.unit ?? (claim.values.length > 0 ? '' : '×'),
    ...(tolerance === undefined ? {} : { tolerance }),
    ...(needs === undefined ? {} : { needs }),
    ...(priority === undefined ? {} : { priority }),
    kind: claim.kind,
    answer: answerOf({ ...answered, findings, maps }),
    cards: answersByGpu(answered, findings, maps),
    findings,
    maps,
  };
}

/** Reads each recorded session only once per table, because most sessions provide findings for several rows. */
function createSessionReader(assetsFolder: string): (file: string) => Promise<RecordedSession | null> {
  const all = new Map<string, Promise<RecordedSession | null>>();
  return (file) => {
    const session = all.get(file) ?? readRecorded(assetsFolder, file);
    all.set(file, session);
    return session;
  };
}

interface JudgingInputs {
  readonly catalogue: ClaimCatalogue;
  readonly recorded: ReturnType<typeof createSessionReader>;
  readonly scenarios: readonly ShippedScenario[];
}

async function judgeTableRow(
  row: ClaimRow,
  { catalogue, recorded, scenarios: all }: JudgingInputs,
): Promise<ClaimTableRow> {
  const files = new Set(row.sessions.flatMap((file) => [file, ...recordingsOnOtherGpus(file)]));
  const sessions = (await Promise.all([...files].map(recorded))).filter((one) => one !== null);
  // Prefer the row's own scenarios, because other rows may contain scenarios of the same benchmark.
  const isOwn = ({ file }: ShippedScenario): boolean => row.scenarios.includes(file);
  const scenarios = [...all.filter(isOwn), ...all.filter((one) => !isOwn(one))];
  const claims = partsOf(row).flatMap((part) => {
    const known = claimsFor(catalogue, part);
    return part.ids.map((id) => {
      const claim = known.find((one) => one.id === id);
      if (claim === undefined)
        throw new Error(`row ${row.row} of the claims table refers to ${id}, which does not exist`);
      return judgeClaimOfRow(claim, part, sessions, scenarios);
    });
  });
  return { row: row.row, title: row.claim, source: row.source, scenarios: [...row.scenarios], claims };
}

/** Builds all rows with their claims and verdicts. This needs several seconds. */
export async function claimTable(assetsFolder: string): Promise<readonly ClaimTableRow[]> {
  const [rows, catalogue] = await Promise.all([readClaimTable(assetsFolder), readClaimCatalogue(assetsFolder)]);
  const files = [...new Set(rows.flatMap(({ scenarios }) => scenarios))];
  const scenarios = await Promise.all(files.map((file) => shippedScenario(assetsFolder, file)));
  const judging = { catalogue, recorded: createSessionReader(assetsFolder), scenarios };
  return Promise.all(rows.map((row) => judgeTableRow(row, judging)));
}

/** Computes the table on a worker thread. */
export const claimTableOnThread = defineThreadTask('build the table of claims', claimTable);
