/** End of a benchmark and its noise, in the same words for every workload. */
import { noiseText } from '../../renderer/base/measured.ts';
import type { Noise, stoppedSchema } from '../contract/bench/bench-session.ts';
import { duration } from './numbers.ts';

const stopText: Readonly<Record<(typeof stoppedSchema.options)[number], string>> = {
  decided: 'every verdict is settled',
  precise: 'every ratio is as precise as requested, or known to a tenth of its logarithm',
  narrow: 'every ratio is known to 1 %',
  settled: 'the noise has settled',
  time: 'the time limit was reached',
  rounds: 'the limit of rounds was reached',
  instances: 'the number of instances was reached',
  cancelled: 'interrupted',
  refused: 'no variant could run',
};

interface Ended {
  readonly rounds: number;
  readonly elapsed_s: number;
  readonly stopped: keyof typeof stopText;
  readonly noise: Noise;
}

export function endedText({ rounds, elapsed_s, stopped, noise }: Ended): string {
  const count = rounds === 1 ? '1 round' : `${rounds} interleaved rounds`;
  return `${count}, ${duration(elapsed_s)} in all, ${stopped === 'cancelled' ? '' : 'ended because '}${stopText[stopped]}. Noise, the first variant against itself: ${noiseText(noise)}.`;
}
