/** The range of time that is selected, and what it holds. */
import { type Lane, MAX_TRACKS, type TraceInfo } from '../../../electron/contract/timeline.ts';
import type { TimelineBlocks } from './blocks.ts';
import type { TimelineContext } from './context.ts';
import type { SelectedLane } from './store.ts';

/** Beyond these, lanes are counted together with the others alone. */
const MOST_LANES = 64;

const isOnGpu = ({ kind }: Lane): boolean => kind === 'stream' || kind === 'copies';

/** Kernels, graphs and copies run on the GPU; calls and waits are on the host. A GPU's other lanes repeat its time. */
function placeOf(lane: Lane, { lanes }: TraceInfo): SelectedLane['on'] {
  if (isOnGpu(lane)) return 'GPU';
  const ofGpu = lanes.some((other) => other.process === lane.process && isOnGpu(other));
  return ofGpu && lane.kind !== 'api' ? null : 'host';
}

const tracksOf = ({ firstTrack, tracks }: Lane): number[] => Array.from({ length: tracks }, (_, i) => firstTrack + i);

const gpuLanes = ({ lanes }: TraceInfo): readonly Lane[] => lanes.filter(isOnGpu);

export class TimeSelection {
  readonly #context: TimelineContext;
  readonly #blocks: TimelineBlocks;
  #number = 0;

  constructor(context: TimelineContext, blocks: TimelineBlocks) {
    this.#context = context;
    this.#blocks = blocks;
  }

  /** What is on its way is for nobody. */
  clear(): void {
    this.#number += 1;
    this.#context.state.setState({ selected: null });
  }

  /** On the common axis. */
  async count(from: number, to: number): Promise<void> {
    const { state, workbench } = this.#context;
    const number = ++this.#number;
    state.setState({ selected: { from, to, parts: [] }, tab: 'selection' });
    const parts = await Promise.all(
      this.#blocks.all.map(async ({ info }) => {
        const origin = this.#blocks.origin(info.id);
        const of = (tracks: number[] | null) =>
          workbench.client.call('timeline.statistics', {
            ...{ trace: info.id, from_ns: from + origin, to_ns: to + origin, name: null },
            tracks: tracks === null || tracks.length > MAX_TRACKS ? null : tracks,
          });
        const gpu = gpuLanes(info);
        const others = (on: SelectedLane['on']) => info.lanes.filter((lane) => placeOf(lane, info) === on);
        const apart = [...gpu, ...others(null), ...others('host')].slice(0, MOST_LANES);
        const [statistics, ...counted] = await Promise.all([
          // A host that waits for a kernel is no second kernel: its time is not added to the GPU's.
          of(gpu.length === 0 ? null : gpu.flatMap(tracksOf)),
          ...(gpu.length === 0 ? [] : apart.map((lane) => of(tracksOf(lane)))),
        ]);
        const lanes = counted.flatMap((one, i): SelectedLane[] => {
          const lane = apart[i];
          if (lane === undefined || one.count === 0) return [];
          const title = lane.process === '' ? lane.name : `${lane.process}, ${lane.name}`;
          return [{ title, on: placeOf(lane, info), statistics: one }];
        });
        return {
          trace: info.id,
          title: info.about === '' ? info.name : `${info.name}: ${info.about}`,
          statistics,
          lanes,
        };
      }),
    ).catch((error: unknown) => this.#context.fail('The selection could not be counted', error));
    if (parts !== null && number === this.#number) state.setState({ selected: { from, to, parts } });
  }
}
