/** One session of `gate`: a host and processes of its own, so that sessions share nothing but the machine. */
import type { Session } from '../../contract/bench/session.ts';
import { placeOf } from '../../host/app/user-kernels/user-kernels.ts';
import { limitsOf, mostRounds } from '../../host/model/bench/index.ts';
import { flagValue } from '../arguments.ts';
import { measured, seedOf } from '../benching.ts';
import { withHost } from '../open-host.ts';
import { readScenario } from '../read-scenario.ts';
import { openUserKernels } from '../user-kernels.ts';
import type { VerbContext } from '../verb.ts';
import { workloadFor } from '../workloads/index.ts';
import type { Gated } from './verdict.ts';

/** The first Ctrl+C: what was measured so far decides nothing. */
export class GateCancelled extends Error {
  override readonly name = 'GateCancelled';
}

export interface GateRequest {
  /** Most additional time that passes, as a share. */
  readonly allowed: number;
  /** Time of all sessions together. */
  readonly seconds: number;
  /** As typed; null for the usual ones. */
  readonly variants: readonly string[] | null;
}

export interface GateResult {
  readonly variants: readonly Gated[];
  /** Sentences for a reader. */
  readonly facts: readonly string[];
}

/** Narrower intervals decide nothing more, and take four times the time for half the width. */
const narrowest = 0.0025;

/** `number`: which session of this gate it is. Throws GateCancelled, and a BraggError for a kernel that cannot be compiled. */
export async function gateSession(
  context: VerbContext,
  names: readonly string[],
  { allowed }: GateRequest,
  { seconds, number }: { readonly seconds: number; readonly number: number },
): Promise<Session> {
  const { parsed } = context;
  return withHost(
    async (host) => {
      const reading = await readScenario(context, host, (kind) => workloadFor(kind).fit);
      const place = placeOf(reading.scenario ?? { kind: reading.kind });
      const session = await measured(context, host, {
        verb: 'gate',
        ...{ readings: [reading], modes: [], sweep: null, processes: 0, seed: seedOf(parsed) + number },
        variants: await openUserKernels(context, host, names, place),
        // Half of what passes: an interval as narrow as that can lie on either side of it.
        limits: limitsOf(mostRounds, seconds, { precision: Math.max(narrowest, allowed / 2) }),
      });
      if (session.reports.some(({ stopped }) => stopped === 'cancelled')) throw new GateCancelled();
      return session;
    },
    flagValue(parsed, 'gpu'),
  );
}
