/** Processes that solve points: fed while they work, and replaced where one dies. */
import { type ChildProcess, fork } from 'node:child_process';
import { BraggError } from '../../../../contract/errors.ts';
import type { PlanLine } from '../../../../contract/study/index.ts';
import { startedFile } from '../../../io/started-file.ts';
import type { FromWorker, ToWorker, WorkerStart } from '../points/messages.ts';
import type { Crew } from './groups.ts';

/** So long a process may take to end by itself when it is cancelled. */
const PATIENCE_MS = 600;
/** Sent beyond what runs at once, so that nobody waits for the next. */
const AHEAD = 2;
/** A process that ends before its first point this often will not begin. */
const MOST_STARTS = 3;

interface PoolOptions extends Pick<WorkerStart, 'folder' | 'assetsFolder' | 'job'> {
  readonly crew: Crew;
  readonly signal: AbortSignal;
  /** False: no further point begins. */
  readonly mayBegin: () => boolean;
  readonly ended: (line: PlanLine, status: 'done' | 'failed') => void;
  /** The process died while it solved this point alone: what has become of it has to be written. */
  readonly died: (line: PlanLine, how: string) => Promise<void>;
}

interface Hand {
  readonly child: ChildProcess;
  readonly gpu: string | null;
  readonly slots: number;
  readonly sent: Map<string, PlanLine>;
  readonly begun: Set<string>;
  ready: boolean;
}

const VARIABLE = 'BRAGGBENCH_CUDA_DEVICE';

export class Pool {
  readonly #options: PoolOptions;
  readonly #waiting: (readonly PlanLine[])[];
  /** A process died while it solved these: each is tried once more, alone. */
  #suspects: PlanLine[] = [];
  readonly #hands = new Set<Hand>();
  #starts = 0;
  #failure: BraggError | null = null;
  #done: () => void = () => undefined;
  #lone = false;

  /** `parcels`: points that a process gets together. */
  constructor(parcels: readonly (readonly PlanLine[])[], options: PoolOptions) {
    this.#options = options;
    this.#waiting = parcels.toReversed();
  }

  /** Resolves when all points have ended or none may begin. Throws what no point could be solved for. */
  async run(): Promise<void> {
    const { signal, crew } = this.#options;
    const cancel = (): void => this.#cancel();
    signal.addEventListener('abort', cancel, { once: true });
    try {
      await this.#work(crew.processes, crew.slots);
      this.#lone = true;
      while (this.#suspects.length > 0 && this.#goesOn()) {
        const [next] = this.#suspects.splice(0, 1);
        if (next !== undefined) this.#waiting.push([next]);
        await this.#work(crew.processes.slice(0, 1), 1);
      }
    } finally {
      signal.removeEventListener('abort', cancel);
    }
    if (this.#failure !== null) throw this.#failure;
  }

  #goesOn(): boolean {
    return this.#failure === null && !this.#options.signal.aborted && this.#options.mayBegin();
  }

  #work(gpus: readonly (string | null)[], slots: number): Promise<void> {
    return new Promise((resolve) => {
      this.#done = resolve;
      for (const gpu of gpus) this.#start(gpu, slots);
    });
  }

  #start(gpu: string | null, slots: number): void {
    const { crew, folder, assetsFolder, job } = this.#options;
    this.#starts += 1;
    const child = fork(startedFile('study-worker', 'app/studies/points/worker.ts'), [], {
      execArgv: [],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      env: { ...process.env, ...(gpu === null ? {} : { [VARIABLE]: gpu }) },
    });
    const hand: Hand = { child, gpu, slots, sent: new Map(), begun: new Set(), ready: false };
    this.#hands.add(hand);
    child.on('message', (message: FromWorker) => this.#heard(hand, message));
    child.on('error', () => undefined);
    child.on('exit', (code, signal) => void this.#left(hand, signal ?? `exit code ${code}`));
    const { as, threads, memory_bytes } = crew;
    const at_once = this.#lone ? 1 : crew.processes.length * crew.slots;
    this.#tell(hand, { kind: 'start', folder, assetsFolder, as, slots, threads, at_once, memory_bytes, job });
  }

  #tell({ child }: Hand, message: ToWorker): void {
    // One that has just gone says so itself.
    if (child.connected) child.send(message, () => undefined);
  }

  #heard(hand: Hand, message: FromWorker): void {
    switch (message.kind) {
      case 'ready':
        hand.ready = true;
        this.#feed(hand);
        break;
      case 'begun':
        hand.begun.add(message.id);
        break;
      case 'ended': {
        const line = hand.sent.get(message.id);
        hand.sent.delete(message.id);
        hand.begun.delete(message.id);
        if (line !== undefined) this.#options.ended(line, message.status);
        this.#feed(hand);
        break;
      }
      case 'unable':
        this.#failure ??= new BraggError(message.code, message.message);
        this.#cancel();
        break;
    }
  }

  #feed(hand: Hand): void {
    if (!hand.ready) return;
    while (hand.sent.size < hand.slots + (this.#lone ? 0 : AHEAD) && this.#waiting.length > 0 && this.#goesOn()) {
      const lines = this.#waiting.pop();
      if (lines === undefined) break;
      for (const line of lines) hand.sent.set(line.id, line);
      this.#tell(hand, { kind: 'points', lines });
    }
    // Its end ends the process: it has nothing else to do.
    if (hand.sent.size === 0) hand.child.disconnect();
  }

  async #left(hand: Hand, how: string): Promise<void> {
    const lost = [...hand.sent.values()];
    const [begun, notBegun] = [
      lost.filter(({ id }) => hand.begun.has(id)),
      lost.filter(({ id }) => !hand.begun.has(id)),
    ];
    if (notBegun.length > 0) this.#waiting.push(...this.#parcels(notBegun).toReversed());
    if (this.#goesOn()) {
      if (this.#lone)
        for (const line of begun) await this.#options.died(line, how).catch((error: unknown) => this.#fail(error));
      else this.#suspects.push(...begun);
      const never = !hand.ready && this.#starts >= MOST_STARTS + this.#options.crew.processes.length;
      if (never) this.#fail(new BraggError('internal', `The process for points ended before it began (${how}).`));
      else if (this.#waiting.length > 0 && (lost.length > 0 || !hand.ready)) this.#start(hand.gpu, hand.slots);
    }
    this.#hands.delete(hand);
    if (this.#hands.size === 0) this.#done();
  }

  /** Points that were sent together are sent together again. */
  #parcels(lines: readonly PlanLine[]): readonly (readonly PlanLine[])[] {
    return this.#options.crew.as === 'family' ? [lines] : lines.map((line) => [line]);
  }

  #fail(error: unknown): void {
    this.#failure ??= error instanceof BraggError ? error : new BraggError('internal', String(error));
  }

  #cancel(): void {
    for (const hand of this.#hands) {
      this.#tell(hand, { kind: 'cancel' });
      setTimeout(() => hand.child.kill('SIGKILL'), PATIENCE_MS).unref();
    }
    // Those that have ended what they did are let go.
    for (const hand of this.#hands) if (hand.sent.size === 0 && hand.child.connected) hand.child.disconnect();
  }
}
