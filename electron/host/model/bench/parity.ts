/** Whether a variant's answer is right, and whether it is the same every time. */
import { createHash } from 'node:crypto';
import type { Precision } from '../../../contract/run.ts';

/** Largest relative L2 difference of the dose from the FP64 reference; beyond it a variant is wrong. */
export const parityLimit: Readonly<Record<Precision, number>> = { fp32: 1e-5, fp64: 1e-12 };

export type Values = Float32Array | Float64Array;

/** |a − b|₂ / |b|₂. */
export function relativeL2(values: Values, reference: Values): number {
  if (values.length !== reference.length) return Number.POSITIVE_INFINITY;
  let [difference, norm] = [0, 0];
  for (let i = 0; i < values.length; i += 1) {
    const b = reference[i] ?? 0;
    difference += ((values[i] ?? 0) - b) ** 2;
    norm += b * b;
  }
  return norm === 0 ? (difference === 0 ? 0 : Number.POSITIVE_INFINITY) : Math.sqrt(difference / norm);
}

/** `bitwise`: every run gave the same bits; else the largest difference over the largest value, where that is known. */
export interface Repeats {
  readonly runs: number;
  readonly bitwise: boolean;
  readonly spread: number | null;
  readonly hash: string;
}

/** Follows the answers of repeated runs. */
export class Determinism {
  private first: Values | null = null;
  private hash = '';
  private count = 0;
  private spread = 0;

  add(dose: Values): void {
    const bytes = new Uint8Array(dose.buffer, dose.byteOffset, dose.byteLength);
    const hash = createHash('sha256').update(bytes).digest('hex');
    this.count += 1;
    if (this.first === null) {
      this.first = dose;
      this.hash = hash;
    } else if (hash !== this.hash) {
      this.spread = Math.max(this.spread, largestDifference(dose, this.first), Number.EPSILON);
    }
  }

  report(): Repeats & { readonly spread: number } {
    return { runs: this.count, bitwise: this.spread === 0, spread: this.spread, hash: this.hash };
  }
}

function largestDifference(values: Values, reference: Values): number {
  let [difference, peak] = [0, 0];
  for (let i = 0; i < reference.length; i += 1) {
    difference = Math.max(difference, Math.abs((values[i] ?? 0) - (reference[i] ?? 0)));
    peak = Math.max(peak, Math.abs(reference[i] ?? 0));
  }
  return peak === 0 ? difference : difference / peak;
}
