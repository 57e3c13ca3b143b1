/**
 * Solves the points of a study on this machine with a pool of solver processes. Processes that die are replaced.
 *
 * Also contains the loop that reports the progress of a study and stops it on request.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { hostname } from 'node:os';
import { BraggError } from '../../../../contract/errors.ts';
import type { PlanLine, Study } from '../../../../contract/study/index.ts';
import { identifyThisMachine } from '../../../io/files/this-machine.ts';
import { programPath } from '../../../io/programs.ts';
import type { StudyFolder } from '../../../model/studies/folder.ts';
import type { SolvingHost } from '../plan.ts';
import { type MessageFromWorker, type MessageToWorker, PointSolver, type WorkerStart } from '../points/solver.ts';
import { familiesOf, groupByFamily, groupsOf, type Share, type WorkerLayout, workerLayoutOf } from './groups.ts';

const WINDOW_MS = 30_000;
/** Minimum number of completions from which a rate is computed. */
const MIN_COMPLETIONS = 3;
/** Maximum number of completion times to store. More would not improve the rate. */
const MAX_COMPLETIONS = 4096;

export class Rate {
  #begun_ms: number | null = null;
  #ends: number[] = [];

  constructor(begun_ms: number = performance.now()) {
    this.#begun_ms = begun_ms;
  }

  count(at_ms: number): void {
    this.#ends.push(at_ms);
    if (this.#ends.length > MAX_COMPLETIONS) {
      this.#begun_ms = this.#ends[MAX_COMPLETIONS / 2 - 1] ?? null;
      this.#ends = this.#ends.slice(MAX_COMPLETIONS / 2);
    }
  }

  /**
   * Completions per second. Null if there are too few. The time since the last completion counts too, so a stall lowers
   * the rate.
   */
  per_s(now_ms: number): number | null {
    if (this.#ends.length < MIN_COMPLETIONS || this.#begun_ms === null) return null;
    const from = Math.max(this.#begun_ms, now_ms - WINDOW_MS);
    const recent = this.#ends.filter((end) => end > from).length;
    const whole_s = (now_ms - this.#begun_ms) / 1000;
    if (recent < MIN_COMPLETIONS) return whole_s > 0 ? this.#ends.length / whole_s : null;
    return now_ms > from ? recent / ((now_ms - from) / 1000) : null;
  }
}

export interface StudyProgress {
  readonly done: number;
  readonly failed: number;
  /** Number of points to solve in this call. */
  readonly total: number;
  /** Points per second during the last half minute. Null if too few have ended. */
  readonly per_s: number | null;
  /** Remaining time in seconds at this rate. Null if the rate is unknown. */
  readonly left_s: number | null;
}

/** Reason why solving ended: all points are solved, a stop request, a cancellation, or the used-up budget. */
export type StudyEnd = 'whole' | 'stopped' | 'cancelled' | 'budget';

export interface StudyOutcome extends StudyProgress {
  readonly end: StudyEnd;
  readonly wall_s: number;
}

interface StudyRunOptions {
  readonly folder: StudyFolder;
  /** Number of points without a result. */
  readonly left: number;
  readonly signal: AbortSignal;
  readonly budget: Study['budget'];
  readonly job: string | null;
  readonly onProgress: (progress: StudyProgress) => void;
}

export interface StudyRun {
  /** Aborted by a cancellation or a stop request. */
  readonly signal: AbortSignal;
  readonly total: number;
  readonly outOfTime: () => boolean;
  /** Whether a further point may start: the budget is not used up, and no stop was requested. */
  readonly mayBegin: () => boolean;
  /** Number of points of this call that have not ended, which is the maximum number that can still end. */
  readonly maxRemaining: () => number;
  readonly ended: (status: 'done' | 'failed') => void;
}

const HEARTBEAT_INTERVAL_MS = 1000;
const CHECK_INTERVAL_MS = 250;

export async function runWithProgress<T>(
  { folder, left, signal, budget, job, onProgress }: StudyRunOptions,
  work: (go: StudyRun) => Promise<T>,
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
  const sendHeartbeat = (): Promise<void> => {
    const { left_s: _, ...now } = progress();
    const who = { machine: hostname(), pid: process.pid, room: identifyThisMachine().processNamespaceId, job };
    return folder.writeHeartbeat(beatName, { ...who, started, at: new Date().toISOString(), ...now });
  };
  // A file requests a stop. It may be written by another terminal or machine. Points that are being solved are then
  // cancelled.
  const stop = new AbortController();
  const forward = (): void => stop.abort();
  signal.addEventListener('abort', forward, { once: true });
  if (signal.aborted) forward();
  const checking = setInterval(() => {
    void folder.hasStopRequest().then((requested) => {
      if (!requested) return;
      askedToStop = true;
      stop.abort();
    });
  }, CHECK_INTERVAL_MS);
  let sending = sendHeartbeat();
  const beating = setInterval(() => {
    sending = sending.then(sendHeartbeat);
  }, HEARTBEAT_INTERVAL_MS);
  await sending;
  const maxRemaining = (): number => total - tally.done - tally.failed;
  const mayBegin = (): boolean => !stop.signal.aborted && !outOfTime() && maxRemaining() > 0;
  let done: T;
  try {
    done = await work({ signal: stop.signal, total, outOfTime, mayBegin, maxRemaining, ended });
  } finally {
    clearInterval(checking);
    clearInterval(beating);
    signal.removeEventListener('abort', forward);
    // Wait for the pending report, so that no progress is reported after the end.
    await sending;
    await folder.removeHeartbeat(beatName).catch(() => undefined);
  }
  const open = left - tally.done - tally.failed;
  const end = signal.aborted ? 'cancelled' : askedToStop ? 'stopped' : open > 0 ? 'budget' : 'whole';
  return { ...progress(), end, wall_s: elapsed_s(), ...done };
}

/** Time in milliseconds after which a cancelled process is killed. */
const KILL_DELAY_MS = 600;
/** Number of points that are sent to a process in advance, so that it never waits. */
const MAX_QUEUED_AHEAD = 2;
/** Number of processes that may exit before their first point. After that no further process is started. */
const MAX_STARTS = 3;

interface PoolOptions extends Pick<WorkerStart, 'folder' | 'assetsFolder' | 'job'> {
  readonly crew: WorkerLayout;
  readonly signal: AbortSignal;
  /** Whether a further point may start. */
  readonly mayBegin: () => boolean;
  readonly ended: (line: PlanLine, status: 'done' | 'failed') => void;
  /** Called when a process died while it solved this point alone. Must write the failure as the point's result. */
  readonly died: (line: PlanLine, how: string) => Promise<void>;
}

interface PoolWorker {
  readonly child: ChildProcess;
  readonly gpu: string | null;
  readonly slots: number;
  readonly sent: Map<string, PlanLine>;
  readonly begun: Set<string>;
  ready: boolean;
}

const GPU_VARIABLE = 'BRAGGBENCH_CUDA_DEVICE';

class Pool {
  readonly #options: PoolOptions;
  readonly #waiting: (readonly PlanLine[])[];
  /** Points that a process was solving when it died. Each is tried once more, alone. */
  #suspects: PlanLine[] = [];
  readonly #workers = new Set<PoolWorker>();
  #starts = 0;
  #failure: BraggError | null = null;
  #done: () => void = () => undefined;
  #isRetrying = false;

  /** `parcels`: groups of points, each of which is sent to one process. */
  constructor(parcels: readonly (readonly PlanLine[])[], options: PoolOptions) {
    this.#options = options;
    this.#waiting = parcels.toReversed();
  }

  /**
   * Solves the points. Resolves when all have ended or no further one may start. Throws errors that prevent every point
   * from being solved.
   */
  async run(): Promise<void> {
    const { signal, crew } = this.#options;
    const cancel = (): void => this.#cancel();
    signal.addEventListener('abort', cancel, { once: true });
    try {
      await this.#runProcesses(crew.processes, crew.slots);
      this.#isRetrying = true;
      while (this.#suspects.length > 0 && this.#mayContinue()) {
        const [next] = this.#suspects.splice(0, 1);
        if (next !== undefined) this.#waiting.push([next]);
        await this.#runProcesses(crew.processes.slice(0, 1), 1);
      }
    } finally {
      signal.removeEventListener('abort', cancel);
    }
    if (this.#failure !== null) throw this.#failure;
  }

  #mayContinue(): boolean {
    return this.#failure === null && !this.#options.signal.aborted && this.#options.mayBegin();
  }

  #runProcesses(gpus: readonly (string | null)[], slots: number): Promise<void> {
    return new Promise((resolve) => {
      this.#done = resolve;
      for (const gpu of gpus) this.#start(gpu, slots);
    });
  }

  #start(gpu: string | null, slots: number): void {
    const { crew, folder, assetsFolder, job } = this.#options;
    this.#starts += 1;
    const child = fork(programPath('study-worker', 'app/studies/points/worker.ts'), [], {
      execArgv: [],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      env: { ...process.env, ...(gpu === null ? {} : { [GPU_VARIABLE]: gpu }) },
    });
    const hand: PoolWorker = { child, gpu, slots, sent: new Map(), begun: new Set(), ready: false };
    this.#workers.add(hand);
    child.on('message', (message: MessageFromWorker) => this.#handleMessage(hand, message));
    child.on('error', () => undefined);
    child.on('exit', (code, signal) => void this.#handleExit(hand, signal ?? `exit code ${code}`));
    const { mode, threads, memory_bytes } = crew;
    const at_once = this.#isRetrying ? 1 : crew.processes.length * crew.slots;
    this.#send(hand, { kind: 'start', folder, assetsFolder, mode, slots, threads, at_once, memory_bytes, job });
  }

  #send({ child }: PoolWorker, message: MessageToWorker): void {
    // If the process is disconnected, its exit handler reports the end.
    if (child.connected) child.send(message, () => undefined);
  }

  #handleMessage(hand: PoolWorker, message: MessageFromWorker): void {
    switch (message.kind) {
      case 'ready':
        hand.ready = true;
        this.#sendPoints(hand);
        break;
      case 'begun':
        hand.begun.add(message.id);
        break;
      case 'ended': {
        const line = hand.sent.get(message.id);
        hand.sent.delete(message.id);
        hand.begun.delete(message.id);
        if (line !== undefined) this.#options.ended(line, message.status);
        this.#sendPoints(hand);
        break;
      }
      case 'unable':
        this.#failure ??= new BraggError(message.code, message.message);
        this.#cancel();
        break;
    }
  }

  #sendPoints(hand: PoolWorker): void {
    if (!hand.ready) return;
    while (
      hand.sent.size < hand.slots + (this.#isRetrying ? 0 : MAX_QUEUED_AHEAD) &&
      this.#waiting.length > 0 &&
      this.#mayContinue()
    ) {
      const lines = this.#waiting.pop();
      if (lines === undefined) break;
      for (const line of lines) hand.sent.set(line.id, line);
      this.#send(hand, { kind: 'points', lines });
    }
    // Close the channel, which ends the process because it has no other work.
    if (hand.sent.size === 0) hand.child.disconnect();
  }

  async #handleExit(hand: PoolWorker, how: string): Promise<void> {
    const lost = [...hand.sent.values()];
    const [begun, notBegun] = [
      lost.filter(({ id }) => hand.begun.has(id)),
      lost.filter(({ id }) => !hand.begun.has(id)),
    ];
    if (notBegun.length > 0) this.#waiting.push(...this.#groupAgain(notBegun).toReversed());
    if (this.#mayContinue()) {
      if (this.#isRetrying)
        for (const line of begun) await this.#options.died(line, how).catch((error: unknown) => this.#fail(error));
      else this.#suspects.push(...begun);
      const never = !hand.ready && this.#starts >= MAX_STARTS + this.#options.crew.processes.length;
      if (never)
        this.#fail(new BraggError('internal', `A solver process of the study ended before its first point (${how}).`));
      else if (this.#waiting.length > 0 && (lost.length > 0 || !hand.ready)) this.#start(hand.gpu, hand.slots);
    }
    this.#workers.delete(hand);
    if (this.#workers.size === 0) this.#done();
  }

  /** Groups points again for a further attempt: a family stays together, other points are separate. */
  #groupAgain(lines: readonly PlanLine[]): readonly (readonly PlanLine[])[] {
    return this.#options.crew.mode === 'family' ? [lines] : lines.map((line) => [line]);
  }

  #fail(error: unknown): void {
    this.#failure ??= error instanceof BraggError ? error : new BraggError('internal', String(error));
  }

  #cancel(): void {
    for (const hand of this.#workers) {
      this.#send(hand, { kind: 'cancel' });
      setTimeout(() => hand.child.kill('SIGKILL'), KILL_DELAY_MS).unref();
    }
    // Disconnect processes that are not solving any point.
    for (const hand of this.#workers) if (hand.sent.size === 0 && hand.child.connected) hand.child.disconnect();
  }
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

/**
 * Solves the points on this machine. Throws errors that prevent every point from being solved, such as a full disk.
 * Existing results remain.
 */
export async function solveLocally(options: LocalOptions): Promise<StudyOutcome> {
  const { host, folder, lines, share, assetsFolder, job } = options;
  const { study } = folder;
  return runWithProgress({ ...options, left: lines.length }, async ({ signal, total, outOfTime, ended }) => {
    const families = familiesOf(folder.head, study.grids === 'shared' ? await folder.readLines() : []);
    for (const group of groupsOf(folder.head, lines.slice(0, total), host.addon, share, (id) => families.has(id))) {
      if (signal.aborted || outOfTime()) break;
      const crew = workerLayoutOf(group, share, folder.head.state_bytes);
      const writer = new PointSolver({
        ...{ host, head: folder.head, study, mode: crew.mode, slots: 1, threads: crew.threads, job },
        at_once: 1,
        signal,
      });
      const parcels =
        group.manner === 'family' ? groupByFamily(group.lines, families) : group.lines.map((line) => [line]);
      const pool = new Pool(parcels, {
        ...{ folder: folder.folder, assetsFolder, job, crew, signal },
        ended: (_, status) => ended(status),
        mayBegin: () => !outOfTime(),
        died: async (line, how) => {
          const says = `The process ended (${how}) while it solved this point, and again when it solved only this point.`;
          await folder.writeResult(writer.failed(line, 'internal', says));
          ended('failed');
        },
      });
      await pool.run();
    }
    return {};
  });
}

/** Returns the resources that the study may use, by default the complete machine. */
export function entireMachine(host: SolvingHost, { cores, memory_bytes }: Partial<Share> = {}): Share {
  const { cpu, devices, memoryLimit_bytes } = host.capabilities();
  const gpus = devices.cuda.devices.filter(({ usable }) => usable).map(({ uuid }) => uuid);
  if (cores !== undefined && cores < 1)
    throw new BraggError('invalid', `${cores} cores are not enough; allowed: at least 1`);
  return { cores: cores ?? cpu.logicalCores, memory_bytes: memory_bytes ?? memoryLimit_bytes, gpus };
}
