/** Provenance of the measuring program that a session stores in addition to its version. */
import path from 'node:path';
import type { DeviceReport } from '../../../contract/devices.ts';
import { defaultKind } from '../../../contract/scenario/index.ts';
import { usedGpu } from '../../io/addon/gpu.ts';
import { kernelFolders } from './ceilings.ts';
import { commitOf } from './commit.ts';
import { surroundingsOf } from './environment.ts';
import { kernelResources, resourcesFor } from './resources.ts';
import type { SessionOptions } from './session.ts';

/** The commit, under what it measures, and the resources of the kernels on the GPU that runs use; each where it is known. */
export async function recordedFacts(
  assetsFolder: string,
  devices: DeviceReport,
  workload: string = defaultKind,
): Promise<NonNullable<SessionOptions['recorded']>> {
  const root = path.dirname(assetsFolder);
  const [commit, surroundings] = await Promise.all([commitOf(root), surroundingsOf(root, devices)]);
  const gpu = usedGpu(devices);
  const all = gpu === null ? null : await kernelResources(kernelFolders().images, workload);
  const resources = gpu === null ? null : resourcesFor(all, gpu.computeCapability);
  return {
    surroundings,
    ...(commit === null ? {} : { commit }),
    ...(resources === null ? {} : { resources }),
  };
}
