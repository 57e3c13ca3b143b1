/** Proton transport as sessions take it. */
import type { NativeAddon, TransportProblem } from '../../../io/addon/addon.ts';
import type { Arena, Oracle } from '../../../model/bench/arena.ts';
import { candidates } from '../../../model/bench/candidates.ts';
import { sessionClaims } from '../../../model/bench/claim-results.ts';
import type { Claim } from '../../../model/bench/claims.ts';
import { coldStart } from '../../../model/bench/cold/process.ts';
import type { Entrant } from '../../../model/bench/contestant.ts';
import { oracleFor } from '../../../model/bench/oracle.ts';
import { coldRunOf, headOf, TransportContestant } from './contestant.ts';
import { problemOnPath } from './rivals.ts';

interface TransportArenaOptions {
  /** Ids, or id@precision, or id:gpu. */
  readonly variants: readonly string[];
  readonly claims?: readonly Claim[];
  /** Other programs, which step along the path. */
  readonly rivals?: readonly Entrant[];
  readonly signal?: AbortSignal | undefined;
}

/** Throws a BraggError for variants that are not known. */
export function transportArena(addon: NativeAddon, problem: TransportProblem, options: TransportArenaOptions): Arena {
  const { claims = [], rivals = [], signal } = options;
  const all = candidates(problem, options.variants, addon.variants());
  const stepping = new Map(all.map((one) => [one.label, one]));
  const known = new Map<string, Promise<Oracle>>();
  const path = problemOnPath(problem);
  const oracleOf = async (label: string): Promise<Oracle | null> => {
    const candidate = stepping.get(label) ?? { problem: path };
    const which = candidate.problem.solver.stepping;
    const found =
      known.get(which) ??
      oracleFor(addon, candidate.problem, signal).then(({ oracle, reason }) => ({
        values: oracle?.dose ?? null,
        told: `${which}: ${oracle === null ? `none (${reason ?? 'no reason known'})` : `${oracle.variant} in fp64`}`,
      }));
    known.set(which, found);
    return found;
  };
  return {
    bench: '',
    title: 'Proton transport',
    entrants: [
      ...all.map((candidate) => ({
        head: headOf(candidate),
        enter: () => new TransportContestant(addon, candidate, signal),
        cold: coldStart(coldRunOf(candidate)),
      })),
      ...rivals,
    ],
    // Every run allocates, uploads and fills its state again, so each is an instance of its own.
    roundsPerInstance: 1,
    oracle: ({ label }) => oracleOf(label),
    facts: () => [],
    claims: (report) => sessionClaims(claims, report),
  };
}
