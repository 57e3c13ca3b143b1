/** The CT that a scenario names: found beside it, read beside the host's loop, and kept until a file changes. */
import { BraggError } from '../../../../../contract/errors.ts';
import {
  type CtPlacement,
  type Fault,
  fault,
  type TransportWithConstants,
} from '../../../../../contract/scenario/index.ts';
import { aside } from '../../../../io/aside/task.ts';
import { insideFolder } from '../../../../io/files/inside-folder.ts';
import { stampOf } from '../../../../io/files/stamp.ts';
import { type CtAsked, type CtSlice, readCtSlice } from '../../../../io/volumes/ct-slice.ts';
import type { HuTable } from '../../../../model/matter/hu-table.ts';
import type { MaterialSet } from '../../../../model/scenarios/materials.ts';
import { type PlacedCt, placeCt } from './placed-ct.ts';

const readAside = aside('read a CT slice', readCtSlice);

/** Slices in use at a time. */
const KEPT = 8;
const kept = new Map<string, Promise<CtSlice>>();

async function read(asked: CtAsked): Promise<CtSlice> {
  const key = JSON.stringify([asked, await stampOf(asked.path)]);
  const known = kept.get(key);
  if (known !== undefined) return known;
  const reading = readAside(asked);
  kept.set(key, reading);
  reading.catch(() => kept.delete(key));
  const [oldest] = kept.keys();
  if (kept.size > KEPT && oldest !== undefined) kept.delete(oldest);
  return reading;
}

export interface CtRead {
  readonly slice: CtSlice | null;
  readonly faults: readonly Fault[];
}

/** `folder` is that of the scenario; null for one that is not saved. */
export async function ctSlice(
  { file, plane, at_mm }: CtPlacement,
  { folder }: { readonly folder: string | null },
): Promise<CtRead> {
  const refuse = (says: string, allowed: string, at: readonly string[] = ['file'], value: unknown = file): CtRead => ({
    slice: null,
    faults: [fault(['geometry', 'ct', ...at], value, says, allowed)],
  });
  const allowed = 'a DICOM folder or file, .nrrd, .mha or .mhd in the folder of the scenario';
  if (folder === null) {
    return refuse('cannot be found before the scenario is saved: the path is relative to its file', allowed);
  }
  const found = await insideFolder(folder, file);
  if (found === null) return refuse('leads out of the folder of the scenario', allowed);
  try {
    return { slice: await read({ path: found, name: file, plane, at_mm: at_mm ?? null }), faults: [] };
  } catch (error) {
    if (!(error instanceof BraggError)) throw error;
    return refuse(`cannot be used: ${error.message.replace(/\.$/, '')}`, allowed);
  }
}

/** The CT of a scenario in its box; null without one, and where it cannot be used. */
export async function placedCt(
  { geometry: { ct } }: TransportWithConstants,
  materials: MaterialSet,
  shipped: HuTable,
  place: { readonly folder: string | null },
): Promise<{ readonly placed: PlacedCt | null; readonly faults: readonly Fault[] }> {
  if (ct === undefined) return { placed: null, faults: [] };
  const { slice, faults } = await ctSlice(ct, place);
  if (slice === null) return { placed: null, faults };
  const table = ct.hu_table === 'schneider' ? shipped : ct.hu_table;
  const listed = table.materials.map(([, name]) => materials[name]?.density_g_cm3 ?? 1);
  const placed = placeCt(slice, ct, table, listed);
  if (placed !== null) return { placed, faults: [] };
  const [u, v] = slice.origin_mm;
  const ends = [u + (slice.columns - 1) * slice.spacing_mm[0], v + (slice.rows - 1) * slice.spacing_mm[1]];
  const allowed = `a point of the image: ${u} to ${ends[0]} mm, ${v} to ${ends[1]} mm`;
  return {
    placed,
    faults: [
      fault(['geometry', 'ct', 'isocentre_mm'], ct.isocentre_mm, "lets the beam's axis miss the image", allowed),
    ],
  };
}
