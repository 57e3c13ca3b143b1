/** A transport run in words, for lists. */
import type { GridSize } from '../../../contract/scenario/transport/workload.ts';
import { countText } from '../../../contract/units.ts';

export function gridText({ ne, ntheta, nz, nx }: GridSize): string {
  return `${ne} × ${ntheta} × ${nz} × ${nx} cells`;
}

export function upToText(steps: number, depth_mm: number): string {
  return `${countText(steps, 'step')}, ${depth_mm.toFixed(1)} mm deep`;
}
