/**
 * A named variant sets the stepping and precision that the file leaves open. So choosing `depth`, which supports only
 * depth stepping, is not an error.
 */
import { type TransportScenario, valueAt } from '../../../../contract/scenario/index.ts';
import type { Offers } from '../../../io/addon/addon.ts';

type Solver = Pick<TransportScenario['solver'], 'stepping' | 'precision'>;

/** Whether the document says it itself; else it is a default. */
export const isSaid = (document: unknown, key: keyof Solver): boolean =>
  valueAt(document, ['solver', key]) !== undefined;

/** `solver` with the stepping and precision that the variant offers, where the document says none and the default is not among them. */
export function asOffered<S extends Solver>(solver: S, document: unknown, offers: Offers | null): S {
  if (offers === null) return solver;
  const taken = <K extends keyof Solver>(key: K, offered: readonly Solver[K][]): Solver[K] =>
    offered.includes(solver[key]) || isSaid(document, key) ? solver[key] : (offered[0] ?? solver[key]);
  return {
    ...solver,
    stepping: taken('stepping', offers.steppings),
    precision: taken('precision', offers.precisions),
  };
}
