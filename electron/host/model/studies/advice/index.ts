/**
 * Derives conclusions from the points of a study, as sentences: where a published claim holds, which variant is
 * fastest, and how results converge with the steps of the grid.
 */
import {
  type ClaimTerms,
  claimedRangeText,
  judgeClaim,
  termsForMeasurement,
} from '../../../../contract/bench/claims.ts';
import { formatPath } from '../../../../contract/scenario/index.ts';
import type { StudyAdvice } from '../../../../contract/study/calls.ts';
import type { PlanHead, PlanLine } from '../../../../contract/study/index.ts';
import { median } from '../../bench/statistics.ts';
import { canonicalJson } from '../points.ts';
import {
  compareVariants,
  findRegions,
  MAX_DEVIATION,
  regionsText,
  type SolvedPoint,
  type VariantComparison,
  type VariantTimes,
} from './regions.ts';

interface SizedPoint {
  /** By the path of each grid step: its length divided by its length on the finest grid. */
  readonly factors: ReadonlyMap<string, number>;
  readonly rest: string;
  readonly solved: SolvedPoint;
}

interface ConvergenceFit {
  /**
   * Order p of convergence: the error is proportional to step^p. Null if the changes between grids do not shrink
   * evenly.
   */
  readonly order: number | null;
  /** Limit for a vanishing step; without an order, the result on the finest grid. */
  readonly limit: number;
  /** Upper limit of the error, by the step relative to the finest grid's. */
  readonly errors: ReadonlyMap<number, number>;
}

/** Plausible range for the order of a numerical method. */
const [MIN_ORDER, MAX_ORDER] = [0.3, 5];
const isNearlyEqual = (a: number, b: number): boolean => Math.abs(a / b - 1) < 1e-6;

/**
 * Fits order and limit to the results on the three finest grids (Richardson extrapolation). Null unless the ratio of
 * their steps is constant.
 */
export function fitConvergence(answers: ReadonlyMap<number, number>): ConvergenceFit | null {
  const factors = [...answers.keys()].toSorted((a, b) => a - b);
  const [h1, h2, h3] = factors;
  if (h1 === undefined || h2 === undefined || h3 === undefined || !isNearlyEqual(h2 / h1, h3 / h2)) return null;
  const [f1 = 0, f2 = 0, f3 = 0] = [h1, h2, h3].map((h) => answers.get(h));
  const shrink = (f3 - f2) / (f2 - f1);
  const fitted = shrink > 0 ? Math.log(shrink) / Math.log(h2 / h1) : Number.NaN;
  const order = fitted >= MIN_ORDER && fitted <= MAX_ORDER ? fitted : null;
  const limit = order === null ? f1 : f1 - (f2 - f1) / ((h2 / h1) ** order - 1);
  // Without an order, the change between the two finest grids is used as an estimate of the error.
  const doubt = order === null ? Math.abs(f2 - f1) : 0;
  const errors = new Map(factors.map((h) => [h, Math.abs((answers.get(h) ?? Number.NaN) - limit) + doubt]));
  return { order, limit, errors };
}

function pointsByGrid(
  head: PlanHead,
  rows: readonly SolvedPoint[],
): { readonly paths: readonly string[]; readonly all: readonly SizedPoint[] } {
  const { reference = {} } = head.study as { readonly reference?: Readonly<Record<string, unknown>> };
  const steps = Object.entries(reference).filter((entry): entry is [string, number] => typeof entry[1] === 'number');
  const paths = steps.map(([path]) => path);
  const all = rows.flatMap((solved): readonly SizedPoint[] => {
    const { line, result } = solved;
    if (result.status !== 'done') return [];
    const named = new Map(line.settings.map(({ path, value }) => [formatPath(path), value]));
    const factors = new Map(
      steps.flatMap(([path, finest]) => {
        const value = named.get(path);
        return typeof value === 'number' ? [[path, Number((value / finest).toPrecision(6))] as const] : [];
      }),
    );
    if (factors.size !== paths.length) return [];
    const rest = canonicalJson([line.base, [...named].filter(([name]) => !(name in reference))]);
    return [{ factors, rest, solved }];
  });
  return { paths, all };
}

const number = (value: number): string => String(Number(value.toPrecision(3)));
const readoutValue = ({ solved }: SizedPoint, name: string): number | null => {
  const found = solved.result.measures.find((one) => one.group === 'readouts' && one.name === name)?.value;
  return typeof found === 'number' ? found : null;
};

/** Names of the readouts in mm that all points have. */
function lengthReadoutNames(all: readonly SizedPoint[]): readonly string[] {
  const [first] = all;
  return (first?.solved.result.measures ?? [])
    .filter(({ group, unit, name }) => group === 'readouts' && unit === 'mm' && name !== 'resolution_mm')
    .map(({ name }) => name)
    .filter((name) => all.every((one) => readoutValue(one, name) !== null));
}

/** Relative step of the coarsest grid for which it and all finer grids are accurate enough; null if there is none. */
function coarsestAccurateGrid({ errors }: ConvergenceFit, requested: number): number | null {
  let found: number | null = null;
  for (const [factor, error] of [...errors].toSorted(([a], [b]) => a - b)) {
    if (error > requested) break;
    found = factor;
  }
  return found;
}

function gridText(sized: SizedPoint): string {
  return sized.solved.line.settings
    .filter(({ path }) => sized.factors.has(formatPath(path)))
    .map(({ path, value }) => `${formatPath(path)} = ${String(value)}`)
    .join(', ');
}

/**
 * Evidence for the effect of each step. Uses one grid for which the study also halved each step separately; empty if
 * there is no such grid.
 */
function stepEvidence(paths: readonly string[], all: readonly SizedPoint[], name: string): readonly string[] {
  const base = all.find(({ factors }) =>
    paths.every((path) =>
      all.some((other) =>
        paths.every((p) => isNearlyEqual(other.factors.get(p) ?? 0, (factors.get(p) ?? 1) * (p === path ? 0.5 : 1))),
      ),
    ),
  );
  if (base === undefined) return [];
  const changes = paths.map((path) => {
    const halved = all.find(({ factors }) =>
      paths.every((p) => isNearlyEqual(factors.get(p) ?? 0, (base.factors.get(p) ?? 1) * (p === path ? 0.5 : 1))),
    );
    return {
      path,
      change: (halved === undefined ? 0 : (readoutValue(halved, name) ?? 0)) - (readoutValue(base, name) ?? 0),
    };
  });
  const sorted = changes.toSorted((a, b) => Math.abs(b.change) - Math.abs(a.change));
  return [
    `halving one step alone changes it by ${sorted.map(({ path, change }) => `${number(change)} mm (${path})`).join(', ')}`,
  ];
}

/** Conclusions about convergence. `asked_mm` is the accepted error. Empty if the study does not refine a grid. */
function convergenceAdvice(head: PlanHead, rows: readonly SolvedPoint[], asked_mm: number): readonly StudyAdvice[] {
  const { paths, all } = pointsByGrid(head, rows);
  if (paths.length === 0) return [];
  const together = ({ factors }: SizedPoint): boolean => new Set(factors.values()).size === 1;
  return [...Map.groupBy(all, ({ rest }) => rest).values()].flatMap((mine) => {
    const grids = mine.filter(together);
    return lengthReadoutNames(mine).flatMap((name): readonly StudyAdvice[] => {
      const answers = new Map(
        grids.map((one) => [[...one.factors.values()][0] ?? 1, readoutValue(one, name) ?? Number.NaN]),
      );
      const fit = fitConvergence(answers);
      if (fit === null) return [];
      const factor = coarsestAccurateGrid(fit, asked_mm);
      const grid = grids.find((one) => [...one.factors.values()][0] === factor);
      const goal = `${name} to ${number(asked_mm)} mm`;
      return [
        {
          text:
            grid === undefined
              ? `${goal}: no grid in this study is fine enough.`
              : `${goal}: ${gridText(grid)} is fine enough.`,
          evidence: [
            fit.order === null
              ? `its changes do not decrease regularly, so no order of convergence is given; errors are relative to the finest grid, plus the last change`
              : `order ${Number(fit.order.toPrecision(2))}, converges to ${Number(fit.limit.toPrecision(7))} mm`,
            `errors: ${[...fit.errors]
              .toSorted(([a], [b]) => a - b)
              .map(([h, error]) => `${number(error)} mm at ${number(h)}× the finest steps`)
              .join(', ')}`,
            ...stepEvidence(paths, mine, name),
          ],
        },
      ];
    });
  });
}

interface ClaimedPair {
  readonly slower: string;
  readonly faster: string;
  readonly rival: boolean;
}

export interface StudyClaim extends ClaimTerms {
  readonly claim: string;
  readonly pairs: readonly ClaimedPair[];
  /** Whether the claim applies to the problem of a point. */
  readonly appliesTo: (line: PlanLine) => boolean;
}

interface ClaimEvidence {
  readonly place: VariantComparison;
  readonly value: number;
  readonly label: string;
}

function claimEvidenceAt(place: VariantComparison, claim: StudyClaim, pair: ClaimedPair): ClaimEvidence | null {
  const of = (variant: string) => place.candidates.find((one) => one.variant === variant);
  const [slower, faster] = [of(pair.slower), of(pair.faster)];
  if (slower === undefined || faster === undefined || !claim.appliesTo(faster.line)) return null;
  const value = slower.time_s / faster.time_s;
  if (slower.wrong !== null || faster.wrong !== null) return { place, value, label: 'with a wrong result' };
  const [s, f] = [slower.interval, faster.interval];
  // The ends of both intervals are combined, so that the interval of the ratio has a coverage of at least 95 %.
  const interval = s === null || f === null ? null : { low: s.low / f.high, high: s.high / f.low };
  return { place, value, label: judgeClaim({ value, interval }, termsForMeasurement(claim, pair.rival)) };
}

const times = (ratio: number): string => `${Number(ratio.toPrecision(3))}×`;

/**
 * Conclusions about claims, one for each pair of variants and each machine. Claims whose pairs were not studied are
 * left out.
 */
function claimAdvice(places: readonly VariantComparison[], claims: readonly StudyClaim[]): readonly StudyAdvice[] {
  const machines = Map.groupBy(places, ({ machine }) => machine);
  return claims.flatMap((claim) =>
    claim.pairs.flatMap((pair) =>
      [...machines].flatMap(([machine, mine]): readonly StudyAdvice[] => {
        const found = mine.map((place) => claimEvidenceAt(place, claim, pair)).filter((one) => one !== null);
        if (found.length === 0) return [];
        const regions = findRegions(found.map(({ place, label }) => ({ at: place.at, label })));
        const values = found.map(({ value }) => value).toSorted((a, b) => a - b);
        const [low = 0, high = 0] = [values[0], values.at(-1)];
        const span = values.length === 1 ? times(low) : `${times(low)} to ${times(high)}`;
        return [
          {
            text: `${claim.claim}, claimed ${claimedRangeText(claim)}: ${regionsText(regions)}.`,
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

/** Labels of points at which no variant is the fastest: the intervals overlap, or no variant is correct. */
const UNDECIDED_TEXT = 'undecided';
const NO_CORRECT_VARIANT = 'none is correct';

interface FastestVariant {
  readonly place: VariantComparison;
  readonly label: string;
  readonly first: VariantTimes | null;
  /** Time of the second fastest correct variant divided by that of the fastest; null if there is no second. */
  readonly gain: number | null;
}

/**
 * Fastest correct variant at a point. If its interval overlaps that of the second fastest, the point is undecided.
 * Without intervals the times alone decide.
 */
function fastestVariantAt(place: VariantComparison): FastestVariant {
  const right = place.candidates.filter(({ wrong }) => wrong === null).toSorted((a, b) => a.time_s - b.time_s);
  const [first, next] = right;
  if (first === undefined) return { place, label: NO_CORRECT_VARIANT, first: null, gain: null };
  const gain = next === undefined ? null : next.time_s / first.time_s;
  const overlap =
    next !== undefined && first.interval !== null && next.interval !== null && first.interval.high >= next.interval.low;
  return { place, label: overlap ? UNDECIDED_TEXT : first.variant, first, gain };
}

const percent = (ratio: number): string => `${Number((100 * ratio).toPrecision(2))} %`;
const points = (n: number): string => `${n} point${n === 1 ? '' : 's'}`;

function speedEvidence(won: readonly FastestVariant[]): readonly string[] {
  const named = [...Map.groupBy(won, ({ label }) => label)].filter(
    ([label]) => label !== NO_CORRECT_VARIANT && label !== UNDECIDED_TEXT,
  );
  const gains = named.map(([label, mine]) => {
    const all = mine.flatMap(({ gain }) => (gain === null ? [] : [gain])).toSorted((a, b) => a - b);
    const [low, high] = [all[0], all.at(-1)];
    if (low === undefined || high === undefined)
      return `${label}: fastest at ${points(mine.length)}, without a close competitor`;
    const span = all.length === 1 ? '' : ` (${times(low)} to ${times(high)})`;
    return `${label}: fastest at ${mine.length} of ${points(won.length)}, ${times(median(all))} faster than the next${span}`;
  });
  const undecided = won.filter(({ label }) => label === UNDECIDED_TEXT).length;
  const single = won.filter(({ place }) => place.candidates.some(({ interval }) => interval === null)).length;
  const shared = won.filter(({ place }) => place.shared).length;
  const worst = won
    .flatMap(({ place }) => (place.deviation === null ? [] : [place.deviation]))
    .toSorted((a, b) => b.ratio - a.ratio)[0];
  const wrong = Map.groupBy(
    won.flatMap(({ place }) => place.candidates.filter((one) => one.wrong !== null)),
    ({ variant }) => variant,
  );
  return [
    ...gains,
    ...(undecided === 0 ? [] : [`undecided at ${points(undecided)}: the intervals of the two fastest overlap`]),
    ...[...wrong].map(([variant, all]) => `excluded: ${variant} at ${points(all.length)}, because ${all[0]?.wrong}`),
    ...(worst === undefined
      ? []
      : [
          `readouts of the variants differ by at most ${percent(worst.ratio)} (${worst.readout}); beyond ${percent(MAX_DEVIATION)} a variant is excluded`,
        ]),
    ...(single === 0
      ? []
      : [`only medians are compared at ${points(single)}, because fewer than five repeats give no interval`]),
    ...(shared === 0 ? [] : [`times inflated at ${points(shared)}, because other points ran at the same time`]),
  ];
}

/** Conclusions about the fastest variant, one for each machine. */
function fastestAdvice(places: readonly VariantComparison[]): readonly StudyAdvice[] {
  const machines = Map.groupBy(places, ({ machine }) => machine);
  return [...machines].map(([machine, mine]): StudyAdvice => {
    const won = mine.map(fastestVariantAt);
    const regions = findRegions(won.map(({ place, label }) => ({ at: place.at, label })));
    return {
      text: `Fastest correct variant on ${machine}: ${regionsText(regions)}.`,
      evidence: speedEvidence(won),
    };
  });
}

export function deriveAdvice(
  head: PlanHead,
  rows: readonly SolvedPoint[],
  { claims, error_mm }: { readonly claims: readonly StudyClaim[]; readonly error_mm: number },
): readonly StudyAdvice[] {
  const places = compareVariants(head, rows) ?? [];
  return [
    ...(places.length === 0 ? [] : fastestAdvice(places)),
    ...claimAdvice(places, claims),
    ...convergenceAdvice(head, rows, error_mm),
  ];
}
