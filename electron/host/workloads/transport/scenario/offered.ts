/** A named variant decides what the file leaves open of it: depth stepping alone is no fault of who asks for `depth`. */
import { type TransportScenario, valueAt } from '../../../../contract/scenario/index.ts';
import type { Offers } from '../../../io/addon/addon.ts';

type Solver = Pick<TransportScenario['solver'], 'stepping' | 'precision'>;

/** Whether the document says it itself; else it is a default. */
export const isSaid = (document: unknown, key: keyof Solver): boolean =>
  valueAt(document, ['solver', key]) !== undefined;

/** `solver` with the stepping and precision that the variant offers, where the document says none and the default is not among them. */
export function asOffered<S extends Solver>(solver: S, document: unknown, offers: Offers | null): S {
  if (offers === null) return solver;
  const { steppings, precisions } = offers;
  const [stepping] = steppings;
  const [precision] = precisions;
  return {
    ...solver,
    ...(stepping !== undefined &&
      !steppings.includes(solver.stepping) &&
      !isSaid(document, 'stepping') && { stepping }),
    ...(precision !== undefined &&
      !precisions.includes(solver.precision) &&
      !isSaid(document, 'precision') && { precision }),
  };
}
