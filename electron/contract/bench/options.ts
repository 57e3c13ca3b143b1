/**
 * Table of the options of a benchmark. Command-line flags and their help, the parameters of `bench.start`, the command
 * that repeats a session, and the page's form are derived from it.
 */
import { z } from 'zod';

export interface BenchOption {
  readonly flag: string;
  /** Placeholder for the flag's value in usage texts; absent for a switch. */
  readonly value?: string;
  readonly help: string;
  /** `percent`: stored as a ratio minus 1, entered in per cent as a flag. */
  readonly kind: 'count' | 'number' | 'percent' | 'time' | 'switch';
  /** Absent for a switch. */
  readonly min?: number;
  readonly max?: number;
  readonly usual: number | boolean | null;
  /** If true, the command that repeats a session contains the option even if it has the default value. */
  readonly always?: true;
  /** Choices in the page's form. Without choices, the form has a text field or checkbox, or omits the option. */
  readonly form?: { readonly label: string; readonly choices: readonly (readonly [number | null, string])[] };
}

const percentChoices = [0.002, 0.005, 0.01, 0.02, 0.05].map((ratio) => [ratio, `±${100 * ratio} %`] as const);
const countChoices = (values: readonly number[], what: string) => values.map((n) => [n, `${n} ${what}`] as const);

const noDefault = null as number | null;

export const benchOptions = {
  processes: {
    ...{ flag: 'processes', value: 'N', kind: 'count', min: 0, max: 100, usual: noDefault },
    help: 'Number of cold processes for each variant, measured after the rounds: 5 by default for a beam or an image, none for small workloads and sweeps.',
    form: {
      label: 'Cold processes',
      choices: [
        [null, 'the default number of cold processes'],
        ...countChoices([0, 5, 10, 20], 'cold processes for each'),
      ],
    },
  },
  instances: {
    // At least 3, because an interval needs three instances.
    ...{ flag: 'instances', value: 'N', kind: 'count', min: 3, max: 100_000, usual: noDefault },
    help: 'Maximum number of separate preparations of each variant; no limit by default.',
    form: { label: 'Instances', choices: [[null, 'any instances'], ...countChoices([5, 10, 20], 'instances')] },
  },
  warm_up: {
    // The maximum is 1000 samples: longer warm-ups should be measured in a separate session.
    ...{ flag: 'warm-up', value: 'N', kind: 'count', min: 0, max: 1000, usual: 0 },
    help: 'Untimed samples of each variant in each mode before its first timed one, and again after each new preparation; 0 by default.',
    form: {
      label: 'Warm-up',
      choices: [[0, 'no sample'], [1, '1 untimed sample'], ...countChoices([3, 10, 30], 'untimed samples')],
    },
  },
  lock_MHz: {
    ...{ flag: 'lock-clocks', value: 'MHZ', kind: 'count', min: 1, max: 10_000, usual: noDefault },
    help: 'Lock the clock of the GPU at this frequency during the session, for all programs. Needs administrator rights; without them the clock is not locked, and the report contains a note.',
  },
  cool_C: {
    ...{ flag: 'cool', value: '°C', kind: 'number', min: 20, max: 120, usual: noDefault },
    help: 'Start a round only when the GPU is cooler than this; waits for at most two minutes.',
    form: {
      label: 'Warmest GPU',
      choices: [
        [null, 'rounds start at any temperature'],
        ...[40, 50, 60, 70, 80].map((limit) => [limit, `rounds start below ${limit} °C`] as const),
      ],
    },
  },
  energy: {
    ...{ flag: 'energy', kind: 'switch', usual: false as boolean },
    help: 'After the rounds, run each variant for two seconds and measure the energy of one run: by NVML or RAPL, if readable.',
  },
  rounds: {
    ...{ flag: 'rounds', value: 'N', kind: 'count', min: 1, max: 100_000, usual: noDefault },
    help: 'Maximum number of rounds; no limit by default.',
    form: {
      label: 'Rounds',
      choices: [[null, 'any number of rounds'], ...countChoices([7, 20, 50, 100, 500], 'rounds')],
    },
  },
  time_s: {
    ...{ flag: 'time', value: '60s', kind: 'time', min: 0, max: 86_400, usual: 60, always: true },
    help: 'Time of the whole session, including first runs, references and cold processes: 90, 90s, 5m; 60 s by default.',
    form: {
      label: 'Time',
      choices: [
        ...([
          [10, '10 s'],
          [30, '30 s'],
          [60, '1 min'],
          [300, '5 min'],
          [1800, '30 min'],
        ] as const),
      ],
    },
  },
  precision: {
    ...{ flag: 'precision', value: '0.5%', kind: 'percent', min: 1e-4, max: 0.5, usual: noDefault },
    help: 'End when every interval has this half width (for a ratio far from 1, a tenth of its logarithm); by default the session ends when every verdict is decided.',
    form: {
      label: 'Precision',
      choices: [
        [null, 'stop when every verdict is decided'],
        ...percentChoices.map(([ratio, text]) => [ratio, `stop at ${text}`] as const),
      ],
    },
  },
  margin: {
    ...{ flag: 'margin', value: '1%', kind: 'percent', min: 1e-4, max: 0.5, usual: 0.01, always: true },
    help: 'Differences below this are called the same, 1% by default.',
    form: {
      label: 'Margin',
      choices: percentChoices.map(([ratio, text]) => [ratio, `treat as equal within ${text}`] as const),
    },
  },
  seed: {
    ...{ flag: 'seed', value: 'N', kind: 'count', min: 0, max: 2 ** 32 - 1, usual: 1, always: true },
    help: 'Seed of the random order, 1 by default.',
  },
} as const satisfies Readonly<Record<string, BenchOption>>;

type OptionTable = typeof benchOptions;
export type BenchOptionName = keyof OptionTable;

/** Widens the literal type of `usual` to boolean, number or string. */
type WidenLiteral<T> = T extends boolean ? boolean : T extends number ? number : T;
export type BenchOptions = { readonly [N in BenchOptionName]: WidenLiteral<OptionTable[N]['usual']> };

export const benchOptionEntries = Object.entries(benchOptions) as readonly (readonly [BenchOptionName, BenchOption])[];

function optionSchema({ kind, min = 0, max = 0, usual }: BenchOption): z.ZodType {
  if (kind === 'switch') return z.boolean().default(usual === true);
  const number = kind === 'count' ? z.number().int().min(min).max(max) : z.number().min(min).max(max);
  return usual === null ? number.nullable().default(null) : number.default(Number(usual));
}

/** Schema of each option, with its usual value as the default. */
export const benchOptionShape = Object.fromEntries(
  benchOptionEntries.map(([name, option]) => [name, optionSchema(option)]),
) as { readonly [N in BenchOptionName]: z.ZodDefault<z.ZodType<BenchOptions[N], BenchOptions[N]>> };

export const defaultBenchOptions = Object.fromEntries(
  benchOptionEntries.map(([name, { usual }]) => [name, usual]),
) as BenchOptions;

/** Formats `precision` as the value of a flag: 0.005 becomes `0.5%`. */
const formatPercent = (ratio: number): string => `${Number((100 * ratio).toPrecision(6))}%`;

/** Command-line flags that repeat a session with these options, in the order of the table. */
export function optionFlags(options: BenchOptions): readonly string[] {
  return benchOptionEntries.flatMap(([name, { flag, kind, usual, always }]) => {
    const value = options[name];
    if (value === null || (value === usual && always !== true)) return [];
    if (kind === 'switch') return [`--${flag}`];
    return [`--${flag} ${kind === 'percent' ? formatPercent(Number(value)) : value}`];
  });
}
