/** Regions in which each published claim holds, from the points of a study that have both variants of a pair. */
import { claimedBand, judgeClaim, type Said, saidOf } from '../../../../contract/bench/claims.ts';
import type { StudyAdvice } from '../../../../contract/study/calls.ts';
import type { PlanLine } from '../../../../contract/study/index.ts';
import type { Contest } from './contests.ts';
import { regionsOf, regionsText } from './regions.ts';

interface ClaimedPair {
  readonly slower: string;
  readonly faster: string;
  readonly rival: boolean;
}

export interface StudyClaim extends Said {
  readonly claim: string;
  readonly pairs: readonly ClaimedPair[];
  /** Whether it is about the problem of this point. */
  readonly speaks: (line: PlanLine) => boolean;
}

interface Found {
  readonly place: Contest;
  readonly value: number;
  readonly label: string;
}

function foundAt(place: Contest, claim: StudyClaim, pair: ClaimedPair): Found | null {
  const of = (variant: string) => place.contestants.find((one) => one.variant === variant);
  const [slower, faster] = [of(pair.slower), of(pair.faster)];
  if (slower === undefined || faster === undefined || !claim.speaks(faster.line)) return null;
  const value = slower.time_s / faster.time_s;
  if (slower.wrong !== null || faster.wrong !== null) return { place, value, label: 'by a wrong answer' };
  const [s, f] = [slower.interval, faster.interval];
  // Both medians at their worst: wider than 95 %, and never too sure.
  const interval = s === null || f === null ? null : { low: s.low / f.high, high: s.high / f.low };
  return { place, value, label: judgeClaim({ value, interval }, saidOf(claim, pair.rival)) };
}

const times = (ratio: number): string => `${Number(ratio.toPrecision(3))}×`;

/** A line for each pair and machine; none for claims whose pairs were not studied. */
export function claimAdvice(places: readonly Contest[], claims: readonly StudyClaim[]): readonly StudyAdvice[] {
  const machines = Map.groupBy(places, ({ machine }) => machine);
  return claims.flatMap((claim) =>
    claim.pairs.flatMap((pair) =>
      [...machines].flatMap(([machine, mine]): readonly StudyAdvice[] => {
        const found = mine.map((place) => foundAt(place, claim, pair)).filter((one) => one !== null);
        if (found.length === 0) return [];
        const regions = regionsOf(found.map(({ place, label }) => ({ at: place.at, label })));
        const values = found.map(({ value }) => value).toSorted((a, b) => a - b);
        const [low = 0, high = 0] = [values[0], values.at(-1)];
        const span = values.length === 1 ? times(low) : `${times(low)} to ${times(high)}`;
        return [
          {
            text: `${claim.claim}, claimed ${claimedBand(claim)}: ${regionsText(regions)}.`,
            evidence: [
              `${pair.slower} → ${pair.faster}: ${span} at ${found.length} point${found.length === 1 ? '' : 's'}, ${machine}`,
              ...(claim.needs === undefined || pair.rival ? [] : [`not judged here: needs ${claim.needs}`]),
            ],
          },
        ];
      }),
    ),
  );
}
