/** Sessions of synthetic times, judged by the shipped code: the rates of wrong and found verdicts. */
import { type Random, seededRandom, shuffled } from '../../../electron/host/model/bench/random.ts';
import { judge, noiseFloorOf, outsideOf, usualMargin } from '../../../electron/host/model/verdicts/judge.ts';
import {
  type Instances,
  pairedLogRatio,
  separateLogRatio,
  timeInterval,
} from '../../../electron/host/model/verdicts/levels.ts';
import { DecisionRule, PrecisionRule, strictShare } from '../../../electron/host/model/verdicts/precision.ts';
import type { NoiseModel } from './noise.ts';

/** `decided`: as sessions end that nobody gives a precision; `precise`: at the model's precision. */
type EndingRule = 'decided' | 'precise';

/** Shares of trials, 0 to 1. */
export interface Rates {
  readonly model: string;
  readonly precision: number;
  readonly contestants: number;
  /** By what sessions ended. */
  readonly rule: EndingRule;
  /** The same thing twice was called faster or slower. */
  readonly falseVerdicts: number;
  /** All intervals of ratios held the truth. */
  readonly ratioCoverage: number;
  /** The interval of the reference's time did; null where the model has no time of its own. */
  readonly timeCoverage: number | null;
  /** The interval of the ratio of two sessions' references did; null there as well. */
  readonly apartCoverage: number | null;
  /** Share of sessions in which a candidate slower by twice the precision was called slower. */
  readonly found: number;
  /** One slower by 2 % was called the same within 1 %. */
  readonly sameAtTwoPercent: number;
  /** Sessions that ended by the rule, and not at their limit. */
  readonly ended: number;
  /** Mean number of instances of a session without a difference. */
  readonly instances: number;
}

const roundsPerInstance = 7;
const mostInstances = 60;

/** One session: candidates from 2 on are slower than the reference by `truth` on the logarithm; 1 is the control. */
function session(
  model: NoiseModel,
  { contestants, rule: by }: Pick<Rates, 'contestants' | 'rule'>,
  truth: number,
  random: Random,
) {
  const noise = model.start(random);
  const all = Array.from({ length: contestants + 2 }, (_, which) => ({ which, times: [] as number[][] }));
  const [reference, control, ...rivals] = all.map(({ times }) => times) as [number[][], number[][], ...number[][][]];
  const precision = new PrecisionRule(model.precision);
  const decision = new DecisionRule<number>(usualMargin);
  const outside = outsideOf({ contestants });
  for (let moment = 0; ; ) {
    for (const { which, times } of all) {
      noise.prepare(which);
      times.push([]);
    }
    for (let round = 0; round < roundsPerInstance; round += 1) {
      noise.round();
      moment += 1;
      for (const { which, times } of shuffled(all, random)) {
        times.at(-1)?.push(Math.exp((which > 1 ? truth : 0) + noise.of(which, moment)));
      }
    }
    const ratios = rivals.map((times) => pairedLogRatio(times, reference, outside));
    const floor = noiseFloorOf(control, reference);
    const settled = () =>
      rivals
        .map((times, i) =>
          decision.settled(
            i,
            { reported: ratios[i] ?? null, strict: pairedLogRatio(times, reference, strictShare * outside), floor },
            reference.length,
          ),
        )
        .every(Boolean);
    const ended = by === 'precise' ? precision.met(ratios, reference.length) : settled();
    if (!ended && reference.length < mostInstances) continue;
    const verdicts = ratios.map((ratio) => judge(ratio, floor, { margin: usualMargin }, reference.length).standing);
    return {
      ratios,
      verdicts,
      ended,
      instances: reference.length,
      reference,
      time: timeInterval(reference, outsideOf({ contestants: 1 })),
    };
  }
}

export function ratesOf(
  model: NoiseModel,
  kind: Pick<Rates, 'contestants' | 'rule'>,
  trials: number,
  seed: number,
): Rates {
  const random = seededRandom(seed);
  const share = { wrong: 0, ratio: 0, time: 0, apart: 0, found: 0, same: 0, ended: 0, instances: 0 };
  let before: Instances = session(model, kind, 0, random).reference;
  for (let trial = 0; trial < trials; trial += 1) {
    const equal = session(model, kind, 0, random);
    share.wrong += equal.verdicts.some((one) => one === 'faster' || one === 'slower') ? 1 : 0;
    share.ratio += equal.ratios.every((one) => one !== null && Math.abs(one.middle) <= one.half) ? 1 : 0;
    share.ended += equal.ended ? 1 : 0;
    share.instances += equal.instances;
    const { time } = equal;
    if (time !== null && model.median !== null) share.time += Math.abs(time.middle - model.median) <= time.half ? 1 : 0;
    const apart = separateLogRatio(equal.reference, before, outsideOf({ contestants: 1 }));
    share.apart += apart !== null && Math.abs(apart.middle) <= apart.half ? 1 : 0;
    before = equal.reference;
    share.found += session(model, kind, 2 * model.precision, random).verdicts[0] === 'slower' ? 1 : 0;
    share.same += session(model, kind, Math.log(1.02), random).verdicts.includes('same') ? 1 : 0;
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

/** Limits for every row. */
export const wanted = { falseVerdicts: 0.05, coverage: 0.93, found: 0.9, sameAtTwoPercent: 0.05 } as const;

/**
 * The limits that a row misses, in words; empty if none. `slack`: tolerance for chance, in standard errors of a share.
 */
export function missed(rates: Rates, trials: number, slack: number): readonly string[] {
  const chance = (share: number): number => slack * Math.sqrt((share * (1 - share)) / trials);
  const most = (name: string, value: number, limit: number) =>
    value > limit + chance(limit) ? [`${name} ${value} is above ${limit}`] : [];
  const least = (name: string, value: number, limit: number) =>
    value < limit - chance(limit) ? [`${name} ${value} is below ${limit}`] : [];
  return [
    ...most('false verdicts', rates.falseVerdicts, wanted.falseVerdicts),
    ...least('coverage of ratios', rates.ratioCoverage, wanted.coverage),
    ...(rates.timeCoverage === null ? [] : least('coverage of the time', rates.timeCoverage, wanted.coverage)),
    ...(rates.apartCoverage === null ? [] : least('coverage apart', rates.apartCoverage, wanted.coverage)),
    ...least('found', rates.found, wanted.found),
    ...most('same at 2 %', rates.sameAtTwoPercent, wanted.sameAtTwoPercent),
  ];
}
