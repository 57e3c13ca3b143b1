/** A new study of the scenario in the form: a question that is often asked, or axes of one's own. */
import { type ReactElement, useEffect, useMemo, useRef, useState } from 'react';
import type { ScenarioDraft } from '../../../electron/contract/scenario/draft.ts';
import { valueAt } from '../../../electron/contract/scenario/index.ts';
import type { StudyId } from '../../../electron/contract/study/calls.ts';
import { type MeasureGroup, measureGroups } from '../../../electron/contract/study/index.ts';
import type { Result } from '../../../electron/contract/wire/methods.ts';
import { errorText } from '../../state/notices.ts';
import { documentTitle } from '../../state/scenario.ts';
import { Button, IconButton } from '../../widgets/controls/button.tsx';
import { Segmented } from '../../widgets/controls/segmented.tsx';
import { Select } from '../../widgets/controls/select.tsx';
import { TextField } from '../../widgets/controls/text-field.tsx';
import { useSelected, useWorkbench } from '../../workbench/context.ts';
import {
  type AxisDraft,
  type AxisKind,
  axisAround,
  axisOf,
  countOf,
  faultOf,
  pathsIn,
  pathsOfAxis,
  unitAt,
  withKinds,
} from './axis-draft.ts';
import { type ReadyMade, readyMade } from './ready-made.ts';
import { blank, type Form, keeping, timed } from './study-form.ts';
import { usePlan } from './use-plan.ts';
import { Where } from './where.tsx';
import { forecastText, isEndless, planText } from './words.ts';

const kinds: readonly { readonly value: AxisKind; readonly label: string }[] = [
  { value: 'list', label: 'List' },
  { value: 'range', label: 'Range' },
  { value: 'log', label: 'Logarithmic' },
];

interface AxisRowProps {
  readonly axis: AxisDraft;
  readonly paths: readonly string[];
  readonly unit: string;
  readonly onChange: (axis: AxisDraft) => void;
  readonly onPath: (path: string) => void;
  readonly onRemove: () => void;
}

function AxisRow({ axis, paths, unit, onChange, onPath, onRemove }: AxisRowProps): ReactElement {
  const field = (key: 'from' | 'to' | 'count', label: string): ReactElement => (
    <span className="studies__number">
      <TextField
        label={`${label} of ${axis.path}`}
        placeholder={label}
        value={axis[key]}
        onChange={(text) => onChange({ ...axis, [key]: text })}
      />
    </span>
  );
  const fault = faultOf(axis);
  return (
    <li className="studies__axis">
      <Select
        label="What changes"
        value={axis.path}
        options={[...new Set([axis.path, ...paths])].map((path) => ({ value: path, label: path }))}
        onChange={onPath}
      />
      <Segmented
        label={`How ${axis.path} changes`}
        value={axis.kind}
        options={kinds}
        onChange={(kind) => onChange({ ...axis, kind })}
      />
      {axis.kind === 'list' ? (
        <span className="studies__list">
          <TextField
            label={`Values of ${axis.path}`}
            placeholder="60, 70, 80"
            value={axis.values}
            onChange={(values) => onChange({ ...axis, values })}
          />
        </span>
      ) : (
        <>
          {field('from', 'from')}
          {field('to', 'to')}
          {field('count', 'count')}
        </>
      )}
      <span className="studies__unit">{unit}</span>
      <IconButton icon="close" label={`Remove the axis ${axis.path}`} onPress={onRemove} />
      {fault === null ? null : <p className="studies__fault">{fault}</p>}
    </li>
  );
}

const measureLabels: Readonly<Record<MeasureGroup, string>> = {
  readouts: 'Readouts',
  curves: 'Curves',
  ledger: 'Ledger',
  times: 'Times',
  memory: 'Memory',
  energy: 'Energy',
};

interface NewStudyProps {
  readonly onStarted: (study: StudyId) => void;
  /** Null: there is none to go back to. */
  readonly onBack: (() => void) | null;
}

/** Asked for when the kind of the problem, its variant or its file changes. */
function useOffers(draft: ScenarioDraft): Result<'study.offers'> | null {
  const { client } = useWorkbench();
  const [offers, setOffers] = useState<Result<'study.offers'> | null>(null);
  const asked = JSON.stringify({ kind: draft['kind'], problem: { kind: valueAt(draft, ['problem', 'kind']) } });
  useEffect(() => {
    let current = true;
    client.call('study.offers', { document: JSON.parse(asked) }).then(
      (answer) => current && setOffers(answer),
      // Two questions fewer: the others are asked all the same.
      () => current && setOffers(null),
    );
    return () => {
      current = false;
    };
  }, [client, asked]);
  return offers;
}

export function NewStudy({ onStarted, onBack }: NewStudyProps): ReactElement {
  const { client, stores } = useWorkbench();
  const draft = useSelected(stores.scenario, (state) => state.draft);
  const title = useSelected(stores.scenario, documentTitle);
  const file = useSelected(stores.scenario, (state) => state.file);
  const complete = useSelected(stores.scenario, (state) => state.lastResolved?.scenario ?? null);
  const capabilities = useSelected(stores.connection, (state) => state.capabilities);
  const offers = useOffers(draft);
  const ready = useMemo(
    () => readyMade({ draft, complete, capabilities, offers }),
    [draft, complete, capabilities, offers],
  );
  const [chosen, setChosen] = useState<ReadyMade | null>(null);
  const [axes, setAxes] = useState<readonly AxisDraft[]>([]);
  const [form, setForm] = useState<Form>(blank);
  const [failure, setFailure] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const [on, setOn] = useState<string | null>(null);
  const next = useRef(1);
  const paths = useMemo(() => pathsIn(complete ?? draft), [complete, draft]);

  const own = axes.map(axisOf);
  const all = [...(chosen?.axes ?? []), ...own];
  const base: ScenarioDraft = withKinds(chosen?.base ?? draft, complete, all.flatMap(pathsOfAxis));
  const label = chosen?.title ?? own.flatMap(pathsOfAxis).join(', ');
  const document = {
    ...{ kind: 'study', version: 1, name: `${title.replace(/\.(json|ya?ml)$/, '')} – ${label}` },
    ...{ base: [{ scenario: base }], axes: all },
    ...(chosen?.reference === undefined ? {} : { reference: chosen.reference }),
    ...(chosen?.search === undefined ? {} : { search: chosen.search }),
    ...(chosen?.budget === undefined ? {} : { budget: chosen.budget }),
    ...form,
  };
  const call = { document, file: file?.file ?? null };
  const { planned, look, certain } = usePlan(call);
  const faulty = document.axes.length === 0 || axes.some((axis) => faultOf(axis) !== null);
  const current = planned?.plan ?? null;
  // A cluster takes its own time.
  const here = on === null ? (planned?.forecast ?? null) : null;
  const endless = current !== null && isEndless(current, here, document.budget);

  const ask = async (work: () => Promise<void>): Promise<void> => {
    setBusy(true);
    setFailure(null);
    await work().catch((error: unknown) => setFailure(errorText(error)));
    setBusy(false);
  };
  const start = (): Promise<void> =>
    ask(async () => {
      if (planned === null) return look();
      // What nobody has read yet is read first.
      const known = endless || on !== null ? here : await certain(planned);
      if (!endless && isEndless(planned.plan, known, document.budget)) return;
      // A search measures where its configurations are compared.
      const where = document.search === undefined ? on : null;
      const { study } = await client.call('study.start', { ...call, on: where });
      onStarted(study);
    });
  const choose = (made: ReadyMade | null): void => {
    setChosen(made);
    const { measures, timing, repeats } = { ...blank, ...made };
    setForm({ measures, timing, repeats });
  };
  const add = (path: string): void => {
    setAxes([...axes, axisAround(next.current, complete ?? draft, path)]);
    next.current += 1;
  };
  const measures = form.measures ?? [];
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled with the keyboard
    <section className="studies__new" tabIndex={0} aria-label="New study">
      <h2>Study {title}</h2>
      <p className="studies__lead">
        A study solves the scenario in the form at many points and makes one table of them. Nothing is solved twice.
      </p>
      <fieldset className="studies__questions">
        <legend>The question</legend>
        {[...ready, null].map((made) => (
          <label key={made?.id ?? 'own'} className="studies__question">
            <input
              type="radio"
              name="studies-question"
              checked={made?.id === chosen?.id}
              onChange={() => choose(made)}
            />
            <span>
              <strong>{made?.title ?? 'One of my own'}</strong>
              <span>{made?.asks ?? 'Choose what changes, and its values.'}</span>
            </span>
          </label>
        ))}
      </fieldset>
      <h3>{chosen === null ? 'Axes, each value with every other' : 'Further axes'}</h3>
      <ul className="studies__axes" aria-label="Axes">
        {axes.map((axis) => (
          <AxisRow
            key={axis.id}
            axis={axis}
            paths={paths}
            unit={unitAt(base, axis.path)}
            onChange={(changed) => setAxes(axes.map((one) => (one.id === axis.id ? changed : one)))}
            onPath={(path) =>
              setAxes(axes.map((one) => (one.id === axis.id ? axisAround(axis.id, complete ?? draft, path) : one)))
            }
            onRemove={() => setAxes(axes.filter((one) => one.id !== axis.id))}
          />
        ))}
      </ul>
      <Button icon="plus" onPress={() => add(paths[0] ?? 'beam.energy_MeV')}>
        Add an axis
      </Button>
      <h3>What is kept of each point</h3>
      <div className="studies__measures">
        {measureGroups.map((group) => (
          <label key={group}>
            <input
              type="checkbox"
              checked={measures.includes(group)}
              onChange={({ target }) =>
                setForm(
                  keeping(
                    form,
                    measureGroups.filter((one) => (one === group ? target.checked : measures.includes(one))),
                  ),
                )
              }
            />
            {measureLabels[group]}
          </label>
        ))}
      </div>
      <div className="studies__times">
        <Segmented
          label="Points at a time"
          value={form.timing ?? 'shared'}
          options={[
            { value: 'shared', label: 'As many at once as fit' },
            { value: 'alone', label: 'One at a time, for times and energy' },
          ]}
          onChange={(timing) => setForm(timed(form, timing))}
        />
        <Segmented
          label="Repeats of each point"
          value={String(form.repeats ?? 1)}
          options={[
            { value: '1', label: 'Once' },
            { value: '5', label: 'Five times' },
          ]}
          onChange={(repeats) => setForm({ ...form, repeats: Number(repeats) })}
        />
      </div>
      {document.search === undefined ? (
        <>
          <h3>Where it is solved</h3>
          <Where on={on} onChange={setOn} />
        </>
      ) : null}
      <div className="studies__deeds">
        <Button disabled={faulty || busy} onPress={() => void ask(look)}>
          Plan
        </Button>
        <Button
          tone="primary"
          icon="run"
          disabled={faulty || busy || (current !== null && current.points === 0)}
          onPress={() => void start()}
        >
          {current === null ? 'Plan and start…' : endless ? 'Start all the same' : 'Start'}
        </Button>
        {onBack === null ? null : <Button onPress={onBack}>Back</Button>}
      </div>
      <p role="status" className="studies__plan" data-testid="study-plan">
        {current === null
          ? axes.length > 0 && !faulty && chosen === null
            ? `${axes.reduce((product, axis) => product * countOf(axis), 1)} combinations.`
            : ''
          : planText(current)}
      </p>
      {planned === null || document.search !== undefined ? null : (
        <p role="status" className="studies__plan" data-testid="study-forecast">
          {[
            forecastText(planned.forecast, planned.probing),
            ...(endless ? ['That is longer than a day: begin it all the same, or with fewer points.'] : []),
          ].join(' ')}
        </p>
      )}
      {current === null || current.refused.length === 0 ? null : (
        <ul className="studies__refused" aria-label="Points that cannot be run">
          {current.refused.map(({ settings, message }) => (
            <li key={settings}>
              {settings}: {message}
            </li>
          ))}
        </ul>
      )}
      {failure === null ? null : (
        <p role="alert" className="studies__fault">
          {failure}
        </p>
      )}
    </section>
  );
}
