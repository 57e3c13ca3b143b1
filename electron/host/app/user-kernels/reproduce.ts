/**
 * Exports a small program that reproduces a run of a user kernel on a scenario. Nothing is compiled here, and only the
 * program that computes the expected answer is run.
 */
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { NativeAddon } from '../../io/addon/addon.ts';
import { kernelFolders } from '../../model/bench/machine.ts';
import { writeReproducer } from '../../model/reproducer/reproducer.ts';
import type { UserKernel } from '../../model/user-kernels/file.ts';
import { hostWorkloads } from '../../workloads/index.ts';
import { invalidScenarioError, type ScenarioReading } from '../../workloads/scenarios/scenarios.ts';
import { benchKindOf, type UserKernels } from './user-kernels.ts';

/** Returns the first unused folder name for a reproducer of the kernel. */
export function freeFolder(beside: string, kernel: Pick<UserKernel, 'id'>): string {
  const stem = path.join(beside, `${path.parse(kernel.id).name}-reproducer`);
  for (let i = 1; ; i += 1) {
    const folder = i === 1 ? stem : `${stem}-${i}`;
    if (!existsSync(folder)) return folder;
  }
}

/**
 * Replaces the document's variant by the base variant of the kernel, or by the candidate itself for a user problem.
 */
export function documentForBase(document: unknown, { id, base, candidate }: UserKernel): unknown {
  const { solver, ...rest } = document as { readonly solver?: object };
  return { ...rest, solver: { ...solver, variant: candidate === undefined ? base.id : id } };
}

interface ReproducerRequest {
  readonly addon: NativeAddon;
  readonly userKernels: UserKernels;
  readonly kernel: UserKernel;
  /** Scenario with the base variant of the kernel. */
  readonly reading: ScenarioReading;
  readonly folder: string;
}

/**
 * Writes a reproducer and returns the number of its files. Throws BraggError if the scenario is for another workload or
 * cannot run, or if the folder exists.
 */
export async function reproduce({ addon, userKernels, kernel, reading, folder }: ReproducerRequest): Promise<number> {
  const { scenario } = reading;
  if (scenario === null || reading.kind === null) throw invalidScenarioError(reading.issues);
  userKernels.requireMatchingWorkload(kernel.id, benchKindOf(scenario));
  const problem = hostWorkloads[reading.kind].userKernels.reproducedProblem(addon, reading, kernel);
  const answer =
    problem.referenceProblem === undefined ? null : await userKernels.computeAnswer(kernel, problem.referenceProblem);
  const { isa } = addon.machine();
  const { version } = addon.buildInfo();
  const { files } = await writeReproducer({
    ...{ kernel, problem, answer, scenario, folder, isa, version },
    folders: kernelFolders(),
  });
  return files;
}
