/**
 * Tables of error rates of verdicts, from simulations and from sessions that compare a program with a copy of itself.
 * Also the table of failure rates of `gate` for unchanged and slower code, saved by `npm run bench -- gate`.
 */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import type { Ratio } from '../../contract/bench/bench-session.ts';
import { code, digits, root, seconds, table } from './sessions.ts';

const share = z.number().min(0).max(1);

export const recordedRatesSchema = z.strictObject({
  /** Number of simulated sessions for each figure. */
  trials: z.number().int().positive(),
  seed: z.number().int(),
  rows: z
    .array(
      z.strictObject({
        model: z.string(),
        /** Requested half width of intervals. */
        precision: share,
        candidates: z.number().int().positive(),
        /** Rule by which sessions ended. */
        rule: z.enum(['decided', 'precise']),
        falseVerdicts: share,
        ratioCoverage: share,
        /** Null if the model does not define a time. */
        timeCoverage: share.nullable(),
        apartCoverage: share.nullable(),
        found: share,
        sameAtTwoPercent: share,
        ended: share,
        instances: z.number().positive(),
      }),
    )
    .min(1),
});
export type RecordedRates = Readonly<z.infer<typeof recordedRatesSchema>>;

const recordedSessionSchema = z.strictObject({
  /** Number of the session in its series, from 0; its seed follows from it. */
  number: z.number().int().nonnegative().optional(),
  /**
   * `verdict`: verdict on the steps. `whole`: verdict on end-to-end runs, in which the copy's answer is transferred
   * between processes.
   */
  verdict: z.string(),
  whole: z.string(),
  ratio: z.number().positive(),
  interval: z.strictObject({ low: z.number(), high: z.number() }).nullable(),
  floor: z.number().nullable(),
  rounds: z.number().int().nonnegative(),
  otherLoad_cores: z.number().nullable(),
});

const recordedRealSchema = z.strictObject({
  /** Time in ISO 8601. */
  measured: z.string(),
  machine: z.string(),
  cores: z.number().int().positive(),
  /** Cores of each lane of concurrent sessions; absent or empty if sessions had the whole machine. */
  lanes: z.array(z.string()).readonly().optional(),
  /** Duration of every session; absent if sessions differed. */
  seconds: z.number().positive().optional(),
  variant: z.string(),
  /** Allowed number of false verdicts on steps in each half. */
  allowed: z.number().nonnegative(),
  took_s: z.number().positive(),
  halves: z
    .array(
      z.strictObject({
        /** Name of the other load on the machine. */
        name: z.string(),
        sessions: z.array(recordedSessionSchema).min(1),
      }),
    )
    .min(1),
});
export type RecordedReal = Readonly<z.infer<typeof recordedRealSchema>>;

const recordedPowerSchema = z.strictObject({
  /** Time of the latest session, ISO 8601. */
  measured: z.string(),
  machine: z.string(),
  cores: z.number().int().positive(),
  /** Cores of each lane; empty if sessions could use all cores. */
  lanes: z.array(z.string()).readonly(),
  /** Time budget of each session in seconds. */
  seconds: z.number().positive(),
  /** Number of values that are added up. */
  n: z.number().int().positive(),
  /** Commits of the program versions that measured. */
  commits: z.array(z.string()).readonly(),
  took_s: z.number().positive(),
  series: z
    .array(
      z.strictObject({
        /** Extra work as a fraction of the sum's work. */
        slower: z.number().nonnegative(),
        busy_cores: z.number().int().nonnegative(),
        sessions: z.array(recordedSessionSchema),
      }),
    )
    .min(1)
    .readonly(),
});
export type RecordedPower = Readonly<z.infer<typeof recordedPowerSchema>>;

const countedCheatSchema = z.strictObject({
  /** Name of its file in test/cheats/kernels, without the ending. */
  id: z.string(),
  attack: z.string(),
  repeats: z.number().int().nonnegative(),
  /** Number of sessions that called the cheat correct. */
  passed: z.number().int().nonnegative(),
  /** Number of sessions that did not call its honest twin correct. */
  accused: z.number().int().nonnegative(),
  /** Number of sessions in which either was *not checked*, because it may remember results. */
  open: z.number().int().nonnegative(),
  /** Number of sessions for each verdict on the cheat. */
  found: z.record(z.string(), z.number().int().positive()),
  /** One sentence for each session that was wrong about the cheat or its twin. */
  reasons: z.array(z.string()).readonly(),
});
export type CountedCheat = Readonly<z.infer<typeof countedCheatSchema>>;

const recordedCheatsSchema = z.strictObject({
  /** Time of the latest session, ISO 8601. */
  measured: z.string(),
  machine: z.string(),
  cores: z.number().int().positive(),
  /** Cores of each lane of concurrent sessions; empty if sessions could use all cores. */
  lanes: z.array(z.string()).readonly(),
  /** Rounds of each session. */
  rounds: z.number().int().positive(),
  /** Commits of the program versions that judged. */
  commits: z.array(z.string()).readonly(),
  took_s: z.number().positive(),
  counts: z.array(countedCheatSchema).min(1).readonly(),
});
export type RecordedCheats = Readonly<z.infer<typeof recordedCheatsSchema>>;

function read<T>(name: string, schema: z.ZodType<T>): T | null {
  const file = path.join(root, 'assets/rates', `${name}.json`);
  return existsSync(file) ? schema.parse(JSON.parse(readFileSync(file, 'utf8'))) : null;
}

const percent = (value: number): string => `${(100 * value).toFixed(1)} %`;

/** Table of error rates for each noise model, compared with the requested rates. */
export function simulatedRates(): string {
  const recorded = read('simulated', recordedRatesSchema);
  if (recorded === null) return `Not simulated yet: ${code('npm run bench -- verdicts --keep')}`;
  return table(
    [
      'Noise',
      'Ends when',
      '>Precision',
      '>False',
      '>Ratio covered',
      '>Time covered',
      '>Ratio of two sessions covered',
      '>Found',
      '>Same at 2 %',
      '>Instances',
    ],
    recorded.rows.map((row) => [
      row.candidates === 1 ? row.model : `${row.model}, ${row.candidates} candidates`,
      row.rule,
      percent(row.precision),
      percent(row.falseVerdicts),
      percent(row.ratioCoverage),
      ...[row.timeCoverage, row.apartCoverage].map((share) => (share === null ? '–' : percent(share))),
      percent(row.found),
      percent(row.sameAtTwoPercent),
      row.instances.toFixed(1),
    ]),
  );
}

function middle(values: readonly number[]): string {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[sorted.length >> 1]?.toFixed(1) ?? '–';
}

/** Table of A/A sessions: a program measured against a copy of itself in a separate process. */
export function realRates(recorded: RecordedReal | null = read('real', recordedRealSchema)): string {
  if (recorded === null) return `Not measured yet: ${code('npm run bench -- aa --keep')}`;
  return table(
    ['Machine', '>Sessions', '>Cores busy for others', '>False', '>Allowed', '>Same', '>Undecided', '>Rounds'],
    recorded.halves.map(({ name, sessions }) => {
      const [same, undecided] = ['same', 'undecided'].map(
        (word) => sessions.filter(({ verdict }) => verdict === word).length,
      ) as [number, number];
      return [
        `${recorded.machine}, ${name}`,
        String(sessions.length),
        middle(sessions.flatMap(({ otherLoad_cores }) => otherLoad_cores ?? [])),
        ...[sessions.length - same - undecided, recorded.allowed, same, undecided].map(String),
        middle(sessions.map(({ rounds }) => rounds)),
      ];
    }),
  );
}

/** Cores of a series: all of the machine, or those that its sessions were pinned to. */
function placeOf(cores: number, lanes: readonly string[]): string {
  if (lanes.length === 0) return `${cores} cores`;
  return `pinned to ${lanes.map((lane) => (lane.includes(',') ? `cores ${lane}` : `core ${lane}`)).join(' or ')}`;
}

const countOf = (all: readonly { readonly verdict: string }[], verdict: string): string =>
  String(all.filter((one) => one.verdict === verdict).length);

/** Table of the share of sessions that find extra work of 1, 3 and 10 %, and that call equal code the same. */
export function powerRates(recorded: RecordedPower | null = read('power', recordedPowerSchema)): string {
  const command = code('npm run bench -- power --keep');
  if (recorded === null) return `Not measured yet: ${command}`;
  const { machine, cores, lanes, n, measured } = recorded;
  const series = recorded.series.filter(({ sessions }) => sessions.length > 0);
  const rows = series.map(({ slower, busy_cores, sessions }) => {
    return [
      slower === 0 ? 'none' : `${digits(100 * slower)} %`,
      String(busy_cores),
      middle(sessions.flatMap(({ otherLoad_cores }) => otherLoad_cores ?? [])),
      String(sessions.length),
      ...['slower', 'faster', 'same', 'undecided'].map((verdict) => countOf(sessions, verdict)),
      middle(sessions.map(({ rounds }) => rounds)),
    ];
  });
  return [
    table(
      [
        'Extra work',
        '>Cores loaded on purpose',
        '>Cores busy for others',
        '>Sessions',
        '>Slower',
        '>Faster',
        '>Same',
        '>Undecided',
        '>Rounds',
      ],
      rows,
    ),
    '',
    `Workload: sum of ${n} squares. Machine: ${machine}, ${placeOf(cores, lanes)}. At most ${seconds(recorded.seconds)} per session. Measured on ${measured.slice(0, 10)} by ${command}.`,
  ].join('\n');
}

/** Table of repeated attacks: the verdicts on each cheat, and how often its honest twin was accused. */
export function cheatCounts(recorded: RecordedCheats | null = read('cheats', recordedCheatsSchema)): string {
  const command = code('npm run bench -- cheats --keep');
  if (recorded === null) return `Not measured yet: ${command}`;
  const { machine, cores, lanes, measured, counts } = recorded;
  const verdicts = (found: CountedCheat['found']): string =>
    Object.entries(found)
      .map(([word, count]) => `${word} ${count}`)
      .join(', ');
  const sum = (of: (one: CountedCheat) => number): string => String(counts.reduce((total, one) => total + of(one), 0));
  return [
    table(
      ['Attack', '>Judgements', 'Verdicts', '>Called correct', '>Twin accused'],
      [
        ...counts.map(({ attack, repeats, found, passed, accused }) => [
          attack.charAt(0).toUpperCase() + attack.slice(1, attack.search(/[.:;,](?= |$)/)),
          String(repeats),
          verdicts(found),
          String(passed),
          String(accused),
        ]),
        ['all', sum((one) => one.repeats), '', sum((one) => one.passed), sum((one) => one.accused)],
      ],
    ),
    '',
    `Machine: ${machine}, ${placeOf(cores, lanes)}. Each session has ${recorded.rounds} rounds. Measured on ${measured.slice(0, 10)} by ${command}.`,
  ].join('\n');
}

export interface RecordedGate {
  /** Number of the gate in its series, from 0; its seed follows from it. Absent in files of earlier versions. */
  readonly number?: number | undefined;
  /** Exit code of the command. */
  readonly code: number;
  readonly verdict: string;
  readonly reason: string | null;
  /** Measured difference between equal code, as a ratio minus 1; null for too few samples. */
  readonly floor: number | null;
  /** Ratio of the later time to the earlier one, for each session. */
  readonly ratios: readonly Ratio[];
}

export interface RecordedGates {
  /** Time in ISO 8601. */
  readonly measured: string;
  readonly machine: string;
  readonly cores: number;
  /** Cores of each lane of concurrent gates; absent or empty if gates had the whole machine. */
  readonly lanes?: readonly string[];
  /** Mean number of running processes during the gates, as reported by the system. */
  readonly load: number;
  /** Requested duration of each gate in seconds. */
  readonly seconds: number;
  readonly n: number;
  readonly took_s: number;
  /** `slower` is the added work as a share of the total. */
  readonly series: readonly { readonly slower: number; readonly gates: readonly RecordedGate[] }[];
}

const COMMAND = code('npm run bench -- gate --keep');

export function gateRates(recorded: RecordedGates | null): string {
  if (recorded === null) return `Not recorded yet. Record it with ${COMMAND}.`;
  const rows = recorded.series.map(({ slower, gates }) => [
    slower === 0 ? 'unchanged' : `${digits(100 * slower)} % slower`,
    String(gates.length),
    countOf(gates, 'slower'),
    countOf(gates, 'undecided'),
    countOf(gates, 'not slower'),
  ]);
  const { machine, cores, lanes = [], load, measured } = recorded;
  return [
    table(['Code', '>Gates', '>Slower (fails)', '>Undecided', '>Not slower'], rows),
    '',
    `Machine: ${machine}, ${placeOf(cores, lanes)}, with ${digits(load)} running processes on average. A gate takes at most ${seconds(recorded.seconds)}. Measured on ${measured.slice(0, 10)} by ${COMMAND}.`,
  ].join('\n');
}

export function gate(): string {
  const file = path.join(path.resolve(root), 'assets/measured/gate.json');
  return gateRates(existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as RecordedGates) : null);
}
