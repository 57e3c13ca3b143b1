/**
 * Gamma index of two dose maps: D. A. Low et al., Med. Phys. 25 (1998) 656.
 * Global dose criterion, two dimensions, the evaluated dose interpolated
 * bilinearly between cells.
 */

import { setImmediate as nextTurn } from 'node:timers/promises';

export interface DoseMap {
  /** Any unit, [z][x]. */
  readonly dose: Float64Array;
  readonly nz: number;
  readonly nx: number;
  readonly dz_mm: number;
  readonly dx_mm: number;
}

export interface GammaCriteria {
  /** Share of the reference's maximum. */
  readonly dose: number;
  readonly distance_mm: number;
}

export interface GammaResult extends GammaCriteria {
  /** Share of the points above the threshold with gamma <= 1. */
  readonly passed: number;
  readonly points: number;
  readonly worst: number;
}

/** Points below this share of the maximum are not judged. */
const threshold = 0.1;
/** Beyond this gamma the search stops: it only has to be told that it failed. */
const mostGamma = 3;
/** The evaluated dose is looked up this finely within the distance criterion. */
const stepsPerDistance = 10;

/** Dose at a place in mm from the grid's corner; x measured from the centre line, so that maps of other widths align. */
function sample({ dose, nz, nx, dz_mm, dx_mm }: DoseMap, z_mm: number, x_mm: number): number | null {
  const [row, column] = [z_mm / dz_mm - 0.5, x_mm / dx_mm + nx / 2 - 0.5];
  if (row < -0.5 || row > nz - 0.5 || column < -0.5 || column > nx - 0.5) return null;
  const [z, x] = [Math.min(Math.max(Math.floor(row), 0), nz - 1), Math.min(Math.max(Math.floor(column), 0), nx - 1)];
  const [fz, fx] = [Math.min(Math.max(row - z, 0), 1), Math.min(Math.max(column - x, 0), 1)];
  const at = (i: number, j: number): number => dose[Math.min(i, nz - 1) * nx + Math.min(j, nx - 1)] ?? 0;
  return (1 - fz) * ((1 - fx) * at(z, x) + fx * at(z, x + 1)) + fz * ((1 - fx) * at(z + 1, x) + fx * at(z + 1, x + 1));
}

interface Offset {
  readonly z: number;
  readonly x: number;
  /** Square of the distance over the criterion. */
  readonly share: number;
}

/** Places to look at, nearest first, so that the search can stop early. */
function offsets(distance_mm: number): readonly Offset[] {
  const step = distance_mm / stepsPerDistance;
  const reach = mostGamma * stepsPerDistance;
  const all: Offset[] = [];
  for (let i = -reach; i <= reach; i += 1) {
    for (let j = -reach; j <= reach; j += 1) {
      const share = (i * i + j * j) / stepsPerDistance ** 2;
      if (share <= mostGamma ** 2) all.push({ z: i * step, x: j * step, share });
    }
  }
  return all.sort((a, b) => a.share - b.share);
}

export interface GammaField extends GammaResult {
  /** At the reference's cells, [z][x]; NaN where its dose is below the threshold. */
  readonly values: Float32Array;
}

/** One row of z after the other, so that whoever shares the thread gets its turn between them. */
function* rows(
  reference: DoseMap,
  evaluated: DoseMap,
  criteria: GammaCriteria,
  values: Float32Array | null,
): Generator<void, GammaResult> {
  const density = (map: DoseMap): DoseMap => ({ ...map, dose: map.dose.map((d) => d / (map.dz_mm * map.dx_mm)) });
  const [wanted, given] = [density(reference), density(evaluated)];
  const peak = wanted.dose.reduce((a, b) => Math.max(a, b), 0);
  const allowed = criteria.dose * peak;
  const places = offsets(criteria.distance_mm);
  let [points, passed, worst] = [0, 0, 0];
  for (let row = 0; row < wanted.nz; row += 1) {
    for (let column = 0; column < wanted.nx; column += 1) {
      const i = row * wanted.nx + column;
      const dose = wanted.dose[i] ?? 0;
      if (dose < threshold * peak) continue;
      const z = (row + 0.5) * wanted.dz_mm;
      const x = (column + 0.5 - wanted.nx / 2) * wanted.dx_mm;
      let best = mostGamma ** 2;
      for (const place of places) {
        if (place.share >= best) break;
        const found = sample(given, z + place.z, x + place.x);
        if (found !== null) best = Math.min(best, place.share + ((found - dose) / allowed) ** 2);
      }
      points += 1;
      if (best <= 1) passed += 1;
      worst = Math.max(worst, Math.sqrt(best));
      if (values !== null) values[i] = Math.sqrt(best);
    }
    yield;
  }
  return { ...criteria, passed: points === 0 ? 1 : passed / points, points, worst };
}

/** Compares `evaluated` with `reference`, both as dose per area (cells may differ in size). */
export function gamma(reference: DoseMap, evaluated: DoseMap, criteria: GammaCriteria): GammaResult {
  const work = rows(reference, evaluated, criteria, null);
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
  }
}

/** Work between two turns of the event loop. */
const TURN_MS = 8;

/** The same with the index of every cell. Rejects with the signal's reason when it is aborted. */
export async function gammaField(
  reference: DoseMap,
  evaluated: DoseMap,
  criteria: GammaCriteria,
  signal: AbortSignal,
): Promise<GammaField> {
  const values = new Float32Array(reference.dose.length).fill(Number.NaN);
  const work = rows(reference, evaluated, criteria, values);
  for (;;) {
    const until = performance.now() + TURN_MS;
    while (performance.now() < until) {
      const step = work.next();
      if (step.done) return { ...step.value, values };
    }
    await nextTurn();
    signal.throwIfAborted();
  }
}
