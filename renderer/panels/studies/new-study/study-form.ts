/** Study settings chosen by the user, and the resulting document. */
import type { ScenarioDraft } from '../../../../electron/contract/scenario/draft.ts';
import type { MeasureGroup, StudyDocument } from '../../../../electron/contract/study/index.ts';
import { type AxisDraft, axisOf, pathsOfAxis, withKinds } from './axis-draft.ts';
import type { ReadyMade } from './ready-made.ts';

export type Form = Pick<StudyDocument, 'measures' | 'timing' | 'repeats'>;
export const blank: Form = { measures: ['readouts', 'ledger', 'times', 'memory'], timing: 'shared', repeats: 1 };

/**
 * Sets the stored measures. Energy counters cannot separate concurrent points, so measuring energy runs points one at a
 * time.
 */
export function keeping(form: Form, measures: readonly MeasureGroup[]): Form {
  return { ...form, measures: [...measures], ...(measures.includes('energy') && { timing: 'alone' as const }) };
}

/** Points at the same time have no energy of their own. */
export function timed(form: Form, timing: NonNullable<Form['timing']>): Form {
  const measures = form.measures?.filter((one) => timing === 'alone' || one !== 'energy');
  return { ...form, timing, ...(measures !== undefined && { measures }) };
}

interface Chosen {
  readonly draft: ScenarioDraft;
  /** With every value; null where it has errors. */
  readonly complete: unknown;
  readonly title: string;
  /** Null if the question is user-defined. */
  readonly made: ReadyMade | null;
  readonly axes: readonly AxisDraft[];
  readonly form: Form;
}

/** `base`: the scenario that it starts from. */
export function studyOf({ draft, complete, title, made, axes, form }: Chosen) {
  const own = axes.map(axisOf);
  const all = [...(made?.axes ?? []), ...own];
  const base = withKinds(made?.base ?? draft, complete, all.flatMap(pathsOfAxis));
  const label = made?.title ?? own.flatMap(pathsOfAxis).join(', ');
  const document = {
    ...{ kind: 'study', version: 1, name: `${title.replace(/\.(json|ya?ml)$/, '')} – ${label}` },
    ...{ base: [{ scenario: base }], axes: all },
    ...(made?.reference === undefined ? {} : { reference: made.reference }),
    ...(made?.search === undefined ? {} : { search: made.search }),
    ...(made?.budget === undefined ? {} : { budget: made.budget }),
    ...form,
  };
  return { base, document };
}
