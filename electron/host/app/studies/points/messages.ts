/** Messages between an engine and the processes that solve its points. */
import type { ErrorCode } from '../../../../contract/errors.ts';
import type { PlanLine } from '../../../../contract/study/index.ts';

export interface WorkerStart {
  readonly kind: 'start';
  readonly folder: string;
  readonly assetsFolder: string;
  /** Beams in one process, each on its own thread; complete runs one after the other; or beams that share a grid. */
  readonly as: 'beams' | 'runs' | 'family';
  /** Points of this process at the same time. */
  readonly slots: number;
  /** Threads of a run whose scenario asks for every core; null: all. */
  readonly threads: number | null;
  /** Points of all processes at the same time. */
  readonly at_once: number;
  readonly memory_bytes: number;
  readonly job: string | null;
}

export type ToWorker =
  | WorkerStart
  /** One; where beams share a grid, those of a family that are left. */
  | { readonly kind: 'points'; readonly lines: readonly PlanLine[] }
  /** Ends what is under way without a result. */
  | { readonly kind: 'cancel' };

export type FromWorker =
  | { readonly kind: 'ready' }
  /** The host could not be opened, or no result can be written: no point would do better. */
  | { readonly kind: 'unable'; readonly code: ErrorCode; readonly message: string }
  | { readonly kind: 'begun'; readonly id: string }
  /** Its result is in its file. */
  | { readonly kind: 'ended'; readonly id: string; readonly status: 'done' | 'failed' };
