/** Interface of a workload to user kernels; each workload's folder has one, in its registry entry. */

import type { UserKernelVerdict } from '../../contract/user-kernels/verdict.ts';
import type { NativeAddon } from '../io/addon/addon.ts';
import type { ReproducedProblem } from '../model/reproducer/problem.ts';
import type { ReplaceRules, UserKernelBase } from '../model/user-kernels/base.ts';
import type { UserKernel } from '../model/user-kernels/file.ts';
import type { KnownUserKernels } from '../model/user-kernels/known.ts';
import type { AnyRunData } from './run-data.ts';
import type { AnyReading } from './scenarios/index.ts';

export interface UserKernelWorkload extends ReplaceRules {
  /** Input of a reproducer of `kernel`, from a scenario. Throws a BraggError for a scenario that cannot be used. */
  readonly reproduced: (addon: NativeAddon, reading: AnyReading, kernel: UserKernel) => ReproducedProblem;
  /** As the engine lists them. */
  readonly bases: (addon: NativeAddon) => readonly UserKernelBase[];
  /** The engine's functions with user kernels among its own. Others' calls go to `engine` as they come. */
  readonly among: (engine: NativeAddon, known: KnownUserKernels) => Partial<NativeAddon>;
  /**
   * Puts a run that a user kernel has finished to the checks that ours are put to: runs it again, and the reference.
   * Null where it was stopped. Throws a BraggError.
   */
  readonly check: (
    addon: NativeAddon,
    reading: AnyReading,
    run: AnyRunData,
    signal?: AbortSignal,
  ) => Promise<UserKernelVerdict | null>;
}

/** File names of kernels: device code is compiled for the GPU, C++ for this processor. */
const usual = { cuda: /\.(cu|cuh)$/, cpu: /\.cpp$/ } as const;

interface FileRules {
  /** Files that the engine uses to set up or judge variants: a replacement in a variant would never be used. */
  readonly engine: readonly string[];
  /** Headers that only device code includes. */
  readonly deviceHeaders?: readonly string[];
}

export function replaceableBy({ engine, deviceHeaders = [] }: FileRules): UserKernelWorkload['replaceable'] {
  return (name, device) =>
    !engine.includes(name) && (usual[device].test(name) || (device === 'cuda' && deviceHeaders.includes(name)));
}

/** Kernels are replaced, and not the host's code around them. */
export function withoutKernels({ id, device, source, buildsOn }: UserKernelBase): string | null {
  if (device === 'cpu' || source.endsWith('.cu') || source.endsWith('.cuh')) return null;
  const differs = buildsOn === null ? 'is host code' : `differs from ${buildsOn} in host code`;
  return `${id} ${differs}; a user kernel on CUDA replaces kernels, and ${id} has none of its own.`;
}
