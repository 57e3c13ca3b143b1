/** Messages between a benchmark and its thread. */

import type { Session } from '../../../contract/bench/session.ts';
import type { WireError } from '../../../contract/errors.ts';
import type { BenchProgress } from '../../model/bench/index.ts';
import type { FromRelay, ToRelay } from '../../model/user-kernels/process/relay.ts';
import type { BenchOutcome, BenchTask } from '../../workloads/benchable.ts';

export type FromBench =
  | { readonly kind: 'progress'; readonly progress: BenchProgress; readonly report: number }
  | { readonly kind: 'so far'; readonly session: Session }
  | { readonly kind: 'printed'; readonly id: string; readonly text: string }
  | { readonly kind: 'done'; readonly outcome: BenchOutcome }
  | { readonly kind: 'failed'; readonly error: WireError }
  | FromRelay;

export type ToBench =
  | {
      readonly kind: 'start';
      readonly task: BenchTask /** Whether anybody keeps what it is so far. */;
      readonly kept: boolean;
    }
  | { readonly kind: 'cancel' }
  | ToRelay;
