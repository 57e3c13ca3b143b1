/** Which samples are doubtful. They are kept; the report shows intervals with and without them. */
import type { ClockState } from '../../../contract/devices.ts';

/** A clock this far below the session's highest has dropped. */
const dropShare = 0.97;

export interface Clocked {
  readonly before: ClockState | null;
  readonly after: ClockState | null;
}

/** The throttle reasons of a sample, or that its clock had dropped below `highest_MHz`; null when neither. */
export function flagOf({ before, after }: Clocked, highest_MHz: number | null): string | null {
  const throttles = [before, after].flatMap((state) => (state?.throttled === true ? state.reasons : []));
  const named = [...new Set(throttles)].filter((reason) => reason !== 'idle');
  if (named.length > 0) return named.join(', ');
  const clock = after?.sm_MHz ?? null;
  if (clock === null || highest_MHz === null || clock >= dropShare * highest_MHz) return null;
  return `clock at ${clock} MHz, ${highest_MHz} MHz at best`;
}

/** `samples` with what is doubtful about each, by the highest clock of `all` of the session. */
export function flaggedIn<S extends { readonly clocks: Clocked }>(samples: readonly S[], all: readonly S[]) {
  const clocks = all.flatMap((one) => one.clocks.after?.sm_MHz ?? []);
  const highest = clocks.length === 0 ? null : Math.max(...clocks);
  return samples.map((raw) => ({ raw, flag: flagOf(raw.clocks, highest) }));
}
