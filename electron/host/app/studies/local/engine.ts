/** Solves the points of a study on this machine. */
import { hostname } from 'node:os';
import { BraggError } from '../../../../contract/errors.ts';
import type { PlanLine, Study } from '../../../../contract/study/index.ts';
import { processRoomId } from '../../../io/files/this-machine.ts';
import type { StudyFolder } from '../../../model/studies/folder.ts';
import { PointSolver } from '../points/solver.ts';
import type { SolvingHost } from '../solving-host.ts';
import { byFamily, familiesOf } from './families.ts';
import { crewOf, groupsOf, type Share } from './groups.ts';
import { Pool } from './pool.ts';
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

export interface LocalOptions {
  readonly host: SolvingHost;
  readonly folder: StudyFolder;
  readonly lines: readonly PlanLine[];
  readonly share: Share;
  readonly assetsFolder: string;
  readonly signal: AbortSignal;
  readonly budget: Study['budget'];
  readonly job: string | null;
  readonly onProgress: (progress: StudyProgress) => void;
}

/** Why a go ended. */
export type StudyEnd = 'whole' | 'stopped' | 'cancelled' | 'budget';

export interface StudyOutcome extends StudyProgress {
  readonly end: StudyEnd;
  readonly wall_s: number;
}

const BEAT_MS = 1000;
const LOOK_MS = 250;

/** Throws what no point could be solved for, such as a full disk: the points that have ended stay. */
export async function solveLocally(options: LocalOptions): Promise<StudyOutcome> {
  const { host, folder, lines, share, assetsFolder, signal, job, budget, onProgress } = options;
  const { study } = folder;
  const begun_ms = performance.now();
  const elapsed_s = (): number => (performance.now() - begun_ms) / 1000;
  const total = Math.min(lines.length, budget.points ?? lines.length);
  const most_s = (budget.minutes ?? Number.POSITIVE_INFINITY) * 60;
  const rate = new Rate();
  const tally = { done: 0, failed: 0 };
  let askedToStop = false;
  const outOfTime = (): boolean => elapsed_s() > most_s;
  const progress = (): StudyProgress => {
    const per_s = rate.per_s(performance.now());
    const left = total - tally.done - tally.failed;
    return { ...tally, total, per_s, left_s: per_s === null || per_s === 0 ? null : left / per_s };
  };
  const ended = (_: PlanLine, status: 'done' | 'failed'): void => {
    tally[status] += 1;
    rate.count(performance.now());
    onProgress(progress());
  };

  const beatName = `${hostname()}-${process.pid}`;
  const started = new Date().toISOString();
  const beat = (): Promise<void> => {
    const { left_s: _, ...now } = progress();
    const who = { machine: hostname(), pid: process.pid, room: processRoomId, job };
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
  try {
    const families = familiesOf(folder.head, study.grids === 'shared' ? await folder.lines() : []);
    for (const group of groupsOf(folder.head, lines.slice(0, total), host.addon, share, (id) => families.has(id))) {
      if (stop.signal.aborted || outOfTime()) break;
      const crew = crewOf(group, share, folder.head.state_bytes);
      const writer = new PointSolver({
        ...{ host, head: folder.head, study, as: crew.as, slots: 1, threads: crew.threads, job },
        at_once: 1,
        signal: stop.signal,
      });
      const parcels = group.manner === 'family' ? byFamily(group.lines, families) : group.lines.map((line) => [line]);
      const pool = new Pool(parcels, {
        ...{ folder: folder.folder, assetsFolder, job, crew, ended },
        signal: stop.signal,
        mayBegin: () => !outOfTime(),
        died: async (line, how) => {
          const says = `The process ended (${how}) while it solved this point, and did so again when it solved nothing else.`;
          await folder.write(writer.failed(line, 'internal', says));
          ended(line, 'failed');
        },
      });
      await pool.run();
    }
  } finally {
    clearInterval(look);
    clearInterval(beating);
    signal.removeEventListener('abort', forward);
    // One that is under way would say so once more.
    await said;
    await folder.endBeat(beatName).catch(() => undefined);
  }
  const left = lines.length - tally.done - tally.failed;
  const end = signal.aborted ? 'cancelled' : askedToStop ? 'stopped' : left > 0 ? 'budget' : 'whole';
  return { ...progress(), end, wall_s: elapsed_s() };
}

/** What this process may use: by default all that the machine has. */
export function wholeMachine(host: SolvingHost, { cores, memory_bytes }: Partial<Share> = {}): Share {
  const { cpu, devices, memoryLimit_bytes } = host.capabilities();
  const gpus = devices.cuda.devices.filter(({ usable }) => usable).map(({ uuid }) => uuid);
  if (cores !== undefined && cores < 1)
    throw new BraggError('invalid', `${cores} cores are too few; allowed: 1 or more`);
  return { cores: cores ?? cpu.logicalCores, memory_bytes: memory_bytes ?? memoryLimit_bytes, gpus };
}
