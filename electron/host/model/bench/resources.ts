/** Compiler's report on the CUDA kernels from when they were built. */
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import type { KernelSet } from '../../../contract/launches.ts';
import { type KernelResources, kernelResourcesSchema } from '../../../contract/resources.ts';

const fileSchema = z.strictObject({ workload: z.string(), ...kernelResourcesSchema.shape });

/** Resources of one workload's kernels for every architecture; null where it was not compiled. */
export async function kernelResources(images: string, workload: string): Promise<KernelResources | null> {
  const text = await readFile(path.join(images, `${workload}.resources.json`), 'utf8').catch(() => null);
  if (text === null) return null;
  const { compiler, kernels } = fileSchema.parse(JSON.parse(text));
  return { compiler, kernels };
}

/** Those for a GPU of this compute capability, such as `9.0`; null when there are none. */
export function resourcesFor(all: KernelResources | null, computeCapability: string): KernelResources | null {
  const architecture = `sm_${computeCapability.replace('.', '')}`;
  const kernels = all?.kernels.filter((kernel) => kernel.architecture.replace(/[a-z]$/, '') === architecture) ?? [];
  return all === null || kernels.length === 0 ? null : { compiler: all.compiler, kernels };
}

const ENDING = '.resources.json';

/** Resources by workload, for all whose kernels were compiled into the folder `images`. */
export async function allKernelResources(images: string): Promise<KernelSet[]> {
  const names = (await readdir(images).catch(() => [])).filter((name) => name.endsWith(ENDING)).sort();
  const sets = await Promise.all(
    names.map(async (name): Promise<KernelSet[]> => {
      const workload = name.slice(0, -ENDING.length);
      const found = await kernelResources(images, workload);
      return found === null ? [] : [{ workload, ...found, session: null }];
    }),
  );
  return sets.flat();
}
