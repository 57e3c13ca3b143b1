/** What a point takes in energy, by the counters of this machine; why it is not known stands in its place. */
import type { Measure } from '../../../../contract/study/index.ts';
import { usedGpu } from '../../../io/addon/gpu.ts';
import {
  countedDuring,
  energyOf,
  energySeconds,
  gpuCounter,
  type MaybeCounter,
  processorCounter,
  saidOf,
} from '../../../model/bench/conditions/energy.ts';
import { energyMeasures } from '../../../workloads/measures.ts';
import type { SolvingHost } from '../solving-host.ts';

export interface Counters {
  readonly cpu: MaybeCounter;
  readonly cuda: MaybeCounter;
}

/** Those that this machine has. `job`: the cluster's; there other tasks may work on the same processors. */
export function countersHere(host: Pick<SolvingHost, 'addon' | 'capabilities'>, job: string | null): Counters {
  const gpu = usedGpu(host.capabilities().devices);
  return {
    cpu: job === null ? processorCounter() : 'other tasks of the cluster may use the processors of this node',
    cuda: gpu === null ? 'there is no GPU' : gpuCounter(host.addon, gpu.uuid),
  };
}

/** One run after the other, each counted; where they are too short for a counter, some seconds of more. */
export class PointEnergy {
  readonly #counters: Counters;
  readonly #least_s: number;
  readonly #all: { readonly seconds: number; readonly joules: readonly (number | null)[] }[] = [];

  constructor(counters: Counters, least_s = energySeconds) {
    this.#counters = counters;
    this.#least_s = least_s;
  }

  async counted<T>(run: () => Promise<T>): Promise<T> {
    const known = [this.#counters.cpu, this.#counters.cuda].filter((one) => typeof one !== 'string');
    const { did, seconds, joules } = await countedDuring(known, run);
    const places = [this.#counters.cpu, this.#counters.cuda].map((one) =>
      typeof one === 'string' ? null : (joules[known.indexOf(one)] ?? null),
    );
    this.#all.push({ seconds, joules: places });
    return did;
  }

  /** A list for each counted run, or the one of all. `again`: one run more, thrown out of where it was cancelled. */
  async measures(onGpu: boolean, again: () => Promise<unknown>): Promise<readonly (readonly Measure[])[]> {
    const counter = onGpu ? this.#counters.cuda : this.#counters.cpu;
    if (typeof counter === 'string') return [energyMeasures(null, `not known: ${counter}`)];
    const each = this.#all.map(({ joules }) => joules[onGpu ? 1 : 0] ?? null);
    if (this.#all.every(({ seconds }) => seconds >= this.#least_s) && each.every((one) => one !== null))
      return each.map((one) => energyMeasures(one, saidOf(counter)));
    const take = (): Promise<number> => again().then(() => 1);
    const joules = await energyOf(counter, take, this.#least_s);
    return [energyMeasures(joules, joules === null ? 'not known: the counter did not go on' : saidOf(counter))];
  }
}
