/**
 * Study settings chosen by the user, and the study document that they define. The hook plans the study on request, and
 * forecasts its duration on this machine by solving trial points.
 */
import { useCallback, useEffect, useRef, useState } from 'react';
import type { ScenarioDraft } from '../../../../electron/contract/scenario/workload.ts';
import { MIN_PROBED_S, type StudyForecast, type StudyPlan } from '../../../../electron/contract/study/calls.ts';
import type { MeasureGroup, StudyDocument } from '../../../../electron/contract/study/index.ts';
import type { Params } from '../../../../electron/contract/wire/methods.ts';
import { useWorkbench } from '../../../workbench/context.ts';
import { type AxisDraft, axisOf, pathsOfAxis, withKinds } from './axis-draft.ts';
import type { StudyTemplate } from './ready-made.ts';

export type Form = Pick<StudyDocument, 'measures' | 'timing' | 'repeats'>;
export const emptyForm: Form = { measures: ['readouts', 'ledger', 'times', 'memory'], timing: 'shared', repeats: 1 };

/**
 * Sets which results are stored. Energy counters cannot separate concurrent points, so measuring energy also runs
 * points one at a time.
 */
export function withMeasures(form: Form, measures: readonly MeasureGroup[]): Form {
  return { ...form, measures: [...measures], ...(measures.includes('energy') && { timing: 'alone' as const }) };
}

/**
 * Sets the concurrency of points. Removes the energy measure if points are concurrent, because their energies cannot be
 * separated.
 */
export function withTiming(form: Form, timing: NonNullable<Form['timing']>): Form {
  const measures = form.measures?.filter((one) => timing === 'alone' || one !== 'energy');
  return { ...form, timing, ...(measures !== undefined && { measures }) };
}

interface ChosenStudy {
  readonly draft: ScenarioDraft;
  /** Scenario with all defaults; null if it has errors. */
  readonly complete: unknown;
  readonly title: string;
  /** Null if the question is user-defined. */
  readonly made: StudyTemplate | null;
  readonly axes: readonly AxisDraft[];
  readonly form: Form;
}

/** `base` in the result: the scenario that the study starts from. */
export function studyOf({ draft, complete, title, made, axes, form }: ChosenStudy) {
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

export interface PlannedStudy {
  readonly plan: StudyPlan;
  readonly forecast: StudyForecast | null;
  /** True while trial points are being solved for the forecast. */
  readonly probing: boolean;
}

/** Plans the study on request. `requested`: the study as set in the form. A plan for other settings is ignored. */
export function usePlan(requested: Params<'study.plan'>) {
  const { client } = useWorkbench();
  const key = JSON.stringify(requested.document);
  const [known, setKnown] = useState<(PlannedStudy & { readonly of: string }) | null>(null);
  const probe = useRef<{ readonly ended: Promise<StudyForecast | null> } | null>(null);
  useEffect(
    () => () => {
      probe.current = null;
    },
    [],
  );
  const look = async (): Promise<void> => {
    const plan = await client.call('study.plan', requested);
    setKnown({ of: key, plan, forecast: null, probing: true });
    const ended = client.call('study.forecast', requested).then(
      ({ forecast }) => forecast,
      // The plan is valid without a forecast.
      () => null,
    );
    const mine = { ended };
    probe.current = mine;
    void ended.then((forecast) => {
      if (probe.current === mine) setKnown({ of: key, plan, forecast, probing: false });
    });
  };
  /** Awaits the forecast only if the study may take long, to decide whether confirmation is required. */
  const certain = useCallback(async ({ plan, forecast, probing }: PlannedStudy): Promise<StudyForecast | null> => {
    const isDoubtful = plan.least_s !== null && plan.least_s > MIN_PROBED_S;
    return probing && isDoubtful && probe.current !== null ? probe.current.ended : forecast;
  }, []);
  const planned: PlannedStudy | null = known?.of === key ? known : null;
  return { planned, look, certain };
}
