/** One-line summary of a library file. */
import type { LibraryItem } from '../../electron/contract/library.ts';
import { formatBytes } from '../../electron/contract/units.ts';
import { duration } from './time.ts';

/** `70 MeV · cuda-window · FP32 · NVIDIA H200 · R80 40.76 mm · 0.45 s`. */
export function factsOf({ facts, bytes, kind }: LibraryItem): string {
  const { about, variant, precision, device, result, wall_s, status } = facts;
  return (
    [
      about,
      variant,
      precision?.toUpperCase() ?? null,
      device === 'cpu' ? null : device,
      result,
      wall_s === null ? null : duration(wall_s),
      status === 'cancelled' ? 'stopped' : status === 'failed' ? 'failed' : null,
      kind === 'run' ? formatBytes(bytes) : null,
    ]
      .filter((fact) => fact !== null)
      // A number and its unit stay on one line.
      .map((fact) => fact.replaceAll(' ', '\u00a0'))
      .join(' · ')
  );
}
