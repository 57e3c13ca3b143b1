/** Form for a new study based on the scenario being edited: a common question or user-defined axes. */
import { type ReactElement, useEffect, useMemo, useState } from 'react';
import { valueAt } from '../../../../electron/contract/scenario/index.ts';
import type { ScenarioDraft } from '../../../../electron/contract/scenario/workload.ts';
import type { StudyId } from '../../../../electron/contract/study/calls.ts';
import { type MeasureGroup, measureGroups } from '../../../../electron/contract/study/index.ts';
import type { Params, Result } from '../../../../electron/contract/wire/methods.ts';
import { errorText } from '../../../state/notices.ts';
import { documentTitle } from '../../../state/scenario.ts';
import { Button } from '../../../widgets/controls/button.tsx';
import { Segmented } from '../../../widgets/controls/segmented.tsx';
import { useSelected, useWorkbench } from '../../../workbench/context.ts';
import { TargetChoice } from '../clusters-dialog.tsx';
import { forecastText, isTooLong, planText } from '../words.ts';
import { type AxisDraft, axisIssue, valueCount } from './axis-draft.ts';
import { AxisRows } from './axis-rows.tsx';
import { type StudyTemplate, studyTemplates } from './ready-made.ts';
import { emptyForm, type Form, type PlannedStudy, studyOf, usePlan, withMeasures, withTiming } from './study-form.ts';

/** Titles of the groups of results that can be stored per point. */
const measureLabels: Readonly<Record<MeasureGroup, string>> = {
  readouts: 'Readouts',
  curves: 'Curves',
  ledger: 'Ledger',
  times: 'Times',
  memory: 'Memory',
  energy: 'Energy',
};

interface MeasureChoicesProps {
  readonly form: Form;
  readonly onChange: (form: Form) => void;
}

function MeasureChoices({ form, onChange }: MeasureChoicesProps): ReactElement {
  const measures = form.measures ?? [];
  const keep = (group: MeasureGroup, isKept: boolean): void =>
    onChange(
      withMeasures(
        form,
        measureGroups.filter((one) => (one === group ? isKept : measures.includes(one))),
      ),
    );
  return (
    <>
      <h3>Saved results of each point</h3>
      <div className="studies__measures flex center wrap">
        {measureGroups.map((group) => (
          <label key={group}>
            <input
              type="checkbox"
              checked={measures.includes(group)}
              onChange={({ target }) => keep(group, target.checked)}
            />
            {measureLabels[group]}
          </label>
        ))}
      </div>
      <div className="studies__times flex center wrap">
        <Segmented
          label="Points at a time"
          value={form.timing ?? 'shared'}
          options={[
            { value: 'shared', label: 'As many at the same time as fit' },
            { value: 'alone', label: 'One at a time, for times and energy' },
          ]}
          onChange={(timing) => onChange(withTiming(form, timing))}
        />
        <Segmented
          label="Repeats per point"
          value={String(form.repeats ?? 1)}
          options={[
            { value: '1', label: 'Once' },
            { value: '5', label: 'Five times' },
          ]}
          onChange={(repeats) => onChange({ ...form, repeats: Number(repeats) })}
        />
      </div>
    </>
  );
}

interface PlanSummaryProps {
  /** Null if not planned yet. */
  readonly planned: PlannedStudy | null;
  /** Number of combinations of the axes, before the study is planned; null if unknown. */
  readonly combinations: number | null;
  /** A search ends when it has found the best configuration, so it has no forecast. */
  readonly isSearch: boolean;
  /** Whether the study needs more than a day. */
  readonly exceedsDay: boolean;
}

/** Text with the size of a study, its expected duration, and the points that cannot be run. */
function PlanSummary({ planned, combinations, isSearch, exceedsDay }: PlanSummaryProps): ReactElement {
  const before = combinations === null ? '' : `${combinations} combinations.`;
  const refused = planned?.plan.refused ?? [];
  return (
    <>
      <p role="status" className="studies__plan" data-testid="study-plan">
        {planned === null ? before : planText(planned.plan)}
      </p>
      {planned === null || isSearch ? null : (
        <p role="status" className="studies__plan" data-testid="study-forecast">
          {[
            forecastText(planned.forecast, planned.probing),
            ...(exceedsDay ? ['This takes more than a day: start it anyway, or use fewer points.'] : []),
          ].join(' ')}
        </p>
      )}
      {refused.length === 0 ? null : (
        <ul className="studies__refused" aria-label="Points that cannot be run">
          {refused.map(({ settings, message }) => (
            <li key={settings}>
              {settings}: {message}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

/** Arguments of planning and of starting a study. */
interface StudyRequest {
  readonly document: ReturnType<typeof studyOf>['document'];
  readonly file: Params<'study.plan'>['file'];
}

/**
 * Plans and starts a study. If it needs more than a day, the user must press Start twice. `on`: target cluster; null
 * for this machine.
 */
function useStudyStart(requested: StudyRequest, on: string | null, onStarted: (study: StudyId) => void) {
  const { client } = useWorkbench();
  const { planned, look, certain } = usePlan(requested);
  const [failure, setFailure] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const { search, budget } = requested.document;
  // The forecast is for this machine, so it does not apply to a cluster.
  const here = on === null ? (planned?.forecast ?? null) : null;
  const endless = planned !== null && isTooLong(planned.plan, here, budget);

  const ask = async (work: () => Promise<void>): Promise<void> => {
    setBusy(true);
    setFailure(null);
    await work().catch((error: unknown) => setFailure(errorText(error)));
    setBusy(false);
  };
  const begin = async (): Promise<void> => {
    if (planned === null) return look();
    // Await the forecast if the study may be long. If it exceeds a day, the user must confirm first.
    const known = endless || on !== null ? here : await certain(planned);
    if (!endless && isTooLong(planned.plan, known, budget)) return;
    // A search runs on this machine, where its configurations are compared.
    const where = search === undefined ? on : null;
    const { study } = await client.call('study.start', { ...requested, on: where });
    onStarted(study);
  };
  return { planned, endless, busy, failure, look: () => ask(look), start: () => ask(begin) };
}

// The host reports the claims that a scenario can test, and its tunable kernels.

/**
 * Offers for the scenario; null until the host has responded. Requested again if the kind of the scenario or of its
 * problem changes.
 */
function useOffers(draft: ScenarioDraft): Result<'study.offers'> | null {
  const { client } = useWorkbench();
  const [offers, setOffers] = useState<Result<'study.offers'> | null>(null);
  const requestKey = JSON.stringify({ kind: draft['kind'], problem: { kind: valueAt(draft, ['problem', 'kind']) } });
  useEffect(() => {
    let current = true;
    client.call('study.offers', { document: JSON.parse(requestKey) }).then(
      (answer) => current && setOffers(answer),
      // Without offers, two of the common questions are missing from the list.
      () => current && setOffers(null),
    );
    return () => {
      current = false;
    };
  }, [client, requestKey]);
  return offers;
}

interface QuestionsProps {
  readonly ready: readonly StudyTemplate[];
  /** Null if user-defined. */
  readonly chosen: StudyTemplate | null;
  readonly onChoose: (made: StudyTemplate | null) => void;
}

/** Selection of a common question or of user-defined axes. */
function Questions({ ready, chosen, onChoose }: QuestionsProps): ReactElement {
  return (
    <fieldset className="studies__questions grid gap-s">
      <legend>The question</legend>
      {[...ready, null].map((made) => (
        <label key={made?.id ?? 'own'} className="studies__question flex gap-s rounded">
          <input
            type="radio"
            name="studies-question"
            checked={made?.id === chosen?.id}
            onChange={() => onChoose(made)}
          />
          <span>
            <strong>{made?.title ?? 'One of my own'}</strong>
            <span>{made?.asks ?? 'Choose parameters to vary, and their values.'}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}

interface NewStudyProps {
  readonly onStarted: (study: StudyId) => void;
  /** Null if there is no study to return to. */
  readonly onBack: (() => void) | null;
}

export function NewStudy({ onStarted, onBack }: NewStudyProps): ReactElement {
  const { stores } = useWorkbench();
  const draft = useSelected(stores.scenario, (state) => state.draft);
  const title = useSelected(stores.scenario, documentTitle);
  const file = useSelected(stores.scenario, (state) => state.file);
  const complete = useSelected(stores.scenario, (state) => state.lastResolved?.scenario ?? null);
  const capabilities = useSelected(stores.connection, (state) => state.capabilities);
  const offers = useOffers(draft);
  const ready = useMemo(
    () => studyTemplates({ draft, complete, capabilities, offers }),
    [draft, complete, capabilities, offers],
  );
  const [made, setMade] = useState<StudyTemplate | null>(null);
  const [axes, setAxes] = useState<readonly AxisDraft[]>([]);
  const [form, setForm] = useState<Form>(emptyForm);
  const [on, setOn] = useState<string | null>(null);
  const { base, document } = studyOf({ draft, complete, title, made, axes, form });
  const { planned, endless, busy, failure, look, start } = useStudyStart(
    { document, file: file?.file ?? null },
    on,
    onStarted,
  );
  const faulty = document.axes.length === 0 || axes.some((axis) => axisIssue(axis) !== null);
  const isSearch = document.search !== undefined;
  const choose = (next: StudyTemplate | null): void => {
    setMade(next);
    const { measures, timing, repeats } = { ...emptyForm, ...next };
    setForm({ measures, timing, repeats });
  };
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be focusable by keyboard
    <section className="studies__new panel-page grow scroll" tabIndex={0} aria-label="New study">
      <h2>Study {title}</h2>
      <p className="muted">
        A study solves the scenario in the form at many points and collects one table. Nothing is solved twice.
      </p>
      <Questions ready={ready} chosen={made} onChoose={choose} />
      <h3>{made === null ? 'Axes (all combinations)' : 'Further axes'}</h3>
      <AxisRows axes={axes} document={complete ?? draft} base={base} onChange={setAxes} />
      <MeasureChoices form={form} onChange={setForm} />
      {isSearch ? null : (
        <>
          <h3>Where it is solved</h3>
          <TargetChoice on={on} onChange={setOn} />
        </>
      )}
      <div className="studies__deeds flex center wrap">
        <Button disabled={faulty || busy} onPress={() => void look()}>
          Plan
        </Button>
        <Button
          tone="primary"
          icon="run"
          disabled={faulty || busy || planned?.plan.points === 0}
          onPress={() => void start()}
        >
          {planned === null ? 'Plan and start…' : endless ? 'Start anyway' : 'Start'}
        </Button>
        {onBack === null ? null : <Button onPress={onBack}>Back</Button>}
      </div>
      <PlanSummary
        planned={planned}
        combinations={faulty || made !== null ? null : axes.reduce((product, axis) => product * valueCount(axis), 1)}
        isSearch={isSearch}
        exceedsDay={endless}
      />
      {failure === null ? null : (
        <p role="alert" className="studies__fault">
          {failure}
        </p>
      )}
    </section>
  );
}
