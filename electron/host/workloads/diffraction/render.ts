/** Renders one image and puts together what is known of it. */
import { availableParallelism } from 'node:os';
import { fromNative, type NativeAddon } from '../../addon.ts';
import type { DiffractionProblem, DiffractionProgress } from '../../addon-diffraction.ts';
import { type ImageRunData, imageRunData } from './image-data.ts';

export interface RenderRequest {
  readonly name: string;
  readonly scenario: Readonly<Record<string, unknown>>;
  readonly completeScenario: Readonly<Record<string, unknown>>;
  readonly problem: DiffractionProblem;
  /** Ends the run within a band of rows; what was computed is kept. */
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: DiffractionProgress) => void;
}

/** What this program and this machine are, as run files say it. */
function provenance(addon: NativeAddon, commit: string | null): Pick<ImageRunData, 'program' | 'machine'> {
  const { version, build, compiler } = addon.buildInfo();
  const { cpu, logicalCores, memoryBytes: memory_bytes, os } = addon.machine();
  return {
    program: { version, build, compiler, commit },
    machine: { cpu, logicalCores: logicalCores || availableParallelism(), memory_bytes, os, device: null },
  };
}

/** Throws a BraggError when the engine refuses the problem or fails. */
export async function renderImage(
  { addon, commit = null }: { readonly addon: NativeAddon; readonly commit?: string | null },
  { name, scenario, completeScenario, problem, signal, onProgress = () => undefined }: RenderRequest,
): Promise<ImageRunData> {
  const created = new Date().toISOString();
  const start = performance.now();
  try {
    const native = addon.createDiffraction(problem);
    const cancel = (): void => native.cancel();
    signal?.addEventListener('abort', cancel);
    try {
      const started = native.start(onProgress);
      if (signal?.aborted === true) cancel();
      const result = await started;
      const context = { name, created, finished: new Date().toISOString(), scenario, completeScenario };
      const wall_s = (performance.now() - start) / 1000;
      return imageRunData({ ...context, ...provenance(addon, commit), wall_s }, native.plan, result);
    } finally {
      signal?.removeEventListener('abort', cancel);
    }
  } catch (error) {
    throw fromNative(error);
  }
}
