/** Flags doubtful samples. They are not removed; the report shows intervals with and without them. */
import type { ClockState } from '../../../contract/devices.ts';
import { inOrder, quantileInOrder } from '../verdicts/order.ts';

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

/** Tukey's far fences: so many distances of the quartiles beyond them. */
const farFences = 3;
/** Fewer samples have no quartiles to speak of. */
const fewestForFences = 10;
/** Smaller deviations from the median are never flagged, however small the spread of the others. */
const leastOdd = 0.05;

/** Whether a time lies far from the others of its series. */
export function oddIn(times: readonly number[]): (time: number) => boolean {
  if (times.length < fewestForFences) return () => false;
  const sorted = inOrder(times);
  const [first, middle, third] = [0.25, 0.5, 0.75].map((share) => quantileInOrder(sorted, share)) as [
    number,
    number,
    number,
  ];
  const reach = farFences * (third - first);
  return (time) => {
    const odd = time < first - reach || time > third + reach;
    return odd && Math.abs(time / middle - 1) > leastOdd;
  };
}

/** Samples of one series with what is doubtful about each: by the highest clock of the session, and by their times. */
export function flagSeries<S extends { readonly clocks: Clocked }>(
  samples: readonly S[],
  { highest_MHz, timeOf }: { readonly highest_MHz: number | null; readonly timeOf: (sample: S) => number },
) {
  const odd = oddIn(samples.map(timeOf));
  return samples.map((raw) => ({
    raw,
    flag: flagOf(raw.clocks, highest_MHz) ?? (odd(timeOf(raw)) ? 'far from the others of its series' : null),
  }));
}

/** Highest clock after any of the samples; null where the device does not tell. */
export function highestOf(samples: readonly { readonly clocks: Clocked }[]): number | null {
  return samples.reduce<number | null>((highest, { clocks }) => {
    const clock = clocks.after?.sm_MHz ?? null;
    return clock === null || (highest !== null && highest >= clock) ? highest : clock;
  }, null);
}
