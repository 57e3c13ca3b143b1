/**
 * Tables of how often verdicts are wrong, from simulations and from sessions that compare a program with its copy. Also
 * how often `gate` fails for unchanged and for slower code, as measured by `npm run bench -- gate`.
 */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import type { Ratio } from '../../contract/bench/bench-session.ts';
import { code, digits, markdownTable, root, seconds } from './sessions.ts';

const share = z.number().min(0).max(1);

export const recordedRatesSchema = z.strictObject({
  /** Number of simulated sessions per figure. */
  trials: z.number().int().positive(),
  seed: z.number().int(),
  rows: z
    .array(
      z.strictObject({
        model: z.string(),
        /** Requested half width of intervals, relative to the ratio. */
        precision: share,
        candidates: z.number().int().positive(),
        /** Rule that ended the sessions. */
        rule: z.enum(['decided', 'precise']),
        falseVerdicts: share,
        ratioCoverage: share,
        /** Fraction of time intervals that contain the true time; null if the model defines no true time. */
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
  /** Index of the session in its series, from which its random seed is derived. */
  number: z.number().int().nonnegative().optional(),
  /**
   * `verdict`: verdict on the time of the steps. `whole`: verdict on the end-to-end time, which for the
   * copy includes the transfer of its answer between processes.
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
  /** CPU cores of each lane of concurrent sessions; absent or empty if each session had the complete machine. */
  lanes: z.array(z.string()).readonly().optional(),
  /** Duration of each session, s; absent if durations differed. */
  seconds: z.number().positive().optional(),
  variant: z.string(),
  /** Largest allowed number of false verdicts on steps, in each half of the sessions. */
  allowed: z.number().nonnegative(),
  took_s: z.number().positive(),
  halves: z
    .array(
      z.strictObject({
        /** Name of the additional load on the machine. */
        name: z.string(),
        sessions: z.array(recordedSessionSchema).min(1),
      }),
    )
    .min(1),
});
export type RecordedReal = Readonly<z.infer<typeof recordedRealSchema>>;

const recordedPowerSchema = z.strictObject({
  /** Time of the last session, ISO 8601. */
  measured: z.string(),
  machine: z.string(),
  cores: z.number().int().positive(),
  /** CPU cores of each lane of concurrent sessions; empty if sessions could use all cores. */
  lanes: z.array(z.string()).readonly(),
  /** Time limit of each session, s. */
  seconds: z.number().positive(),
  /** Number of values that the measured program adds. */
  n: z.number().int().positive(),
  /** Commits of the program with which the sessions were measured. */
  commits: z.array(z.string()).readonly(),
  took_s: z.number().positive(),
  series: z
    .array(
      z.strictObject({
        /** Extra work of the slower program, relative to the work of the sum. */
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
  /** Name of the cheating kernel's file in test/cheats/kernels, without extension. */
  id: z.string(),
  attack: z.string(),
  repeats: z.number().int().nonnegative(),
  /** Number of sessions in which the cheating kernel was judged correct. */
  passed: z.number().int().nonnegative(),
  /** Number of sessions in which the honest version of the kernel was not judged correct. */
  accused: z.number().int().nonnegative(),
  /** Number of sessions in which either kernel was *not checked*, because it may cache results. */
  open: z.number().int().nonnegative(),
  /** Number of sessions by verdict on the cheating kernel. */
  found: z.record(z.string(), z.number().int().positive()),
  /** One sentence about each session that misjudged either kernel. */
  reasons: z.array(z.string()).readonly(),
});
export type CountedCheat = Readonly<z.infer<typeof countedCheatSchema>>;

const recordedCheatsSchema = z.strictObject({
  /** Time of the last session, ISO 8601. */
  measured: z.string(),
  machine: z.string(),
  cores: z.number().int().positive(),
  /** CPU cores of each lane of concurrent sessions; empty if sessions could use all cores. */
  lanes: z.array(z.string()).readonly(),
  /** Number of rounds per session. */
  rounds: z.number().int().positive(),
  /** Commits of the program that judged the kernels. */
  commits: z.array(z.string()).readonly(),
  took_s: z.number().positive(),
  counts: z.array(countedCheatSchema).min(1).readonly(),
});
export type RecordedCheats = Readonly<z.infer<typeof recordedCheatsSchema>>;

function readMeasured<T>(name: string, schema: z.ZodType<T>): T | null {
  const file = path.join(root, 'assets/rates', `${name}.json`);
  return existsSync(file) ? schema.parse(JSON.parse(readFileSync(file, 'utf8'))) : null;
}

const percent = (value: number): string => `${(100 * value).toFixed(1)} %`;

/** Table of error rates by noise model, compared with the requested rates. */
export function simulatedErrorRates(): string {
  const recorded = readMeasured('simulated', recordedRatesSchema);
  if (recorded === null) return `Not simulated yet: ${code('npm run bench -- verdicts --keep')}`;
  return markdownTable(
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

function medianText(values: readonly number[]): string {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[sorted.length >> 1]?.toFixed(1) ?? '–';
}

/** Table of A/A sessions, in which a program is measured against its copy in a separate process. */
export function measuredErrorRates(recorded: RecordedReal | null = readMeasured('real', recordedRealSchema)): string {
  if (recorded === null) return `Not measured yet: ${code('npm run bench -- aa --keep')}`;
  return markdownTable(
    ['Machine', '>Sessions', '>Cores busy for others', '>False', '>Allowed', '>Same', '>Undecided', '>Rounds'],
    recorded.halves.map(({ name, sessions }) => {
      const [same, undecided] = ['same', 'undecided'].map(
        (word) => sessions.filter(({ verdict }) => verdict === word).length,
      ) as [number, number];
      return [
        `${recorded.machine}, ${name}`,
        String(sessions.length),
        medianText(sessions.flatMap(({ otherLoad_cores }) => otherLoad_cores ?? [])),
        ...[sessions.length - same - undecided, recorded.allowed, same, undecided].map(String),
        medianText(sessions.map(({ rounds }) => rounds)),
      ];
    }),
  );
}

/** Text on the CPU cores of a series: the complete machine, or those that its sessions were pinned to. */
function coresText(cores: number, lanes: readonly string[]): string {
  if (lanes.length === 0) return `${cores} cores`;
  return `pinned to ${lanes.map((lane) => (lane.includes(',') ? `cores ${lane}` : `core ${lane}`)).join(' or ')}`;
}

const countOf = (all: readonly { readonly verdict: string }[], verdict: string): string =>
  String(all.filter((one) => one.verdict === verdict).length);

/**
 * Table of detection rates: how often sessions detect 1, 3 and 10 % of extra work, and how often they judge equal code
 * as equal.
 */
export function detectionRateTable(
  recorded: RecordedPower | null = readMeasured('power', recordedPowerSchema),
): string {
  const command = code('npm run bench -- power --keep');
  if (recorded === null) return `Not measured yet: ${command}`;
  const { machine, cores, lanes, n, measured } = recorded;
  const series = recorded.series.filter(({ sessions }) => sessions.length > 0);
  const rows = series.map(({ slower, busy_cores, sessions }) => {
    return [
      slower === 0 ? 'none' : `${digits(100 * slower)} %`,
      String(busy_cores),
      medianText(sessions.flatMap(({ otherLoad_cores }) => otherLoad_cores ?? [])),
      String(sessions.length),
      ...['slower', 'faster', 'same', 'undecided'].map((verdict) => countOf(sessions, verdict)),
      medianText(sessions.map(({ rounds }) => rounds)),
    ];
  });
  return [
    markdownTable(
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
    `Workload: sum of ${n} squares. Machine: ${machine}, ${coresText(cores, lanes)}. At most ${seconds(recorded.seconds)} per session. Measured on ${measured.slice(0, 10)} by ${command}.`,
  ].join('\n');
}

/** Table of verdicts on cheating kernels, and how often their honest versions were accused. */
export function cheatVerdictTable(
  recorded: RecordedCheats | null = readMeasured('cheats', recordedCheatsSchema),
): string {
  const command = code('npm run bench -- cheats --keep');
  if (recorded === null) return `Not measured yet: ${command}`;
  const { machine, cores, lanes, measured, counts } = recorded;
  const verdicts = (found: CountedCheat['found']): string =>
    Object.entries(found)
      .map(([word, count]) => `${word} ${count}`)
      .join(', ');
  const sum = (of: (one: CountedCheat) => number): string => String(counts.reduce((total, one) => total + of(one), 0));
  return [
    markdownTable(
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
    `Machine: ${machine}, ${coresText(cores, lanes)}. Each session has ${recorded.rounds} rounds. Measured on ${measured.slice(0, 10)} by ${command}.`,
  ].join('\n');
}

export interface RecordedGate {
  /** Index of the gate in its series, from which its random seed is derived. Absent in files of earlier versions. */
  readonly number?: number | undefined;
  /** Exit code of the command `gate`. */
  readonly code: number;
  readonly verdict: string;
  readonly reason: string | null;
  /** Noise floor: measured difference between identical code, as a ratio minus 1. Null for too few samples. */
  readonly floor: number | null;
  /** Current time divided by that of the baseline, for each session. */
  readonly ratios: readonly Ratio[];
}

export interface RecordedGates {
  /** Time in ISO 8601. */
  readonly measured: string;
  readonly machine: string;
  readonly cores: number;
  /** CPU cores of each lane of concurrent gates; absent or empty if each gate had the complete machine. */
  readonly lanes?: readonly string[];
  /** Load average of the system during the gates: mean number of running processes. */
  readonly load: number;
  /** Requested duration of each gate, s. */
  readonly seconds: number;
  readonly n: number;
  readonly took_s: number;
  /** Gates by amount of extra work; `slower` is relative to the total work. */
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
    markdownTable(['Code', '>Gates', '>Slower (fails)', '>Undecided', '>Not slower'], rows),
    '',
    `Machine: ${machine}, ${coresText(cores, lanes)}, with ${digits(load)} running processes on average. A gate takes at most ${seconds(recorded.seconds)}. Measured on ${measured.slice(0, 10)} by ${COMMAND}.`,
  ].join('\n');
}

export function gateRateTable(): string {
  const file = path.join(path.resolve(root), 'assets/measured/gate.json');
  return gateRates(existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as RecordedGates) : null);
}
