/** Optimisations alone and together in words: for charts, tables and the command line. */
import type { Ratio } from '../../electron/contract/bench/bench-session.ts';
import type { Factorial } from '../../electron/contract/bench/factorial.ts';
import { timesText } from './measured.ts';

type Factors = Pick<Factorial, 'factors'>;

const titleOf = ({ factors }: Factors, id: string): string => factors.find((one) => one.id === id)?.title ?? id;

/** `page-locked memory + streams`; of nothing `none of them`. */
export function setText(all: Factors, set: readonly string[]): string {
  return set.length === 0 ? 'none of them' : set.map((id) => titleOf(all, id)).join(' + ');
}

interface FactorialRow {
  /** `streams, alone`, `streams, with page-locked memory`, `streams × page-locked memory`. */
  readonly name: string;
  readonly isInteraction: boolean;
  readonly ratio: Ratio;
  readonly verdict: string;
}

const interactionText = {
  more: 'more together than their product',
  less: 'less together than their product',
  none: 'their product',
  undecided: 'undecided',
} as const;

export function factorialRows(factorial: Factorial): readonly FactorialRow[] {
  const { effects, interactions } = factorial;
  const company = (given: readonly string[]): string =>
    given.length === 0 ? '' : `, with ${setText(factorial, given)}`;
  return [
    ...effects.map(({ of, given, gain, verdict }) => ({
      name: titleOf(factorial, of) + (given.length === 0 ? ', alone' : company(given)),
      isInteraction: false,
      ratio: gain,
      verdict,
    })),
    ...interactions.map(({ of, given, times, verdict }) => ({
      name: of.map((id) => titleOf(factorial, id)).join(' × ') + company(given),
      isInteraction: true,
      ratio: times,
      verdict: interactionText[verdict],
    })),
  ];
}

/** The fastest right combination over none, and what there is no variant of. */
export function factorialText(factorial: Factorial): string {
  const { cells, absent } = factorial;
  const right = cells.filter(({ wrong }) => !wrong);
  const [first] = cells;
  const best = right.reduce<(typeof cells)[number] | null>(
    (fastest, one) => (fastest === null || one.time_s < fastest.time_s ? one : fastest),
    null,
  );
  const reasons = Map.groupBy(absent, ({ reason }) => reason);
  return [
    ...(best === null || first === undefined
      ? []
      : best === first
        ? [`None of the combinations is faster than ${first.label}.`]
        : [`Fastest is ${best.label}, ${setText(factorial, best.with)}: ${timesText(best.gain)} over ${first.label}.`]),
    'A round dot is how many times faster one optimisation makes it, alone or in company; a square how many times more several give together than the product of what each gives.',
    ...[...reasons].map(
      ([reason, own]) => `Not measured: ${own.map((one) => setText(factorial, one.with)).join('; ')} (${reason}).`,
    ),
  ].join(' ');
}
