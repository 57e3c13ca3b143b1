/**
 * The CT that a scenario names: found in the scenario's folder, read on a worker thread, and cached until a file
 * changes.
 */
import { BraggError } from '../../../../../contract/errors.ts';
import type { Pausing } from '../../../../../contract/pausing.ts';
import {
  type CtPlacement,
  type Fault,
  fault,
  type TransportWithConstants,
} from '../../../../../contract/scenario/index.ts';
import { aside } from '../../../../io/aside/task.ts';
import { insideFolder } from '../../../../io/files/inside-folder.ts';
import { stampOf } from '../../../../io/files/stamp.ts';
import { inTurns } from '../../../../io/flow/in-turns.ts';
import { type CtAsked, type CtSlice, readCtSlice } from '../../../../io/volumes/ct-slice.ts';
import { type HuTable, huRange } from '../../../../model/matter/hu-table.ts';
import type { MaterialSet } from '../../../../model/scenarios/materials.ts';
import { type HuBeyond, type PlacedCt, placeCt } from './placed-ct.ts';

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

interface CtRead {
  readonly slice: CtSlice | null;
  readonly faults: readonly Fault[];
}

/** `folder` is that of the scenario; null for one that is not saved. */
async function ctSlice(
  { file, series, plane, at_mm }: CtPlacement,
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
    return {
      slice: await read({ path: found, name: file, series: series ?? null, plane, at_mm: at_mm ?? null }),
      faults: [],
    };
  } catch (error) {
    if (!(error instanceof BraggError)) throw error;
    return refuse(`cannot be used: ${error.message.replace(/\.$/, '')}`, allowed);
  }
}

/** Looked at between two pauses: a millisecond. */
const PIXELS_AT_ONCE = 65_536;

function* countBeyond({ hu }: CtSlice, lowest: number, highest: number): Pausing<HuBeyond> {
  let [below, above] = [0, 0];
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let i = 0; i < hu.length; i += 1) {
    if (i % PIXELS_AT_ONCE === 0) yield;
    const value = hu[i] ?? 0;
    if (value < lowest) below += 1;
    if (value > highest) above += 1;
    if (value < least) least = value;
    if (value > most) most = value;
  }
  return { below, above, least, most };
}

/** By slice and the ends of the table: a scenario is checked with every key. */
const counted = new WeakMap<CtSlice, Map<string, Promise<HuBeyond>>>();

function beyondOf(slice: CtSlice, table: HuTable): Promise<HuBeyond> {
  const [lowest, highest] = huRange(table);
  const ofSlice = counted.get(slice) ?? new Map<string, Promise<HuBeyond>>();
  counted.set(slice, ofSlice);
  const key = `${lowest} ${highest}`;
  const found = ofSlice.get(key) ?? inTurns(countBeyond(slice, lowest, highest));
  ofSlice.set(key, found);
  return found;
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
  const own = ct.frame_of_reference;
  if (own !== undefined && slice.frame !== '' && own !== slice.frame) {
    const at = ['geometry', 'ct', 'frame_of_reference'];
    return { placed: null, faults: [fault(at, own, 'is of another CT', `${slice.frame}, that of the file, or none`)] };
  }
  const table = ct.hu_table === 'schneider' ? shipped : ct.hu_table;
  const listed = table.materials.map(([, name]) => materials[name]?.density_g_cm3 ?? 1);
  const placed = placeCt(slice, ct, table, listed);
  if (placed !== null) return { placed: { ...placed, beyond: await beyondOf(slice, table) }, faults: [] };
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
