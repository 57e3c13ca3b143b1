/** Reduces fields to the pixels of a view, and to profiles along an axis; the addon computes them on its threads. */
import type { FieldStatistic } from '../../../contract/fields.ts';
import { loadAddon } from './addon.ts';

/**
 * Division of a part of an axis into samples. Sample i covers `cells` cells from first + i·cells on; the last sample
 * may cover fewer.
 */
export interface AxisSampling {
  readonly first: number;
  /** Index after the last cell. */
  readonly end: number;
  readonly cells: number;
  readonly count: number;
}

/** Scaling of each value v to v · factor / divisor, with a separate divisor for each cell. */
export interface ValueScaling {
  readonly divisor: Float64Array;
  readonly factor: number;
}

interface AxisGeometry {
  readonly nz: number;
  readonly nx: number;
  readonly dz_mm: number;
  readonly dx_mm: number;
  readonly x_mm: number;
  readonly z_mm: number;
  readonly angle_rad: number;
  /**
   * Distance along the axis over which the energy of a cell is spread: the depth of the cell, or of the step in which
   * the energy was deposited.
   */
  readonly reach_mm: number;
}

interface Profile {
  readonly start_mm: number;
  readonly step_mm: number;
  readonly values: Float64Array;
}

interface ReductionOptions {
  readonly strideAcross: number;
  readonly strideDown: number;
  readonly across: AxisSampling;
  readonly down: AxisSampling;
  readonly statistic: FieldStatistic;
  readonly scale: number;
  /**
   * 1: also return the minimum, maximum and smallest positive value of the whole field, before it is multiplied by
   * `scale`.
   */
  readonly extent: 0 | 1;
}

interface ValueExtent {
  readonly min: number;
  readonly max: number;
  /** 0 if no value is positive. */
  readonly minPositive: number;
}

/** Reduction functions of the addon. Arrays passed as arguments must not change until the promise settles. */
interface ReductionFunctions {
  reduceField(
    values: Float32Array | Float64Array,
    how: ReductionOptions,
    per?: ValueScaling,
  ): Promise<ValueExtent & { readonly values: Float32Array }>;
  axisProfile(dose: Float64Array, geometry: AxisGeometry, per?: ValueScaling): Profile;
  axisProfileLater(dose: Float64Array, geometry: AxisGeometry, per?: ValueScaling): Promise<Profile>;
}

let loadedReduction: ReductionFunctions | null = null;

function loadReduction(): ReductionFunctions {
  loadedReduction ??= loadAddon() as unknown as ReductionFunctions;
  return loadedReduction;
}

export const reduceField: ReductionFunctions['reduceField'] = (...parts) => loadReduction().reduceField(...parts);
/** Computes the profile synchronously; only for a run that has ended. */
export const axisProfile: ReductionFunctions['axisProfile'] = (...parts) => loadReduction().axisProfile(...parts);
export const axisProfileAsync: ReductionFunctions['axisProfileLater'] = (...parts) =>
  loadReduction().axisProfileLater(...parts);
