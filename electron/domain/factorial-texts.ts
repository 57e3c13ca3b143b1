/** Texts about the effects of single and combined optimisations, for charts, tables and the command line. */
import type { Ratio } from '../contract/bench/bench-session.ts';
import type { Factorial } from '../contract/bench/factorial.ts';
import { factorText } from './measured.ts';

type Factors = Pick<Factorial, 'factors'>;

const factorTitle = ({ factors }: Factors, id: string): string => factors.find((one) => one.id === id)?.title ?? id;

/** Names the factors in a set: `page-locked memory + streams`; `none of them` for an empty set. */
export function factorSetText(all: Factors, set: readonly string[]): string {
  return set.length === 0 ? 'none of them' : set.map((id) => factorTitle(all, id)).join(' + ');
}

interface FactorialRow {
  /**
   * Name of the row, such as `streams, alone`, `streams, with page-locked memory` or `streams × page-locked memory`.
   */
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
    given.length === 0 ? '' : `, with ${factorSetText(factorial, given)}`;
  return [
    ...effects.map(({ of, given, gain, verdict }) => ({
      name: factorTitle(factorial, of) + (given.length === 0 ? ', alone' : company(given)),
      isInteraction: false,
      ratio: gain,
      verdict,
    })),
    ...interactions.map(({ of, given, times, verdict }) => ({
      name: of.map((id) => factorTitle(factorial, id)).join(' × ') + company(given),
      isInteraction: true,
      ratio: times,
      verdict: interactionText[verdict],
    })),
  ];
}

/**
 * Sentences that compare the fastest correct combination with no optimisation, and list combinations that were not
 * measured.
 */
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
        : [
            `Fastest is ${best.label}, ${factorSetText(factorial, best.with)}: ${factorText(best.gain)} compared with ${first.label}.`,
          ]),
    'A round dot shows the speedup from one optimisation, alone or with others; a square shows the combined speedup of several divided by the product of their separate speedups.',
    ...[...reasons].map(
      ([reason, own]) =>
        `Not measured: ${own.map((one) => factorSetText(factorial, one.with)).join('; ')} (${reason}).`,
    ),
  ].join(' ');
}
