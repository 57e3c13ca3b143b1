/** Selects the comparison's rows: variants to benchmark now, earlier sessions, stored runs. */
import { type ReactElement, useEffect } from 'react';
import { scenarioKindNames, scenarioKinds } from '../../../electron/contract/scenario/index.ts';
import type { WorkloadName } from '../../../electron/contract/workload.ts';
import { timeLeft } from '../../../electron/domain/numbers.ts';
import { hasEnded } from '../../state/runs.ts';
import { Button } from '../../widgets/controls/button.tsx';
import { Select } from '../../widgets/controls/select.tsx';
import { TextField } from '../../widgets/controls/text-field.tsx';
import { useSelected, useWorkbench } from '../../workbench/context.ts';
import { parseSweep } from './benchmark-request.ts';
import { OpenSession, Session, Subjects } from './choose-sessions.tsx';
import {
  ChoiceCheckbox,
  ConditionChoices,
  FactorialChoices,
  OptionSelect,
  OtherPrograms,
  toggleEntry,
} from './condition-choices.tsx';
import { type ExpectedTimes, expectedText } from './expected.ts';
import {
  benchKey,
  type ChooseProps,
  type CompareState,
  selectedVariants,
  useScenarioBench,
  useVariants,
  withoutSelection,
  withSelection,
} from './store.ts';

interface VariantsProps extends ChooseProps {
  readonly expected: ExpectedTimes;
}

function Variants({ store, expected }: VariantsProps): ReactElement {
  const { stores } = useWorkbench();
  const config = useSelected(store, (state) => state);
  const scenario = useScenarioBench();
  const shown = useSelected(stores.comparison, ({ workload }) => workload);
  const variants = useVariants(scenario);
  const devices = useSelected(stores.connection, (state) => state.capabilities.devices);
  const gpus = devices.cuda.devices.filter(({ usable }) => usable);
  const sweep = parseSweep(config.sweep);
  const missing = [
    ...Map.groupBy(
      variants.filter(({ available }) => !available),
      ({ reason }) => reason ?? 'No reason known.',
    ),
  ];
  const set = (part: Partial<CompareState>): void => store.setState(part);
  const hasChoice = variants.some(({ precisions }) => precisions.length > 1);
  if (shown !== scenario.workload) {
    return (
      <fieldset className="compare-group">
        <legend>Variants to benchmark</legend>
        <p className="compare-group__text">
          The scenario in the form belongs to another workload, {scenarioKinds[scenario.workload].title}: open one of
          this workload to benchmark its variants.
        </p>
      </fieldset>
    );
  }
  const ticked = selectedVariants(config, scenario, variants, expected.times);
  const touched = config.touched.includes(benchKey(scenario));
  const reference = ticked.find((id) => variants.some((one) => one.id === id && one.available));
  return (
    <fieldset className="compare-group">
      <legend>Variants to benchmark</legend>
      <p className="compare-group__text">
        {reference === undefined
          ? 'They run on the scenario in the form. The first one that you tick is the reference.'
          : touched
            ? `Reference: ${reference}, the first one ticked.`
            : `Variants that finish within ${timeLeft(config.time_s)} are preselected. Reference: ${reference}, the first of them.`}{' '}
        {touched ? (
          <Button onPress={() => set(withoutSelection(config, scenario))}>Tick variants that fit into the time</Button>
        ) : null}
      </p>
      <div className="compare-ticks stack">
        {variants
          .filter(({ available }) => available)
          .map(({ id, title }) => (
            <ChoiceCheckbox
              key={id}
              label={id}
              detail={title}
              time={expectedText(expected.times.get(id))}
              checked={ticked.includes(id)}
              onChange={(on) => set(withSelection(config, scenario, variants, toggleEntry(ticked, id, on)))}
            />
          ))}
      </div>
      <FactorialChoices store={store} place={scenario} variants={variants} choices={expected.factorials} />
      {missing.map(([reason, list]) => (
        <p key={reason} className="compare-group__text">
          Not here: {list.map(({ id }) => id).join(', ')}. {reason}
        </p>
      ))}
      <div className="compare-options stack gap-s">
        {!hasChoice ? null : (
          <fieldset aria-label="Precisions" className="compare-options__row">
            <span>Precision</span>
            {(['fp32', 'fp64'] as const).map((precision) => (
              <ChoiceCheckbox
                key={precision}
                label={precision}
                checked={config.precisions.includes(precision)}
                onChange={(on) => set({ precisions: toggleEntry(config.precisions, precision, on).sort() })}
              />
            ))}
            {config.precisions.length === 0 ? <small>without a tick, the scenario’s precision is used</small> : null}
          </fieldset>
        )}
        {gpus.length < 2 ? null : (
          <fieldset aria-label="GPUs" className="compare-options__row">
            <span>GPUs</span>
            {gpus.map(({ index, name }) => (
              <ChoiceCheckbox
                key={index}
                label={`${index}: ${name}`}
                checked={config.gpus.includes(index)}
                onChange={(on) => set({ gpus: toggleEntry(config.gpus, index, on).sort((a, b) => a - b) })}
              />
            ))}
          </fieldset>
        )}
        <fieldset aria-label="Also measure" className="compare-options__row">
          <span>Also</span>
          <ChoiceCheckbox
            label="cold caches"
            checked={config.modes.includes('cold')}
            onChange={(on) => set({ modes: toggleEntry(config.modes, 'cold', on) })}
          />
          <ChoiceCheckbox
            label="as one graph"
            checked={config.modes.includes('graph')}
            onChange={(on) => set({ modes: toggleEntry(config.modes, 'graph', on) })}
          />
          <ChoiceCheckbox
            label="as one graph with cold caches"
            checked={config.modes.includes('cold-graph')}
            onChange={(on) => set({ modes: toggleEntry(config.modes, 'cold-graph', on) })}
          />
        </fieldset>
        <div className="compare-options__row">
          <span>Warm-up</span>
          <OptionSelect store={store} name="warm_up" />
        </div>
        <fieldset aria-label="Limits" className="compare-options__row">
          <span>At most</span>
          <OptionSelect store={store} name="rounds" />
          <OptionSelect store={store} name="time_s" />
          <OptionSelect store={store} name="instances" />
        </fieldset>
        <div className="compare-options__row">
          <span>Stop</span>
          <OptionSelect store={store} name="precision" />
        </div>
        <div className="compare-options__row">
          <span>Same if</span>
          <OptionSelect store={store} name="margin" />
        </div>
        <div className="compare-options__row">
          <span>Then</span>
          <OptionSelect store={store} name="processes" />
          <small>By default five per variant for a beam or an image of one size, otherwise none.</small>
        </div>
        <ConditionChoices store={store} gpu={gpus.length > 0} />
        <div className="compare-options__row">
          <span>Sweep</span>
          <span className="compare-sweep">
            <TextField
              label="Sweep over a value of the scenario"
              invalid={typeof sweep === 'string'}
              placeholder={scenarioKinds[scenario.workload].sweepExample}
              value={config.sweep}
              onChange={(text) => set({ sweep: text })}
            />
          </span>
          <small>
            {typeof sweep === 'string' ? sweep : 'Measures at each value; the size sweep shows fixed cost and slope.'}
          </small>
        </div>
      </div>
    </fieldset>
  );
}

export function ChooseView({ store, expected }: VariantsProps): ReactElement {
  const { stores, benches } = useWorkbench();
  const live = useSelected(stores.comparison, (state) => state.live);
  const stored = useSelected(stores.comparison, (state) => state.stored);
  const runs = useSelected(stores.runs, (state) => state.runs);
  const ends = runs.filter(({ state }) => hasEnded(state)).length;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a run that has ended may have produced a session
  useEffect(() => void benches.refresh(), [benches, ends]);
  const workload = useSelected(stores.comparison, (state) => state.workload);
  const { bench } = useScenarioBench();
  const over = runs.filter(({ state, wall_s }) => hasEnded(state) && state !== 'failed' && wall_s !== null);
  // Omit ended runs that also have a stored session, which contains the same measurement.
  const sessions = [...live, ...stored].filter((one) => one.workload === workload);
  const measured = new Set(stored.map(({ id }) => id));
  const ended = over.filter((run) => run.workload === workload && !measured.has(`run~${run.id}`));
  const near = [...sessions].sort((a, b) => Number(b.bench === bench) - Number(a.bench === bench));
  const runSubjects = ended.map(({ id, name, variant, precision }) => ({
    subject: { kind: 'run' as const, run: id },
    title: `${name}: ${variant}, ${precision}`,
  }));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be focusable by keyboard
    <section className="compare-scroll compare-choose grid" aria-label="What to compare" tabIndex={0}>
      <p className="compare-group__text all-columns flex center gap-l">
        <span>Comparing</span>
        <Select
          label="Workload to compare"
          value={workload}
          options={scenarioKindNames.map((name) => ({ value: name, label: scenarioKinds[name].title }))}
          onChange={(name) => stores.comparison.show(name as WorkloadName)}
        />
      </p>
      <Variants store={store} expected={expected} />
      <OtherPrograms store={store} />
      <fieldset className="compare-group">
        <legend>Measured sessions</legend>
        <OpenSession />
        {near.map((one) => (
          <Session key={one.id} bench={one} />
        ))}
      </fieldset>
      <fieldset className="compare-group">
        <legend>Runs</legend>
        {ended.length === 0 ? (
          <p className="compare-group__text">None yet: run a scenario, or open a run file.</p>
        ) : (
          <Subjects workload={workload} subjects={runSubjects} />
        )}
      </fieldset>
    </section>
  );
}
