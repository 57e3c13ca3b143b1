/**
 * Lanes for the events of a Chrome trace. A thread of the trace gets separate lanes for its kernels, copies, calls and
 * async events. Names of processes and threads distinguish device from host work, but may follow the events in the
 * file.
 */
import type { LaneKind, SpanKind } from '../../../../contract/timeline.ts';
import { parseDecimal } from '../../../../domain/values/csv.ts';
import type { TraceBuilder } from '../builder.ts';
import { deviceLane, looksLikeDevice, workKindOfLane } from './chrome-arguments.ts';

export type Fields = Readonly<Record<string, unknown>>;

interface EventIds {
  readonly pid?: unknown;
  readonly tid?: unknown;
}

interface Metadata extends EventIds {
  readonly name?: unknown;
  readonly args?: unknown;
}

/**
 * Groups of a thread's events, each with a separate lane. Copies are separate from kernels, and runtime calls from the
 * functions that call them.
 */
export type LanePart = 'main' | 'api' | 'copies' | 'async' | 'ranges';

export interface TraceThread {
  readonly pid: string;
  readonly tid: string;
  name: string | null;
  order: number;
  /** Lane numbers by part; for async events by part and name. */
  readonly lanes: Map<string, number>;
  device: boolean;
  /**
   * Spans whose category does not show whether they are host or device work. The thread's name does, but may follow
   * later in the file.
   */
  readonly uncategorized: number[];
  /** Copies and memsets among the uncategorized spans, which were recognised by their names. */
  readonly named: Map<number, SpanKind>;
  /** Device to which the thread's lanes belong; null for a thread of the host. */
  gpu: string | null;
  /**
   * Begin and end events (an end has the span -1), in the order of the file, which may differ from the order of time.
   */
  readonly marks: { readonly at: number[]; readonly span: number[] };
}

export const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : value === undefined ? '' : String(value);
export const numberOf = (value: unknown): number | null => {
  const converted = typeof value === 'string' ? parseDecimal(value.trim()) : value;
  return typeof converted === 'number' && Number.isFinite(converted) ? converted : null;
};
export const objectOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};

/**
 * Name of a process or thread for display. PyTorch writes words in place of some ids, and no id for events without a
 * thread.
 */
function displayName(what: string, id: string | number): string {
  if (id === '') return `no ${what}`;
  return /^-?\d+$/.test(String(id)) ? `${what} ${id}` : String(id);
}

export class ChromeLanes {
  readonly #builder: TraceBuilder;
  readonly #threads = new Map<string, TraceThread>();
  readonly #processes = new Map<string, { name: string | null; labels: string | null; order: number }>();

  constructor(builder: TraceBuilder) {
    this.#builder = builder;
  }

  get threads(): readonly TraceThread[] {
    return [...this.#threads.values()];
  }

  /**
   * Names of a thread and its process. If they have none, their ids are used, because some programs write names as ids.
   */
  #namesOf(thread: TraceThread): { readonly processes: readonly string[]; readonly lane: string } {
    const known = this.#processes.get(thread.pid);
    const processes = [known?.name, known?.labels].flatMap((name) => (name ? [name] : []));
    return { processes: processes.length > 0 ? processes : [thread.pid], lane: thread.name || thread.tid };
  }

  /** Finds device work among uncategorized spans, by the names of their processes and threads, and sets its kind. */
  #markDeviceWork(threads: readonly TraceThread[]): void {
    const vague = threads.filter(({ uncategorized }) => uncategorized.length > 0);
    const known = vague.map((thread) => {
      const { processes, lane } = this.#namesOf(thread);
      const found = processes.flatMap((process) => deviceLane(process, lane) ?? [])[0] ?? null;
      return { thread, lane, process: processes.join(', '), found };
    });
    const least = new Map<string, number>();
    for (const { found } of known) {
      if (found !== null) least.set(found.device, Math.min(least.get(found.device) ?? found.repeats, found.repeats));
    }
    const counted = { devices: new Set<string>(), processes: new Set<string>() };
    for (const { thread, lane, process, found } of known) {
      if (found === null || found.repeats !== least.get(found.device)) continue;
      counted.devices.add(found.device);
      counted.processes.add(process);
      thread.device = true;
      thread.gpu = found.device;
      const usual = workKindOfLane(/memcpy/i.test(process) ? 'memcpy' : lane);
      for (const span of thread.uncategorized) this.#builder.setKind(span, thread.named.get(span) ?? usual);
    }
    const others = known.filter(({ thread }) => thread.gpu === null);
    // Other lanes of a device repeat the same work; they belong neither to the device's times nor to the host.
    for (const { thread, process, found } of others) {
      if (found === null && !counted.processes.has(process)) continue;
      for (const span of thread.uncategorized) this.#builder.setKind(span, 'range');
    }
    const left = others.filter(
      ({ found, process, lane }) =>
        found === null &&
        ![...counted.devices].some((device) => process.includes(device)) &&
        looksLikeDevice(process, lane),
    );
    const events = left.reduce((sum, { thread }) => sum + thread.uncategorized.length, 0);
    if (events === 0) return;
    const names = [
      ...new Set(left.map(({ process, lane }) => `${displayName('process', process)}: ${displayName('thread', lane)}`)),
    ];
    const shownNames = `${names.slice(0, 3).join(', ')}${names.length > 3 ? ', …' : ''}`;
    this.#builder.addNote(
      `${events} events in lanes with GPU names (${shownNames}) have no kernel category, and are not counted.`,
    );
  }

  /** Returns the thread of an event, and creates it if it is new. */
  threadOf({ pid: ofProcess, tid: ofThread }: EventIds): TraceThread {
    const [pid, tid] = [textOf(ofProcess), textOf(ofThread)];
    const key = `${pid}\0${tid}`;
    const known = this.#threads.get(key);
    if (known !== undefined) return known;
    const thread: TraceThread = {
      pid,
      tid,
      name: null,
      order: 0,
      lanes: new Map(),
      device: false,
      uncategorized: [],
      named: new Map(),
      gpu: null,
      marks: { at: [], span: [] },
    };
    this.#threads.set(key, thread);
    return thread;
  }

  /** Returns the lane for a part of a thread, and creates it if it is new. Async events have a lane for each name. */
  laneOf(thread: TraceThread, part: LanePart, asyncName: string): number {
    const key = `${part}${asyncName}`;
    const known = thread.lanes.get(key);
    if (known !== undefined) return known;
    const lane = this.#builder.addLane({ process: thread.pid, name: asyncName, kind: 'thread', scope: 0, order: 0 });
    thread.lanes.set(key, lane);
    return lane;
  }

  /** Reads a metadata event: name, labels or sort order of a process or thread. */
  readMetadata(event: Metadata): void {
    const args = objectOf(event.args);
    const pid = textOf(event.pid);
    const process = this.#processes.get(pid) ?? { name: null, labels: null, order: 0 };
    this.#processes.set(pid, process);
    switch (event.name) {
      case 'process_name':
        process.name = textOf(args['name']).trim();
        break;
      case 'process_labels':
        process.labels = textOf(args['labels']).trim();
        break;
      case 'process_sort_index':
        process.order = numberOf(args['sort_index']) ?? 0;
        break;
      case 'thread_name':
        this.threadOf(event).name = textOf(args['name']).trim();
        break;
      case 'thread_sort_index':
        this.threadOf(event).order = numberOf(args['sort_index']) ?? 0;
        break;
    }
  }

  /** Sets names and order of all lanes, after the end of the input. */
  nameLanes(): void {
    const threads = [...this.#threads.values()].filter(({ lanes }) => lanes.size > 0);
    this.#markDeviceWork(threads);
    const sorted = threads.sort((a, b) => {
      const order = (pid: string): number => this.#processes.get(pid)?.order ?? 0;
      // Host lanes are shown above device lanes, because launches precede the launched work.
      return Number(a.device) - Number(b.device) || order(a.pid) - order(b.pid) || a.order - b.order;
    });
    for (const [i, thread] of sorted.entries()) {
      const known = this.#processes.get(thread.pid);
      const label = [known?.name, known?.labels].filter((part) => part).join(', ');
      const process = thread.gpu ?? (label === '' ? displayName('process', thread.pid) : label);
      const name = thread.name || displayName(thread.device ? 'stream' : 'thread', thread.tid);
      const alone = thread.lanes.size === 1;
      for (const [j, [key, lane]] of [...thread.lanes].entries()) {
        const [kind, laneName] = laneKindAndName(key, name, alone, thread.device);
        this.#builder.renameLane(lane, {
          process,
          name: laneName,
          kind,
          order: i * 64 + partOrder(key) + Math.min(j, 40),
        });
      }
    }
  }
}

function laneKindAndName(key: string, thread: string, alone: boolean, device: boolean): readonly [LaneKind, string] {
  if (key.startsWith('async')) return ['async', key.slice('async'.length)];
  if (key.startsWith('api')) return ['api', alone ? thread : `${thread}: CUDA calls`];
  if (key.startsWith('copies')) return ['copies', alone ? thread : `${thread}: copies`];
  if (key.startsWith('ranges')) return ['thread', `${thread}: ranges`];
  return [device ? 'stream' : 'thread', thread];
}

const partOrder = (key: string): number => (key.startsWith('main') ? 0 : key.startsWith('api') ? 1 : 2);
