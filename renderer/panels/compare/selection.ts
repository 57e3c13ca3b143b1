/** Which variants are ticked: the user's choice, and before there is one what fits into the time. */
import type { ExpectedTime, FactorialChoice } from '../../../electron/contract/bench/benches.ts';
import { suggestedVariants } from '../../../electron/contract/bench/suggested.ts';
import type { Variant } from '../../../electron/contract/capabilities.ts';
import { precisionSchema } from '../../../electron/contract/run.ts';
import type { CompareState } from './store.ts';
import type { Benched } from './variants.ts';

export const benchKey = ({ workload, bench }: Benched): string => `${workload} ${bench}`;

type Kept = Pick<CompareState, 'variants' | 'touched' | 'time_s'>;

/** One benchmark's, in the order they were ticked. */
export function tickedVariants(
  config: Kept,
  place: Benched,
  known: readonly Pick<Variant, 'id' | 'available'>[],
  times: ReadonlyMap<string, ExpectedTime>,
): readonly string[] {
  if (!config.touched.includes(benchKey(place))) return suggestedVariants(known, times, config.time_s);
  return config.variants.filter((id) => known.some((one) => one.id === id));
}

/** The user's choice from now on; those of other benchmarks stay. */
export function withTicked(
  config: Kept,
  place: Benched,
  known: readonly Pick<Variant, 'id'>[],
  ticked: readonly string[],
): Pick<CompareState, 'variants' | 'touched'> {
  const key = benchKey(place);
  const others = config.variants.filter((id) => !known.some((one) => one.id === id));
  return {
    variants: [...others, ...ticked],
    touched: [...config.touched.filter((one) => one !== key), key],
  };
}

/** As it is suggested again. */
export function withoutTicked(config: Kept, place: Benched): Pick<CompareState, 'touched'> {
  return { touched: config.touched.filter((one) => one !== benchKey(place)) };
}

/** Its variants, in each precision that it asks for. */
export function withFactorial(
  config: Kept,
  place: Benched,
  known: readonly Pick<Variant, 'id'>[],
  { labels }: FactorialChoice,
): Pick<CompareState, 'variants' | 'touched' | 'precisions'> {
  const asked = labels.map((label) => label.split('@'));
  const ids = [...new Set(asked.map(([id = '']) => id))];
  const precisions = [...new Set(asked.flatMap(([, precision]) => precision ?? []))];
  return {
    ...withTicked(config, place, known, ids),
    precisions: precisionSchema.options.filter((one) => precisions.includes(one)),
  };
}
