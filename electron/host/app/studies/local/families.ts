/** Beams of a study that share a grid. The grid is that of all beams of the family in the plan, whichever are left to do. */
import type { PlanHead, PlanLine } from '../../../../contract/study/index.ts';
import { familyOf } from '../../../workloads/transport/one-grid-sweep.ts';
import { documentOf } from '../documents.ts';
import { togetherOf } from './groups.ts';

/** Beams of a family: what is solved again where a go ends within it. */
const MOST_BEAMS = 500;

/** The family of each line that has one; `lines`: all of the plan. */
export function familiesOf(
  head: Pick<PlanHead, 'bases' | 'study'>,
  lines: readonly PlanLine[],
): ReadonlyMap<string, readonly PlanLine[]> {
  const families = new Map<string, readonly PlanLine[]>();
  if (head.study['grids'] !== 'shared') return families;
  const filling = new Map<string, PlanLine[]>();
  for (const line of lines) {
    const document = documentOf(head.bases[line.base]?.document, line.settings);
    const alike = togetherOf(document) === 'beams' ? familyOf(document) : null;
    if (alike === null) continue;
    const key = `${line.base} ${alike}`;
    const found = filling.get(key);
    const family = found === undefined || found.length >= MOST_BEAMS ? [] : found;
    family.push(line);
    filling.set(key, family);
    families.set(line.id, family);
  }
  return families;
}

/** Lines of a family together, in the order in which their families come. */
export function byFamily(
  lines: readonly PlanLine[],
  families: ReadonlyMap<string, readonly PlanLine[]>,
): readonly (readonly PlanLine[])[] {
  const parcels = new Map<unknown, PlanLine[]>();
  for (const line of lines) {
    const family = families.get(line.id);
    const parcel = parcels.get(family) ?? [];
    parcel.push(line);
    parcels.set(family, parcel);
  }
  return [...parcels.values()];
}
