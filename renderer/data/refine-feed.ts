/** Image that a crystal is fitted to, and progress of the fit. Both persist while the panel is hidden. */
import { createStore, type StoreApi } from 'zustand/vanilla';
import { BraggError } from '../../electron/contract/errors.ts';
import type { FileRef } from '../../electron/contract/files.ts';
import {
  type MeasuredImage,
  type RefinedCrystal,
  type RefineFrame,
  type RefineIteration,
  refineParameterGroups,
} from '../../electron/contract/scenario/diffraction/refining.ts';
import { formatIssue } from '../../electron/contract/scenario/index.ts';
import type { ScenarioDraft } from '../../electron/contract/scenario/workload.ts';
import type { Params } from '../../electron/contract/wire/methods.ts';
import type { Client, StreamHandle } from './client/client.ts';

export type FitChoice = keyof typeof refineParameterGroups;

export interface RefineState {
  readonly image: MeasuredImage | null;
  /** Name of the image being opened. */
  readonly opening: string | null;
  readonly fit: FitChoice;
  readonly phase: 'idle' | 'waiting' | 'fitting' | 'refined' | 'stopped' | 'failed';
  /** Reasons why there is no image or no fit. */
  readonly reasons: readonly string[];
  /** Discrepancies between the file and the scenario. */
  readonly warnings: readonly string[];
  readonly variant: string | null;
  /** Parameters that were selected for fitting when the iterations started. */
  readonly fitted: FitChoice;
  readonly iterations: readonly RefineIteration[];
  readonly refined: RefinedCrystal | null;
}

const idleState = { phase: 'idle', reasons: [], warnings: [], variant: null, iterations: [], refined: null } as const;
const initialState: RefineState = { image: null, opening: null, fit: 'both', fitted: 'both', ...idleState };

/** Maximum number of issues listed in one message. */
const MAX_SHOWN_ISSUES = 4;

function reasonsOf(error: unknown): readonly string[] {
  if (!(error instanceof BraggError)) return [String(error)];
  const issues = error.issues.slice(0, MAX_SHOWN_ISSUES).map(formatIssue);
  return issues.length > 0 ? issues : [error.message];
}

export class RefineFeed {
  readonly state: StoreApi<RefineState> = createStore<RefineState>(() => initialState);
  readonly #client: Client;
  #stream: StreamHandle | null = null;
  /** Responses for an earlier image are dropped. */
  #generation = 0;

  constructor(client: Client) {
    this.#client = client;
  }

  choose(fit: FitChoice): void {
    this.state.setState({ fit });
  }

  rejectImage(reason: string): void {
    this.state.setState({ reasons: [reason] });
  }

  /** If an image is rejected, the previous image stays. */
  async openImage(name: string, source: () => Promise<Params<'refining.take'>['source']>): Promise<void> {
    this.#generation += 1;
    const taken = this.#generation;
    this.state.setState({ opening: name, reasons: [] });
    try {
      const image = await this.#client.call('refining.take', { source: await source() });
      if (taken !== this.#generation) return;
      this.#close();
      this.state.setState({ ...idleState, image, opening: null });
    } catch (error) {
      if (taken === this.#generation) this.state.setState({ opening: null, reasons: reasonsOf(error) });
    }
  }

  start(scenario: ScenarioDraft, file: FileRef | null): void {
    const { image, fit } = this.state.getState();
    if (image === null) return;
    this.#close();
    this.state.setState({ ...idleState, phase: 'waiting', fitted: fit });
    this.#stream = this.#client.stream(
      'refining',
      { image: image.id, scenario, file, fit: [...refineParameterGroups[fit]] },
      {
        frame: (frame) => this.#handleFrame(frame),
        end: (error) => {
          this.#stream = null;
          if (error !== null) this.state.setState({ phase: 'failed', reasons: reasonsOf(error) });
        },
      },
    );
  }

  /** Stops the fit; results so far remain visible. */
  stop(): void {
    this.#close();
    this.state.setState({ phase: 'stopped' });
  }

  #close(): void {
    this.#stream?.close();
    this.#stream = null;
  }

  #handleFrame(frame: RefineFrame): void {
    if (frame.state === 'waiting') return;
    if (frame.state === 'begun') {
      const { variant, warnings } = frame;
      this.state.setState({ phase: 'fitting', variant, warnings });
    } else if (frame.state === 'iteration') {
      this.state.setState(({ iterations }) => ({ iterations: [...iterations, frame] }));
    } else {
      this.state.setState({ phase: 'refined', refined: frame });
    }
  }
}
