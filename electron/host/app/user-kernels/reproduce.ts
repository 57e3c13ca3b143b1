/** Exports a reproducer of a user kernel on a scenario: nothing of it is compiled or run, but for the program of its answer. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { NativeAddon } from '../../io/addon/addon.ts';
import { kernelFolders } from '../../model/bench/ceilings.ts';
import { writeReproducer } from '../../model/reproducer/reproducer.ts';
import type { UserKernel } from '../../model/user-kernels/file.ts';
import { hostWorkloads } from '../../workloads/index.ts';
import { type AnyReading, refusalOf } from '../../workloads/scenarios/index.ts';
import { placeOf, type UserKernels } from './user-kernels.ts';

/** The first name of its kind in a folder that is free. */
export function freeFolder(beside: string, kernel: Pick<UserKernel, 'id'>): string {
  const stem = path.join(beside, `${path.parse(kernel.id).name}-reproducer`);
  for (let i = 1; ; i += 1) {
    const folder = i === 1 ? stem : `${stem}-${i}`;
    if (!existsSync(folder)) return folder;
  }
}

/** The document with the variant that the kernel was made from: a problem names what the engine knows. */
export function byBase(document: unknown, { base }: Pick<UserKernel, 'base'>): unknown {
  const { solver, ...rest } = document as { readonly solver?: object };
  return { ...rest, solver: { ...solver, variant: base.id } };
}

interface Reproducing {
  readonly addon: NativeAddon;
  readonly userKernels: UserKernels;
  readonly kernel: UserKernel;
  /** The scenario, with the variant that the kernel was made from. */
  readonly reading: AnyReading;
  readonly folder: string;
}

/** Throws a BraggError for a scenario of another workload, one that cannot be run, and a folder that is there. */
export async function reproduce({ addon, userKernels, kernel, reading, folder }: Reproducing): Promise<number> {
  const { scenario } = reading;
  if (scenario === null || reading.kind === null) throw refusalOf(reading.issues);
  userKernels.requireFit(kernel.id, placeOf(scenario));
  const problem = hostWorkloads[reading.kind].userKernels.reproduced(addon, reading, kernel);
  const answer = problem.answered === undefined ? null : await userKernels.answer(kernel, problem.answered);
  const { isa } = addon.machine();
  const { version } = addon.buildInfo();
  const { files } = await writeReproducer({
    ...{ kernel, problem, answer, scenario, folder, isa, version },
    folders: kernelFolders(),
  });
  return files;
}
