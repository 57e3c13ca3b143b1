/** The list of reflections that a scenario names, from beside its file. */
import { dirname, join } from 'node:path';
import type { Issue } from '../../../contract/errors.ts';
import { type DiffractionWithConstants, type Fault, fault, formatPath } from '../../../contract/scenario/index.ts';
import { insideFolder } from '../inside-folder.ts';
import { readText } from '../text/read.ts';
import { readHkl } from './hkl.ts';

/** A few million reflections. */
const largestList_bytes = 256 * 1024 * 1024;

const path = ['structure_factors', 'file'] as const;

export interface Reflections {
  /** h, k, l, F of each; empty where there is no list or it cannot be used. */
  readonly list: Float64Array;
  readonly faults: readonly Fault[];
  /** Faults inside the list's own file. */
  readonly issues: readonly Issue[];
}

const none = new Float64Array(0);

/** `place.name` is how the scenario file is shown; the list is shown beside it. */
export async function reflectionsOf(
  { structure_factors }: DiffractionWithConstants,
  place: { readonly name: string; readonly folder: string | null },
): Promise<Reflections> {
  const wanted = structure_factors.file;
  if (wanted === undefined) return { list: none, faults: [], issues: [] };
  const refuse = (says: string): Reflections => ({
    list: none,
    faults: [fault(path, wanted, says, 'a text file with h k l F on every line, in the folder of the scenario')],
    issues: [],
  });
  if (place.folder === null) {
    return refuse('cannot be found before the scenario is saved: the path is relative to its file');
  }
  const file = await insideFolder(place.folder, wanted);
  if (file === null) return refuse('leads out of the folder of the scenario');
  const read = await readText(file, largestList_bytes);
  if (!read.ok) return refuse(`cannot be used: ${read.reason}`);
  const parsed = readHkl(read.text);
  if (parsed.ok) return { list: parsed.reflections, faults: [], issues: [] };
  const shown = join(dirname(place.name), wanted);
  const issues = parsed.faults.map(
    ({ line, message }): Issue => ({
      severity: 'error',
      file: shown,
      path: formatPath(path),
      line,
      column: null,
      message,
      value: null,
      allowed: null,
    }),
  );
  return { list: none, faults: [], issues };
}
