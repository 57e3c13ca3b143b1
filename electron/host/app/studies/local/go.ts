/** One go at a study: it says that it lives, hears that it is to stop, and counts what ends. */
import { hostname } from 'node:os';
import type { Study } from '../../../../contract/study/index.ts';
import { thisMachine } from '../../../io/files/this-machine.ts';
import type { StudyFolder } from '../../../model/studies/folder.ts';
import { Rate } from './rate.ts';

export interface StudyProgress {
  readonly done: number;
  readonly failed: number;
  /** Points of this go. */
  readonly total: number;
  /** Points a second in the last half minute; null before there is a rate. */
  readonly per_s: number | null;
  /** At that rate; null before there is one. */
  readonly left_s: number | null;
}

/** Why a go ended. */
export type StudyEnd = 'whole' | 'stopped' | 'cancelled' | 'budget';

export interface StudyOutcome extends StudyProgress {
  readonly end: StudyEnd;
  readonly wall_s: number;
}

interface GoOptions {
  readonly folder: StudyFolder;
  /** Points without a result. */
  readonly left: number;
  readonly signal: AbortSignal;
  readonly budget: Study['budget'];
  readonly job: string | null;
  readonly onProgress: (progress: StudyProgress) => void;
}

export interface Go {
  /** Aborted by a cancel or a stop request. */
  readonly signal: AbortSignal;
  readonly total: number;
  readonly outOfTime: () => boolean;
  /** True while there is budget and no stop request. */
  readonly mayBegin: () => boolean;
  /** Points that may still end in this go. */
  readonly mostMore: () => number;
  readonly ended: (status: 'done' | 'failed') => void;
}

const BEAT_MS = 1000;
const LOOK_MS = 250;

export async function watchedGo<T>(
  { folder, left, signal, budget, job, onProgress }: GoOptions,
  work: (go: Go) => Promise<T>,
): Promise<StudyOutcome & T> {
  const begun_ms = performance.now();
  const elapsed_s = (): number => (performance.now() - begun_ms) / 1000;
  const total = Math.min(left, budget.points ?? left);
  const most_s = (budget.minutes ?? Number.POSITIVE_INFINITY) * 60;
  const rate = new Rate();
  const tally = { done: 0, failed: 0 };
  let askedToStop = false;
  const outOfTime = (): boolean => elapsed_s() > most_s;
  const progress = (): StudyProgress => {
    const per_s = rate.per_s(performance.now());
    const open = total - tally.done - tally.failed;
    return { ...tally, total, per_s, left_s: per_s === null || per_s === 0 ? null : open / per_s };
  };
  const ended = (status: 'done' | 'failed'): void => {
    tally[status] += 1;
    rate.count(performance.now());
    onProgress(progress());
  };

  const beatName = `${hostname()}-${process.pid}`;
  const started = new Date().toISOString();
  const beat = (): Promise<void> => {
    const { left_s: _, ...now } = progress();
    const who = { machine: hostname(), pid: process.pid, room: thisMachine().processRoomId, job };
    return folder.beat(beatName, { ...who, started, at: new Date().toISOString(), ...now });
  };
  // Whoever asks does so with a file: from another terminal, or another machine. What is under way ends then.
  const stop = new AbortController();
  const forward = (): void => stop.abort();
  signal.addEventListener('abort', forward, { once: true });
  if (signal.aborted) forward();
  const look = setInterval(() => {
    void folder.isAskedToStop().then((asked) => {
      if (!asked) return;
      askedToStop = true;
      stop.abort();
    });
  }, LOOK_MS);
  let said = beat();
  const beating = setInterval(() => {
    said = said.then(beat);
  }, BEAT_MS);
  await said;
  const mostMore = (): number => total - tally.done - tally.failed;
  const mayBegin = (): boolean => !stop.signal.aborted && !outOfTime() && mostMore() > 0;
  let done: T;
  try {
    done = await work({ signal: stop.signal, total, outOfTime, mayBegin, mostMore, ended });
  } finally {
    clearInterval(look);
    clearInterval(beating);
    signal.removeEventListener('abort', forward);
    // One that is under way would say so once more.
    await said;
    await folder.endBeat(beatName).catch(() => undefined);
  }
  const open = left - tally.done - tally.failed;
  const end = signal.aborted ? 'cancelled' : askedToStop ? 'stopped' : open > 0 ? 'budget' : 'whole';
  return { ...progress(), end, wall_s: elapsed_s(), ...done };
}
