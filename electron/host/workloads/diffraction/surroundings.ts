/** What a benchmark of images is told of the machine and of what is claimed, whoever starts it. */
import type { NativeAddon } from '../../io/addon/addon.ts';
import { devicesWithCeilings, readClaimsOf, recordedFacts, sessionGpus } from '../../model/bench/index.ts';
import type { ImageBenchOptions } from './bench.ts';

export interface ImageSurroundings
  extends Required<Pick<ImageBenchOptions, 'gpus' | 'claims'>>,
    Pick<ImageBenchOptions, 'recorded'> {
  /** Which a session names once. */
  readonly commit: string | null;
}

/** `warn` hears why there are no ceilings. */
export async function imageSurroundings(
  addon: NativeAddon,
  assetsFolder: string,
  warn: (reason: string) => void,
): Promise<ImageSurroundings> {
  const devices = await devicesWithCeilings(addon, warn);
  const { commit = null, ...recorded } = await recordedFacts(assetsFolder, devices, 'diffraction');
  const claims = await readClaimsOf(assetsFolder, { workload: 'diffraction', bench: '' });
  return { gpus: sessionGpus(devices), claims, recorded, commit };
}
