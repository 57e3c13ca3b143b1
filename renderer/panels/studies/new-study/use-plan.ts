/** Plan of a study, available at once, and its forecast for this machine after trial points have been solved. */
import { useCallback, useEffect, useRef, useState } from 'react';
import { DOUBTFUL_S, type StudyForecast, type StudyPlan } from '../../../../electron/contract/study/calls.ts';
import type { Params } from '../../../../electron/contract/wire/methods.ts';
import { useWorkbench } from '../../../workbench/context.ts';

export interface Planned {
  readonly plan: StudyPlan;
  readonly forecast: StudyForecast | null;
  /** Points are being solved for the forecast. */
  readonly probing: boolean;
}

/** `asked`: the study in the form. What was planned of another is none of it. */
export function usePlan(asked: Params<'study.plan'>) {
  const { client } = useWorkbench();
  const key = JSON.stringify(asked.document);
  const [known, setKnown] = useState<(Planned & { readonly of: string }) | null>(null);
  const probe = useRef<{ readonly ended: Promise<StudyForecast | null> } | null>(null);
  useEffect(
    () => () => {
      probe.current = null;
    },
    [],
  );
  const look = async (): Promise<void> => {
    const plan = await client.call('study.plan', asked);
    setKnown({ of: key, plan, forecast: null, probing: true });
    const ended = client.call('study.forecast', asked).then(
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
  /** Waited for where the study may take long: then it says whether it does. */
  const certain = useCallback(async ({ plan, forecast, probing }: Planned): Promise<StudyForecast | null> => {
    const isDoubtful = plan.least_s !== null && plan.least_s > DOUBTFUL_S;
    return probing && isDoubtful && probe.current !== null ? probe.current.ended : forecast;
  }, []);
  const planned: Planned | null = known?.of === key ? known : null;
  return { planned, look, certain };
}
