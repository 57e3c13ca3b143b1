/** From a study to its folder, and what of it is left to do. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { BraggError } from '../../../contract/errors.ts';
import { PLAN_FORMAT, type PlanLine, STUDY_FOLDER_VERSION } from '../../../contract/study/index.ts';
import { type Lock, makeLockFile, tryLock } from '../../io/files/locks.ts';
import { isStudyFolder, StudyFolder } from '../../model/studies/folder.ts';
import type { PlannedStudy } from './plan.ts';

/** Next to the study file, by default. */
export function usualFolder(file: string): string {
  const { dir, name } = path.parse(path.resolve(file));
  return path.join(dir, `${name}.study`);
}

/** The folder that an operand means: itself, or that of the study file; null where nothing was planned yet. */
export async function plannedFolder(operand: string): Promise<string | null> {
  for (const folder of [operand, usualFolder(operand)]) if (await isStudyFolder(folder)) return folder;
  return null;
}

/** Nothing is begun where no point could be solved: the first says why. */
function refuseHopeless({ checked, points }: PlannedStudy): void {
  const [first] = checked;
  if (first === undefined || checked.some(({ refusal }) => refusal === null)) return;
  const looked =
    points.length === checked.length
      ? `${points.length}`
      : `${checked.length} that were looked at, of ${points.length}`;
  throw new BraggError('invalid', `None of the points (${looked}) can be run. ${first.point.id}: ${first.refusal}`);
}

/** Writes the plan; the same one that is there is opened. */
export async function keepPlan(planned: PlannedStudy, folder: string): Promise<StudyFolder> {
  const { study, bases, points, state_bytes, least_s, file } = planned;
  if (points.length === 0) throw new BraggError('invalid', `${file}: its conditions leave no point.`);
  refuseHopeless(planned);
  const { base: _, ...told } = study;
  return StudyFolder.create(
    folder,
    {
      format: PLAN_FORMAT,
      version: STUDY_FOLDER_VERSION,
      created: new Date().toISOString(),
      name: study.name === '' ? path.parse(file).name : study.name,
      study: told,
      bases: bases.map(({ name, document, beside, folder: at }) => ({
        ...{ name, document, beside },
        folder: at === null ? null : path.resolve(at),
      })),
      points: points.length,
      ...{ state_bytes, least_s },
    },
    points,
  );
}

/** Points without a result; with `retry` those that failed too. */
export async function leftOf(folder: StudyFolder, retry: boolean): Promise<readonly PlanLine[]> {
  const ended = await folder.ended();
  return (await folder.lines()).filter(({ id }) => {
    const state = ended.get(id);
    return state === undefined || (retry && state === 'failed');
  });
}

/** Held while this machine works on a study: two would do the same points. Throws BraggError `exists`. */
export async function holdStudy({ folder }: StudyFolder): Promise<Lock> {
  const file = path.join(folder, 'lock');
  if (!existsSync(file)) await makeLockFile(file);
  const lock = tryLock(file);
  if (lock !== null) return lock;
  throw new BraggError(
    'exists',
    `${folder} is being run by another process; braggbench study status ${folder} says which.`,
  );
}
