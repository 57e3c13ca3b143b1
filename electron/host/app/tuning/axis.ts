/** Converts study axes of tunables to lists of configurations. */
import { BraggError } from '../../../contract/errors.ts';
import { valueAt } from '../../../contract/scenario/index.ts';
import type { Study, StudyDimension } from '../../../contract/study/index.ts';
import { configuredName } from '../../../contract/tuning/configured.ts';
import { listConfigurations, type Space } from '../../model/tuning/space.ts';
import { benchKindOf, type UserKernels } from '../user-kernels/user-kernels.ts';

interface StudyBaseDocument {
  readonly document: unknown;
  readonly place: { readonly folder: string | null };
}

type TunablesAxis = Extract<StudyDimension, { kind: 'tunables' }>;

/** Restricts the search space to the constants in `only`. */
function limitSpace(space: Space, only: readonly string[] | undefined): Space {
  if (only === undefined) return space;
  const known = space.tunables.map(({ name }) => name);
  const unknown = only.find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw new BraggError('invalid', `${space.variant} has no tunable ${unknown}; allowed: ${known.join(', ')}`);
  const tunables = space.tunables.map((one) =>
    only.includes(one.name) ? one : { ...one, values: [space.usual[one.name] ?? 0] },
  );
  return { ...space, tunables };
}

async function configurationNames(
  axis: TunablesAxis,
  base: StudyBaseDocument,
  userKernels: UserKernels,
): Promise<readonly string[]> {
  const kind = valueAt(base.document, ['kind']);
  const place = benchKindOf({
    kind: String(kind),
    problem: valueAt(base.document, ['problem']),
    name: valueAt(base.document, ['name']),
  });
  const names: string[] = [];
  for (const written of axis.variants) {
    const variant = written.replace(/^\.[\\/]/, '');
    await userKernels.openFromFolders([base.place.folder], variant);
    const found = await userKernels.space(variant, place);
    if (found === null)
      throw new BraggError('invalid', `${variant} has no tunables; braggbench variants lists those that have.`);
    for (const configuration of listConfigurations(limitSpace(found.space, axis.only)))
      names.push(configuredName({ variant, configuration }));
  }
  return names;
}

/** Returns the study with lists of configurations instead of axes of tunables. Throws BraggError `invalid`. */
export async function withConfigurations(
  study: Study,
  [base]: readonly StudyBaseDocument[],
  userKernels: UserKernels,
): Promise<Study> {
  if (base === undefined || study.axes.every(({ kind }) => kind !== 'tunables')) return study;
  const axes: StudyDimension[] = [];
  for (const axis of study.axes) {
    axes.push(
      axis.kind === 'tunables'
        ? { kind: 'list', path: 'solver.variant', values: [...(await configurationNames(axis, base, userKernels))] }
        : axis,
    );
  }
  return { ...study, axes };
}
