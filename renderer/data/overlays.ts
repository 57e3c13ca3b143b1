/** Depth doses to overlay on the shown run: from the user's files and from other runs. */
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { RunId } from '../../electron/contract/run.ts';
import type { CurveFile } from '../../electron/domain/dose/curve-csv.ts';
import type { Client } from './client/client.ts';
import { ArrayCache } from './run-data.ts';

interface OverlayInfo {
  /** Key in the cache of curves. */
  readonly id: string;
  readonly name: string;
  /** Null if the curve is from a file. */
  readonly run: RunId | null;
}

export interface OverlayCurve {
  readonly depth_mm: Float64Array;
  readonly dose: Float64Array;
  /** Null if the unit is arbitrary; the curve is then scaled to the shown run's peak. */
  readonly unit: string | null;
  /** Depth dose of a run per mass, nGy mm². */
  readonly perMass?: Float64Array | null;
}

/** Maximum number of overlaid curves that colours and dash patterns can distinguish. */
export const MAX_OVERLAYS = 7;

export class Overlays {
  readonly list: StoreApi<{ readonly items: readonly OverlayInfo[] }> = createStore<{
    readonly items: readonly OverlayInfo[];
  }>(() => ({ items: [] }));
  readonly curves = new ArrayCache<OverlayCurve>();
  readonly #client: Client;
  #next = 0;

  constructor(client: Client) {
    this.#client = client;
  }

  /** Returns false if the maximum number of overlays is reached. */
  addFile(name: string, { depth_mm, dose, unit }: CurveFile): boolean {
    return this.#add({ id: this.#id(), name, run: null }, { depth_mm, dose, unit });
  }

  async addRun(run: RunId, name: string): Promise<boolean> {
    if (this.list.getState().items.some((item) => item.run === run)) return true;
    const { curve, perMass } = await this.#client.call('run.depthDose', { run });
    const { positions, values, unit } = curve;
    return this.#add(
      { id: this.#id(), name, run },
      { depth_mm: positions, dose: values, unit, perMass: perMass?.values ?? null },
    );
  }

  remove(id: string): void {
    this.list.setState(({ items }) => ({ items: items.filter((item) => item.id !== id) }));
    this.curves.drop(id);
  }

  clear(): void {
    for (const { id } of this.list.getState().items) this.remove(id);
  }

  #id(): string {
    this.#next += 1;
    return `overlay-${this.#next}`;
  }

  #add(info: OverlayInfo, curve: OverlayCurve): boolean {
    const { items } = this.list.getState();
    if (items.length >= MAX_OVERLAYS) return false;
    this.curves.set(info.id, curve);
    this.list.setState({ items: [...items, info] });
    return true;
  }
}
