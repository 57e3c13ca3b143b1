/** The list of reflections that a scenario names, read from the scenario's folder. */
import type { DiffractionWithConstants } from '../../../../contract/scenario/index.ts';
import { type Beside, besideReader } from '../../../model/scenarios/beside.ts';
import { readHkl } from './hkl.ts';

/** h, k, l, F of each; null where there is no list or it cannot be used. */
type Reflections = Beside<Float64Array>;

const readList = besideReader({
  task: 'read a list of reflections',
  path: ['structure_factors', 'file'],
  /** About a million reflections: what is copied of more to the engine holds the host's loop. */
  largest_bytes: 16 * 1024 * 1024,
  allowed: 'a text file with h k l F on every line, in the folder of the scenario',
  parse: (text) => {
    const list = readHkl(text);
    return list.ok ? { ok: true, value: list.reflections } : list;
  },
});

/** `place.name` is the displayed name of the scenario file; the list's name is shown relative to it. */
export async function reflectionsOf(
  { structure_factors: { file } }: DiffractionWithConstants,
  place: { readonly name: string; readonly folder: string | null },
): Promise<Reflections> {
  return file === undefined ? { value: null, faults: [], issues: [] } : readList(file, place);
}
