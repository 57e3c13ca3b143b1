/**
 * Three-dimensional dose of a scenario: progress of its computation, the common cursor, and the slices through it. All
 * persist while the panel is hidden.
 */
import { createStore, type StoreApi } from 'zustand/vanilla';
import type {
  SolvedVolume,
  VolumeAxis,
  VolumeFrame,
  volumeFileExtensions,
} from '../../electron/contract/beams/volume.ts';
import { BraggError } from '../../electron/contract/errors.ts';
import type { FieldMap, Interval } from '../../electron/contract/fields.ts';
import type { FileRef } from '../../electron/contract/files.ts';
import { formatIssue } from '../../electron/contract/scenario/index.ts';
import type { ScenarioDraft } from '../../electron/contract/scenario/workload.ts';
import type { Result } from '../../electron/contract/wire/methods.ts';
import type { StreamParams } from '../../electron/contract/wire/streams.ts';
import type { Client, StreamHandle } from './client/client.ts';
import { ArrayCache } from './run-data.ts';

export const volumeAxes = ['y', 'x', 'z'] as const satisfies readonly VolumeAxis[];

type VolumePoint = Readonly<Record<VolumeAxis, number>>;

/** Dose to compute. The host has defaults for missing values. */
export interface VolumeSettings {
  readonly dose: 'billion' | 'mu' | 'field';
  readonly protons_per_mu: number | undefined;
  readonly cell_mm: number | undefined;
  readonly across_mm: number | undefined;
}

interface VolumeState {
  readonly phase: 'idle' | 'waiting' | 'solving' | 'solved' | 'stopped' | 'failed';
  readonly progress: Extract<VolumeFrame, { state: 'solving' }> | null;
  readonly volume: SolvedVolume | null;
  /** Scenario that the volume was computed from, or is being computed from. */
  readonly scenario: ScenarioDraft | null;
  readonly name: string;
  /** Reasons why there is no volume. */
  readonly reasons: readonly string[];
  readonly settings: VolumeSettings;
  /** Common cursor, mm. */
  readonly at: VolumePoint;
  /** Pointer position on a slice. */
  readonly hover: Partial<VolumePoint> | null;
  readonly windows: Readonly<Partial<Record<VolumeAxis, Interval>>>;
}

const emptyVolume: Omit<VolumeState, 'settings'> = {
  phase: 'idle',
  ...{ progress: null, volume: null, scenario: null, name: '', reasons: [] },
  ...{ at: { x: 0, y: 0, z: 0 }, hover: null, windows: {} },
};

/** Maximum number of issues listed in one message. */
const MAX_SHOWN_ISSUES = 4;
/** Maximum samples of a slice along an axis, in device pixels. */
const PIXELS = 1024;

function reasonsOf(error: unknown): readonly string[] {
  if (!(error instanceof BraggError)) return [String(error)];
  const issues = error.issues.slice(0, MAX_SHOWN_ISSUES).map(formatIssue);
  return issues.length > 0 ? issues : [error.message];
}

function requestOf({ dose, protons_per_mu, cell_mm, across_mm }: VolumeSettings): StreamParams<'volume'>['request'] {
  return {
    ...(cell_mm !== undefined && { cell_mm }),
    ...(across_mm !== undefined && { across_mm }),
    ...(dose === 'mu' && protons_per_mu !== undefined && { protons_per_mu }),
    ...(dose === 'field' && { whole_field: true }),
  };
}

export class VolumeFeed {
  readonly state: StoreApi<VolumeState> = createStore<VolumeState>(() => ({
    ...emptyVolume,
    settings: { dose: 'billion', protons_per_mu: undefined, cell_mm: undefined, across_mm: undefined },
  }));
  /** Slices by the axis perpendicular to them. */
  readonly slices = new ArrayCache<FieldMap>();
  readonly #client: Client;
  #stream: StreamHandle | null = null;
  /** Axes whose slice is being requested, and whether another request must follow. */
  readonly #requested = new Map<VolumeAxis, boolean>();

  constructor(client: Client) {
    this.#client = client;
  }

  set(settings: Partial<VolumeSettings>): void {
    this.state.setState((before) => ({ settings: { ...before.settings, ...settings } }));
  }

  start(scenario: ScenarioDraft, file: FileRef | null, name: string): void {
    this.#close();
    this.slices.clear();
    this.state.setState({ ...emptyVolume, phase: 'waiting', scenario, name });
    const request = requestOf(this.state.getState().settings);
    const stream = this.#client.stream(
      'volume',
      { scenario, file, request },
      {
        frame: (frame) => this.#handleFrame(frame),
        end: (error) => {
          if (this.#stream !== stream) return;
          this.#stream = null;
          this.slices.clear();
          this.state.setState({ ...emptyVolume, phase: 'failed', scenario, name, reasons: reasonsOf(error) });
        },
      },
    );
    this.#stream = stream;
  }

  /** Cancels the computation. */
  stop(): void {
    this.#close();
    this.state.setState({ phase: 'stopped', progress: null });
  }

  /** Moves the common cursor; other axes keep their position. */
  moveTo(at: Partial<VolumePoint>): void {
    const { at: before } = this.state.getState();
    this.state.setState({ at: { ...before, ...at }, hover: null });
    for (const axis of volumeAxes) if (at[axis] !== undefined && at[axis] !== before[axis]) this.#requestSlice(axis);
  }

  hover(at: Partial<VolumePoint> | null): void {
    this.state.setState({ hover: at });
  }

  /** Sets visible windows: null is the full axis. */
  zoom(changes: Partial<Record<VolumeAxis, Interval | null>>): void {
    const windows = { ...this.state.getState().windows };
    for (const axis of volumeAxes) {
      const change = changes[axis];
      if (change === null) delete windows[axis];
      else if (change !== undefined) windows[axis] = change;
    }
    this.state.setState({ windows });
  }

  /** File of the whole dose. Rejects with a BraggError. */
  file(ending: (typeof volumeFileExtensions)[number]): Promise<Result<'volume.file'>> {
    const { volume } = this.state.getState();
    if (volume === null) throw new BraggError('not-found', 'There is no dose to write. Compute it first.');
    return this.#client.call('volume.file', { volume: volume.id, ending });
  }

  #close(): void {
    this.#stream?.close();
    this.#stream = null;
  }

  #handleFrame(frame: VolumeFrame): void {
    if (frame.state === 'waiting') this.state.setState({ phase: 'waiting' });
    else if (frame.state === 'solving') this.state.setState({ phase: 'solving', progress: frame });
    else {
      const [x, y, z] = frame.volume.most_at_mm;
      this.state.setState({ phase: 'solved', progress: null, volume: frame.volume, at: { x, y, z } });
      for (const axis of volumeAxes) this.#requestSlice(axis);
    }
  }

  /** Requests the slice at the cursor, one at a time for each axis. */
  #requestSlice(axis: VolumeAxis): void {
    const { volume, at } = this.state.getState();
    if (volume === null) return;
    if (this.#requested.has(axis)) {
      this.#requested.set(axis, true);
      return;
    }
    this.#requested.set(axis, false);
    const viewport = { horizontal: null, vertical: null, pixels: [PIXELS, PIXELS] as [number, number] };
    const params = { volume: volume.id, across: axis, at_mm: at[axis], viewport };
    const done = (): void => {
      const again = this.#requested.get(axis);
      this.#requested.delete(axis);
      if (again === true) this.#requestSlice(axis);
    };
    this.#client.call('volume.slice', params).then(
      ({ map }) => {
        if (this.state.getState().volume?.id === volume.id) this.slices.set(axis, map);
        done();
      },
      (error: unknown) => {
        // Ignore errors of a volume that was replaced meanwhile, because the host no longer has it.
        if (this.state.getState().volume?.id === volume.id) this.state.setState({ reasons: reasonsOf(error) });
        done();
      },
    );
  }
}
