/**
 * Simulates sessions of synthetic times, which the shipped code judges, to find the rates of false verdicts and of
 * found differences. The models describe timing noise that the verdicts must withstand. All noise is added to the
 * natural logarithm of a time.
 */
import { type RandomGenerator, seededRandom, shuffle } from '../../../electron/host/model/bench/statistics.ts';
import { defaultMargin, judgeRatio, missProbability, noiseFloor } from '../../../electron/host/model/verdicts/judge.ts';
import {
  type Instances,
  pairedLogRatio,
  separateLogRatio,
  timeInterval,
} from '../../../electron/host/model/verdicts/levels.ts';
import { DecisionRule, PrecisionRule, strictShare } from '../../../electron/host/model/verdicts/precision.ts';

/** Noise of one session. */
interface Noise {
  /** Called when candidate `which` is prepared again. */
  readonly prepare: (which: number) => void;
  /** Called when a round begins. */
  readonly round: () => void;
  /** Noise added to a sample's logarithm; `moment` counts rounds since the session began. */
  readonly of: (which: number, moment: number) => number;
}

interface NoiseModel {
  readonly name: string;
  /** Requested half width under this noise. */
  readonly precision: number;
  readonly start: (random: RandomGenerator) => Noise;
  /** Median of the logarithm of a time over sessions; null for a drift, which has no single median. */
  readonly median: number | null;
}

/** Standard normal deviate (Box–Muller). */
function normalDeviate(random: RandomGenerator): number {
  const radius = Math.sqrt(-2 * Math.log(1 - random.next()));
  return radius * Math.cos(2 * Math.PI * random.next());
}

const noNoise = (): void => undefined;
const independentNoise = (draw: (random: RandomGenerator) => number) => (random: RandomGenerator) => ({
  prepare: noNoise,
  round: noNoise,
  of: () => draw(random),
});

/** One of two clock states at random: 8 % faster or slower. */
const clockState = (random: RandomGenerator): number => (random.next() < 0.5 ? 0.08 : -0.08);

/** A first-order autoregressive series of unit variance. */
const nextAutoregressive = (before: number | undefined, random: RandomGenerator): number =>
  before === undefined ? normalDeviate(random) : 0.6 * before + 0.8 * normalDeviate(random);

function placementNoise(spread: number) {
  return (random: RandomGenerator): Noise => {
    const placed: number[] = [];
    return {
      prepare: (which) => {
        placed[which] = spread * normalDeviate(random);
      },
      round: noNoise,
      of: (which) => (placed[which] ?? 0) + 0.005 * normalDeviate(random),
    };
  };
}

/** Noise shared by all candidates of a round; `step` updates it at the start of the round. */
const sharedNoise =
  (step: (before: number | undefined, random: RandomGenerator) => number, own: number) => (random: RandomGenerator) => {
    let now: number | undefined;
    return {
      prepare: noNoise,
      round: () => {
        now = step(now, random);
      },
      of: () => (now ?? 0) + own * normalDeviate(random),
    };
  };

/** Rounds over which the clock rises by 20 %, as in a machine that warms up. */
const driftOver = 60;

export const noiseModels: readonly NoiseModel[] = [
  {
    name: 'log-normal 0.2 %',
    precision: 0.002,
    median: 0,
    start: independentNoise((random) => 0.002 * normalDeviate(random)),
  },
  {
    name: 'log-normal 1 %',
    precision: 0.01,
    median: 0,
    start: independentNoise((random) => 0.01 * normalDeviate(random)),
  },
  {
    name: 'log-normal 5 %',
    precision: 0.02,
    median: 0,
    start: independentNoise((random) => 0.05 * normalDeviate(random)),
  },
  {
    name: 'two clock states ±8 %, independent',
    precision: 0.04,
    median: 0,
    start: independentNoise((random) => clockState(random) + 0.002 * normalDeviate(random)),
  },
  {
    name: 'two clock states for ~10 rounds, own',
    precision: 0.04,
    median: 0,
    start: (random) => {
      const states: number[] = [];
      return {
        prepare: noNoise,
        round: () => {
          for (const [which, now] of states.entries()) if (random.next() < 0.1) states[which] = -now;
        },
        of: (which) => {
          states[which] ??= clockState(random);
          return (states[which] ?? 0) + 0.002 * normalDeviate(random);
        },
      };
    },
  },
  {
    name: 'two clock states ±8 %, shared',
    precision: 0.005,
    median: 0,
    start: sharedNoise((_, r) => clockState(r), 0.005),
  },
  {
    name: 'AR(1) 0.6 of 1 %, own series',
    precision: 0.01,
    median: 0,
    start: (random) => {
      const series: number[] = [];
      return {
        prepare: noNoise,
        round: noNoise,
        of: (which) => {
          const now = nextAutoregressive(series[which], random);
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
      const series = sharedNoise(nextAutoregressive, 0.3)(random);
      return { ...series, of: () => 0.01 * series.of() };
    },
  },
  {
    name: 'drift of 20 %',
    precision: 0.01,
    median: null,
    start: (random) => ({
      prepare: noNoise,
      round: noNoise,
      of: (_, moment) => (0.2 * moment) / driftOver + 0.01 * normalDeviate(random),
    }),
  },
  {
    name: 'heavy tail (t₂) of 1 %',
    precision: 0.01,
    median: 0,
    start: independentNoise((random) => (0.01 * normalDeviate(random)) / Math.sqrt(-Math.log(1 - random.next()))),
  },
  { name: 'placement 0.3 % per instance', precision: 0.005, median: 0, start: placementNoise(0.003) },
  { name: 'placement 1 % per instance', precision: 0.01, median: 0, start: placementNoise(0.01) },
];

/**
 * Rule by which a session ends. `decided`: when all verdicts are decided; `precise`: when the model's precision is
 * reached.
 */
type EndingRule = 'decided' | 'precise';

/** Shares of trials, 0 to 1. */
export interface Rates {
  readonly model: string;
  readonly precision: number;
  readonly candidates: number;
  /** Rule by which the sessions ended. */
  readonly rule: EndingRule;
  /** Share of sessions that called identical candidates faster or slower. */
  readonly falseVerdicts: number;
  /** Share of sessions in which all intervals of ratios contained the true value. */
  readonly ratioCoverage: number;
  /**
   * Share in which the interval of the reference's time contained the true value; null if the model has no single
   * median.
   */
  readonly timeCoverage: number | null;
  /**
   * Share of simulations in which the interval of the ratio of two sessions' references contained the true value; null
   * under the same condition.
   */
  readonly apartCoverage: number | null;
  /** Share of sessions in which a candidate slower by twice the precision was called slower. */
  readonly found: number;
  /** Share of sessions in which a candidate slower by 2 % was called the same within 1 %. */
  readonly sameAtTwoPercent: number;
  /** Share of sessions that ended by the rule, before their time limit. */
  readonly ended: number;
  /** Mean number of instances in sessions without a difference. */
  readonly instances: number;
}

const roundsPerInstance = 7;
const maxInstances = 60;

/**
 * Simulates one session. Candidate 1 is the control. From index 2 on, candidates are slower than the reference by
 * `truth`, a logarithm.
 */
function simulateSession(
  model: NoiseModel,
  { candidates, rule: by }: Pick<Rates, 'candidates' | 'rule'>,
  truth: number,
  random: RandomGenerator,
) {
  const noise = model.start(random);
  const all = Array.from({ length: candidates + 2 }, (_, which) => ({ which, times: [] as number[][] }));
  const [reference, control, ...rivals] = all.map(({ times }) => times) as [number[][], number[][], ...number[][][]];
  const precision = new PrecisionRule(model.precision);
  const decision = new DecisionRule<number>(defaultMargin);
  const outside = missProbability({ candidates });
  for (let moment = 0; ; ) {
    for (const { which, times } of all) {
      noise.prepare(which);
      times.push([]);
    }
    for (let round = 0; round < roundsPerInstance; round += 1) {
      noise.round();
      moment += 1;
      for (const { which, times } of shuffle(all, random)) {
        times.at(-1)?.push(Math.exp((which > 1 ? truth : 0) + noise.of(which, moment)));
      }
    }
    const ratios = rivals.map((times) => pairedLogRatio(times, reference, outside));
    const floor = noiseFloor(control, reference);
    const settled = () =>
      rivals
        .map((times, i) =>
          decision.isSettledAfter(
            i,
            { reported: ratios[i] ?? null, strict: pairedLogRatio(times, reference, strictShare * outside), floor },
            reference.length,
          ),
        )
        .every(Boolean);
    const ended = by === 'precise' ? precision.mayEnd(ratios, reference.length) : settled();
    if (!ended && reference.length < maxInstances) continue;
    const verdicts = ratios.map(
      (ratio) => judgeRatio(ratio, floor, { margin: defaultMargin }, reference.length).standing,
    );
    return {
      ratios,
      verdicts,
      ended,
      instances: reference.length,
      reference,
      time: timeInterval(reference, missProbability({ candidates: 1 })),
    };
  }
}

export function ratesOf(
  model: NoiseModel,
  kind: Pick<Rates, 'candidates' | 'rule'>,
  trials: number,
  seed: number,
): Rates {
  const random = seededRandom(seed);
  const share = { wrong: 0, ratio: 0, time: 0, apart: 0, found: 0, same: 0, ended: 0, instances: 0 };
  let before: Instances = simulateSession(model, kind, 0, random).reference;
  for (let trial = 0; trial < trials; trial += 1) {
    const equal = simulateSession(model, kind, 0, random);
    share.wrong += equal.verdicts.some((one) => one === 'faster' || one === 'slower') ? 1 : 0;
    share.ratio += equal.ratios.every((one) => one !== null && Math.abs(one.middle) <= one.half) ? 1 : 0;
    share.ended += equal.ended ? 1 : 0;
    share.instances += equal.instances;
    const { time } = equal;
    if (time !== null && model.median !== null) share.time += Math.abs(time.middle - model.median) <= time.half ? 1 : 0;
    const apart = separateLogRatio(equal.reference, before, missProbability({ candidates: 1 }));
    share.apart += apart !== null && Math.abs(apart.middle) <= apart.half ? 1 : 0;
    before = equal.reference;
    share.found += simulateSession(model, kind, 2 * model.precision, random).verdicts[0] === 'slower' ? 1 : 0;
    share.same += simulateSession(model, kind, Math.log(1.02), random).verdicts.includes('same') ? 1 : 0;
  }
  return {
    model: model.name,
    precision: model.precision,
    ...kind,
    falseVerdicts: share.wrong / trials,
    ratioCoverage: share.ratio / trials,
    timeCoverage: model.median === null ? null : share.time / trials,
    apartCoverage: model.median === null ? null : share.apart / trials,
    found: share.found / trials,
    sameAtTwoPercent: share.same / trials,
    ended: share.ended / trials,
    instances: share.instances / trials,
  };
}

/** Required rates in every row of the table. */
const targetRates = { falseVerdicts: 0.05, coverage: 0.93, found: 0.9, sameAtTwoPercent: 0.05 } as const;

/**
 * The limits that a row misses, in words; empty if none. `slack`: tolerance for chance, in standard errors of a share.
 */
export function missedTargets(rates: Rates, trials: number, slack: number): readonly string[] {
  const chance = (share: number): number => slack * Math.sqrt((share * (1 - share)) / trials);
  const most = (name: string, value: number, limit: number) =>
    value > limit + chance(limit) ? [`${name} ${value} is above ${limit}`] : [];
  const least = (name: string, value: number, limit: number) =>
    value < limit - chance(limit) ? [`${name} ${value} is below ${limit}`] : [];
  return [
    ...most('false verdicts', rates.falseVerdicts, targetRates.falseVerdicts),
    ...least('coverage of ratios', rates.ratioCoverage, targetRates.coverage),
    ...(rates.timeCoverage === null ? [] : least('coverage of the time', rates.timeCoverage, targetRates.coverage)),
    ...(rates.apartCoverage === null ? [] : least('coverage apart', rates.apartCoverage, targetRates.coverage)),
    ...least('found', rates.found, targetRates.found),
    ...most('same at 2 %', rates.sameAtTwoPercent, targetRates.sameAtTwoPercent),
  ];
}
