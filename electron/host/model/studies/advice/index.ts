/** Conclusions from a study, in sentences based on its points. */
import type { StudyAdvice } from '../../../../contract/study/calls.ts';
import type { PlanHead } from '../../../../contract/study/index.ts';
import { median } from '../../bench/statistics.ts';
import { claimAdvice, type StudyClaim } from './claims.ts';
import { type Contest, type Contestant, contestsOf, FAR_APART, type Solved } from './contests.ts';
import { convergenceAdvice } from './convergence.ts';
import { regionsOf, regionsText } from './regions.ts';

/** Fastest correct variant by region of a study's space; machines are treated separately. */
const UNDECIDED = 'undecided';
const NONE = 'none is right';

interface Won {
  readonly place: Contest;
  readonly label: string;
  readonly first: Contestant | null;
  /** Time of the next right one over that of the first; null: there is none. */
  readonly gain: number | null;
}

/** Whole intervals apart decide; without intervals times alone do, which is said. */
function wonAt(place: Contest): Won {
  const right = place.contestants.filter(({ wrong }) => wrong === null).toSorted((a, b) => a.time_s - b.time_s);
  const [first, next] = right;
  if (first === undefined) return { place, label: NONE, first: null, gain: null };
  const gain = next === undefined ? null : next.time_s / first.time_s;
  const overlap =
    next !== undefined && first.interval !== null && next.interval !== null && first.interval.high >= next.interval.low;
  return { place, label: overlap ? UNDECIDED : first.variant, first, gain };
}

const times = (ratio: number): string => `${Number(ratio.toPrecision(3))}×`;
const percent = (ratio: number): string => `${Number((100 * ratio).toPrecision(2))} %`;
const points = (n: number): string => `${n} point${n === 1 ? '' : 's'}`;

function evidenceOf(won: readonly Won[]): readonly string[] {
  const named = [...Map.groupBy(won, ({ label }) => label)].filter(([label]) => label !== NONE && label !== UNDECIDED);
  const gains = named.map(([label, mine]) => {
    const all = mine.flatMap(({ gain }) => (gain === null ? [] : [gain])).toSorted((a, b) => a - b);
    const [low, high] = [all[0], all.at(-1)];
    if (low === undefined || high === undefined)
      return `${label}: fastest at ${points(mine.length)}, with no other beside it`;
    const span = all.length === 1 ? '' : ` (${times(low)} to ${times(high)})`;
    return `${label}: fastest at ${mine.length} of ${points(won.length)}, ${times(median(all))} the next${span}`;
  });
  const undecided = won.filter(({ label }) => label === UNDECIDED).length;
  const single = won.filter(({ place }) => place.contestants.some(({ interval }) => interval === null)).length;
  const shared = won.filter(({ place }) => place.shared).length;
  const worst = won
    .flatMap(({ place }) => (place.apart === null ? [] : [place.apart]))
    .toSorted((a, b) => b.ratio - a.ratio)[0];
  const wrong = Map.groupBy(
    won.flatMap(({ place }) => place.contestants.filter((one) => one.wrong !== null)),
    ({ variant }) => variant,
  );
  return [
    ...gains,
    ...(undecided === 0 ? [] : [`undecided at ${points(undecided)}: the intervals of the two fastest overlap`]),
    ...[...wrong].map(([variant, all]) => `left out: ${variant} at ${points(all.length)}, since ${all[0]?.wrong}`),
    ...(worst === undefined
      ? []
      : [
          `readouts of the variants differ by at most ${percent(worst.ratio)} (${worst.readout}); beyond ${percent(FAR_APART)} one is left out`,
        ]),
    ...(single === 0
      ? []
      : [`at ${points(single)} times have no interval: fewer than five repeats decide by the times alone`]),
    ...(shared === 0 ? [] : [`at ${points(shared)} others ran beside: such times are no measurement`]),
  ];
}

/** A line a machine. */
function bestAdvice(places: readonly Contest[]): readonly StudyAdvice[] {
  const machines = Map.groupBy(places, ({ machine }) => machine);
  return [...machines].map(([machine, mine]): StudyAdvice => {
    const won = mine.map(wonAt);
    const regions = regionsOf(won.map(({ place, label }) => ({ at: place.at, label })));
    return {
      text: `Fastest right variant on ${machine}: ${regionsText(regions)}.`,
      evidence: evidenceOf(won),
    };
  });
}

export type { StudyClaim } from './claims.ts';

export function adviceOf(
  head: PlanHead,
  rows: readonly Solved[],
  { claims, error_mm }: { readonly claims: readonly StudyClaim[]; readonly error_mm: number },
): readonly StudyAdvice[] {
  const places = contestsOf(head, rows) ?? [];
  return [
    ...(places.length === 0 ? [] : bestAdvice(places)),
    ...claimAdvice(places, claims),
    ...convergenceAdvice(head, rows, error_mm),
  ];
}
