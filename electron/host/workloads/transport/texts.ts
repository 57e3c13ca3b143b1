/** A transport run in words, for lists. */
import type { GridSize } from '../../../contract/scenario/transport/workload.ts';

export function gridText({ ne, ntheta, nz, nx }: GridSize): string {
  return `${ne} × ${ntheta} × ${nz} × ${nx} cells`;
}

export function upToText(steps: number, depth_mm: number): string {
  return `${steps} ${steps === 1 ? 'step' : 'steps'}, ${depth_mm.toFixed(1)} mm deep`;
}
