/** The GPU's measured ceilings, from the cache or measured now. */
import { homedir, platform } from 'node:os';
import path from 'node:path';
import type { DeviceReport } from '../../../contract/devices.ts';
import { fromNative, type KernelFolders, type NativeAddon } from '../../io/addon/addon.ts';

/** Cache folder for files that can be recreated: $BRAGGBENCH_CACHE, or the system's default location. */
function cacheFolder(environment: NodeJS.ProcessEnv = process.env): string {
  const own = environment['BRAGGBENCH_CACHE'];
  if (own !== undefined && own !== '') return own;
  if (platform() === 'win32') return path.join(environment['LOCALAPPDATA'] ?? homedir(), 'Braggbench', 'Cache');
  if (platform() === 'darwin') return path.join(homedir(), 'Library', 'Caches', 'braggbench');
  return path.join(environment['XDG_CACHE_HOME'] || path.join(homedir(), '.cache'), 'braggbench');
}

/**
 * Folders of compiled kernels, sources and cache. Kernels are in dist/kernels next to the addon's folder, as the engine
 * expects.
 */
export function kernelFolders(environment: NodeJS.ProcessEnv = process.env): KernelFolders {
  const named = environment['BRAGGBENCH_KERNELS'];
  const here = import.meta.dirname;
  // From the bundle in dist/host, and from this file in a checkout.
  const inside =
    path.basename(path.dirname(here)) === 'dist' ? path.dirname(here) : path.resolve(here, '../../../../dist');
  const images = named !== undefined && named !== '' ? named : path.join(inside, 'kernels');
  return { images, sources: path.join(images, 'source'), cache: cacheFolder(environment) };
}

/** Device report with the ceilings of every usable GPU; `failed` receives the reason if one cannot be measured. */
export async function devicesWithCeilings(addon: NativeAddon, failed: (reason: string) => void): Promise<DeviceReport> {
  const folders = kernelFolders();
  const before = addon.devices({ cache: folders.cache });
  const unknown = before.cuda.devices.filter(({ usable, ceilings }) => usable && ceilings === null);
  for (const { uuid } of unknown) {
    try {
      await addon.measureCeilings({ ...folders, device: uuid });
    } catch (error) {
      failed(fromNative(error).message);
    }
  }
  return unknown.length === 0 ? before : addon.devices({ cache: folders.cache });
}
