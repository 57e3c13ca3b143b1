/** Models of timing noise that a benchmark's verdicts must withstand. All on the natural logarithm of a time. */
import type { Random } from '../../../electron/host/model/bench/random.ts';

/** One session's disturbance. */
interface Noise {
  /** Candidate `which` is prepared again. */
  readonly prepare: (which: number) => void;
  /** A round begins. */
  readonly round: () => void;
  /** Noise added to a sample's logarithm; `moment` counts rounds since the session began. */
  readonly of: (which: number, moment: number) => number;
}

export interface NoiseModel {
  readonly name: string;
  /** Requested half width under this noise. */
  readonly precision: number;
  readonly start: (random: Random) => Noise;
  /** Median of a time's logarithm over sessions; null where the session has none of its own (drift). */
  readonly median: number | null;
}

/** Box and Muller. */
function normal(random: Random): number {
  const radius = Math.sqrt(-2 * Math.log(1 - random.next()));
  return radius * Math.cos(2 * Math.PI * random.next());
}

const nothing = (): void => undefined;
const alone = (draw: (random: Random) => number) => (random: Random) => ({
  prepare: nothing,
  round: nothing,
  of: () => draw(random),
});

/** 8 % apart on either side, by chance. */
const state = (random: Random): number => (random.next() < 0.5 ? 0.08 : -0.08);

/** A first-order autoregressive series of unit variance. */
const next = (before: number | undefined, random: Random): number =>
  before === undefined ? normal(random) : 0.6 * before + 0.8 * normal(random);

function placement(spread: number) {
  return (random: Random): Noise => {
    const placed: number[] = [];
    return {
      prepare: (which) => {
        placed[which] = spread * normal(random);
      },
      round: nothing,
      of: (which) => (placed[which] ?? 0) + 0.005 * normal(random),
    };
  };
}

/** Noise shared by all candidates of a round; `step` updates it at the start of the round. */
const shared = (step: (before: number | undefined, random: Random) => number, own: number) => (random: Random) => {
  let now: number | undefined;
  return {
    prepare: nothing,
    round: () => {
      now = step(now, random);
    },
    of: () => (now ?? 0) + own * normal(random),
  };
};

/** Rounds in which the clock rises by 20 %, as a machine that warms up. */
const driftOver = 60;

export const noiseModels: readonly NoiseModel[] = [
  { name: 'log-normal 0.2 %', precision: 0.002, median: 0, start: alone((random) => 0.002 * normal(random)) },
  { name: 'log-normal 1 %', precision: 0.01, median: 0, start: alone((random) => 0.01 * normal(random)) },
  { name: 'log-normal 5 %', precision: 0.02, median: 0, start: alone((random) => 0.05 * normal(random)) },
  {
    name: 'two clock states ±8 %, independent',
    precision: 0.04,
    median: 0,
    start: alone((random) => state(random) + 0.002 * normal(random)),
  },
  {
    name: 'two clock states for ~10 rounds, own',
    precision: 0.04,
    median: 0,
    start: (random) => {
      const states: number[] = [];
      return {
        prepare: nothing,
        round: () => {
          for (const [which, now] of states.entries()) if (random.next() < 0.1) states[which] = -now;
        },
        of: (which) => {
          states[which] ??= state(random);
          return (states[which] ?? 0) + 0.002 * normal(random);
        },
      };
    },
  },
  { name: 'two clock states ±8 %, shared', precision: 0.005, median: 0, start: shared((_, r) => state(r), 0.005) },
  {
    name: 'AR(1) 0.6 of 1 %, own series',
    precision: 0.01,
    median: 0,
    start: (random) => {
      const series: number[] = [];
      return {
        prepare: nothing,
        round: nothing,
        of: (which) => {
          const now = next(series[which], random);
          series[which] = now;
          return 0.01 * now;
        },
      };
    },
  },
  {
    name: 'AR(1) 0.6 of 1 %, shared series',
    precision: 0.01,
    median: 0,
    start: (random) => {
      const series = shared(next, 0.3)(random);
      return { ...series, of: () => 0.01 * series.of() };
    },
  },
  {
    name: 'drift of 20 %',
    precision: 0.01,
    median: null,
    start: (random) => ({
      prepare: nothing,
      round: nothing,
      of: (_, moment) => (0.2 * moment) / driftOver + 0.01 * normal(random),
    }),
  },
  {
    name: 'heavy tail (t₂) of 1 %',
    precision: 0.01,
    median: 0,
    start: alone((random) => (0.01 * normal(random)) / Math.sqrt(-Math.log(1 - random.next()))),
  },
  { name: 'placement 0.3 % per instance', precision: 0.005, median: 0, start: placement(0.003) },
  { name: 'placement 1 % per instance', precision: 0.01, median: 0, start: placement(0.01) },
];
