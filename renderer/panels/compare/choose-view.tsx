/** Selects the comparison's rows: variants to benchmark now, earlier sessions, stored runs. */
import { type ReactElement, useEffect, useRef } from 'react';
import type { BenchInfo, Subject } from '../../../electron/contract/bench/benches.ts';
import { scenarioKindNames, scenarioKinds } from '../../../electron/contract/scenario/index.ts';
import type { WorkloadName } from '../../../electron/contract/workload.ts';
import { timeLeft } from '../../base/time.ts';
import { subjectKey } from '../../state/comparison.ts';
import { isOver } from '../../state/runs.ts';
import { Button, IconButton } from '../../widgets/controls/button.tsx';
import { Select } from '../../widgets/controls/select.tsx';
import { TextField } from '../../widgets/controls/text-field.tsx';
import { useSelected, useWorkbench } from '../../workbench/context.ts';
import { ConditionChoices, FactorialChoices } from './condition-choices.tsx';
import { type Expected, expectedText } from './expected.ts';
import { sweepOf } from './order.ts';
import { OtherPrograms } from './other-programs.tsx';
import { benchKey, tickedVariants, withoutTicked, withTicked } from './selection.ts';
import type { ChooseProps, CompareState } from './store.ts';
import { Tick, toggled } from './tick.tsx';
import { useScenarioBench, useVariants } from './variants.ts';

interface VariantsProps extends ChooseProps {
  readonly expected: Expected;
}

/** Null if unlimited. */
const roundLimits = [null, 7, 20, 50, 100, 500];
const timeLimits = [10, 30, 60, 300, 1800];
/** Null if unlimited. Fewer than five (one round each, for a beam) support no claim. */
const instanceLimits = [null, 5, 10, 20];
/** Runs of each variant in separate processes. Null if the workload's usual number applies. */
const processCounts = [null, 0, 5, 10, 20];
const percentages = [0.002, 0.005, 0.01, 0.02, 0.05].map((ratio) => ({
  value: String(ratio),
  label: `±${100 * ratio} %`,
}));

const precisions = percentages.map(({ value, label }) => ({ value, label: `when known to ${label}` }));

function Variants({ store, expected }: VariantsProps): ReactElement {
  const { stores } = useWorkbench();
  const config = useSelected(store, (state) => state);
  const scenario = useScenarioBench();
  const shown = useSelected(stores.comparison, ({ workload }) => workload);
  const variants = useVariants(scenario);
  const devices = useSelected(stores.connection, (state) => state.capabilities.devices);
  const gpus = devices.cuda.devices.filter(({ usable }) => usable);
  const sweep = sweepOf(config.sweep);
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
          The scenario in the form is of another workload, {scenarioKinds[scenario.workload].title}: open one of this
          workload to benchmark its variants.
        </p>
      </fieldset>
    );
  }
  const ticked = tickedVariants(config, scenario, variants, expected.times);
  const touched = config.touched.includes(benchKey(scenario));
  const reference = ticked.find((id) => variants.some((one) => one.id === id && one.available));
  return (
    <fieldset className="compare-group">
      <legend>Variants to benchmark</legend>
      <p className="compare-group__text">
        {reference === undefined
          ? 'They run on the scenario in the form. The first that you tick is the reference.'
          : touched
            ? `Reference: ${reference}, the first that was ticked.`
            : `Variants that finish within ${timeLeft(config.time_s)} are preselected. Reference: ${reference}, the first of them.`}{' '}
        {touched ? (
          <Button onPress={() => set(withoutTicked(config, scenario))}>Tick what fits into the time</Button>
        ) : null}
      </p>
      <div className="compare-ticks">
        {variants
          .filter(({ available }) => available)
          .map(({ id, title }) => (
            <Tick
              key={id}
              label={id}
              detail={title}
              time={expectedText(expected.times.get(id))}
              checked={ticked.includes(id)}
              onChange={(on) => set(withTicked(config, scenario, variants, toggled(ticked, id, on)))}
            />
          ))}
      </div>
      <FactorialChoices store={store} place={scenario} variants={variants} choices={expected.factorials} />
      {missing.map(([reason, list]) => (
        <p key={reason} className="compare-group__text">
          Not here: {list.map(({ id }) => id).join(', ')}. {reason}
        </p>
      ))}
      <div className="compare-options">
        {!hasChoice ? null : (
          <fieldset aria-label="Precisions" className="compare-options__row">
            <span>Precision</span>
            {(['fp32', 'fp64'] as const).map((precision) => (
              <Tick
                key={precision}
                label={precision}
                checked={config.precisions.includes(precision)}
                onChange={(on) => set({ precisions: toggled(config.precisions, precision, on).sort() })}
              />
            ))}
            {config.precisions.length === 0 ? <small>if none is ticked, the scenario’s</small> : null}
          </fieldset>
        )}
        {gpus.length < 2 ? null : (
          <fieldset aria-label="GPUs" className="compare-options__row">
            <span>GPUs</span>
            {gpus.map(({ index, name }) => (
              <Tick
                key={index}
                label={`${index}: ${name}`}
                checked={config.gpus.includes(index)}
                onChange={(on) => set({ gpus: toggled(config.gpus, index, on).sort((a, b) => a - b) })}
              />
            ))}
          </fieldset>
        )}
        <fieldset aria-label="Also measure" className="compare-options__row">
          <span>Also</span>
          <Tick
            label="cold caches"
            checked={config.modes.includes('cold')}
            onChange={(on) => set({ modes: toggled(config.modes, 'cold', on) })}
          />
          <Tick
            label="as one graph"
            checked={config.modes.includes('graph')}
            onChange={(on) => set({ modes: toggled(config.modes, 'graph', on) })}
          />
        </fieldset>
        <fieldset aria-label="Limits" className="compare-options__row">
          <span>At most</span>
          <Select
            label="Rounds"
            value={String(config.rounds)}
            options={roundLimits.map((rounds) => ({
              value: String(rounds),
              label: rounds === null ? 'any number of rounds' : `${rounds} rounds`,
            }))}
            onChange={(rounds) => set({ rounds: rounds === 'null' ? null : Number(rounds) })}
          />
          <Select
            label="Time"
            value={String(config.time_s)}
            options={timeLimits.map((time_s) => ({ value: String(time_s), label: timeLeft(time_s) }))}
            onChange={(time_s) => set({ time_s: Number(time_s) })}
          />
          <Select
            label="Instances"
            value={String(config.instances)}
            options={instanceLimits.map((limit) => ({
              value: String(limit),
              label: limit === null ? 'any instances' : `${limit} instances`,
            }))}
            onChange={(limit) => set({ instances: limit === 'null' ? null : Number(limit) })}
          />
          <span>; stop</span>
          <Select
            label="Precision"
            value={String(config.precision)}
            options={[{ value: 'null', label: 'when every verdict is settled' }, ...precisions]}
            onChange={(precision) => set({ precision: precision === 'null' ? null : Number(precision) })}
          />
          <span>; equal within</span>
          <Select
            label="Margin"
            value={String(config.margin)}
            options={percentages}
            onChange={(margin) => set({ margin: Number(margin) })}
          />
        </fieldset>
        <div className="compare-options__row">
          <span>Then</span>
          <Select
            label="Cold processes"
            value={String(config.processes)}
            options={processCounts.map((count) => ({
              value: String(count),
              label: count === null ? 'the usual cold processes' : `${count} cold processes of each`,
            }))}
            onChange={(count) => set({ processes: count === 'null' ? null : Number(count) })}
          />
          <small>Five of each for a beam or an image of one size, none else.</small>
        </div>
        <ConditionChoices store={store} gpu={gpus.length > 0} />
        <div className="compare-options__row">
          <span>Sweep</span>
          <span className="compare-sweep">
            <TextField
              label="Sweep of a value of the scenario"
              invalid={typeof sweep === 'string'}
              placeholder={scenarioKinds[scenario.workload].sweepExample}
              value={config.sweep}
              onChange={(text) => set({ sweep: text })}
            />
          </span>
          <small>{typeof sweep === 'string' ? sweep : 'Measures at each value; the ladder shows what is fixed.'}</small>
        </div>
      </div>
    </fieldset>
  );
}

interface SubjectsProps {
  readonly workload: WorkloadName;
  readonly subjects: BenchInfo['subjects'];
}

function Subjects({ workload, subjects }: SubjectsProps): ReactElement {
  const { stores } = useWorkbench();
  const chosen = useSelected(stores.comparison, (state) => state.chosen);
  const has = (subject: Subject): boolean => chosen.some(({ key }) => key === subjectKey(subject));
  const change = (on: boolean, ...which: Subject[]): void => {
    if (on) stores.comparison.add(workload, which);
    else stores.comparison.remove(which.map(subjectKey));
  };
  const all = subjects.map(({ subject }) => subject);
  return (
    <div className="compare-ticks">
      {subjects.length < 2 ? null : (
        <Tick label="all of it" checked={all.every(has)} onChange={(on) => change(on, ...all)} />
      )}
      {subjects.map(({ subject, title }) => (
        <Tick key={subjectKey(subject)} label={title} checked={has(subject)} onChange={(on) => change(on, subject)} />
      ))}
    </div>
  );
}

function placeText({ recorded, state, machine, scenario }: BenchInfo): string {
  const place = recorded ? 'came with the program' : state === 'stored' ? 'saved' : 'measured now';
  return `${scenario}, ${machine}, ${place}`;
}

function Session({ bench }: { readonly bench: BenchInfo }): ReactElement {
  const { benches } = useWorkbench();
  const mine = bench.state === 'done' || bench.state === 'cancelled';
  return (
    <details className="compare-session" open={mine}>
      <summary>
        <b>{bench.name}</b> <small>{placeText(bench)}</small>
      </summary>
      {mine ? (
        <div className="compare-session__tools">
          <Button icon="save" onPress={() => void benches.save(bench)}>
            Save…
          </Button>
          <IconButton icon="trash" label={`Remove ${bench.name}`} onPress={() => void benches.forget(bench)} />
        </div>
      ) : null}
      {bench.error === null ? null : <p role="alert">{bench.error.message}</p>}
      <Subjects workload={bench.workload} subjects={bench.subjects} />
    </details>
  );
}

function OpenSession(): ReactElement {
  const { stores, benches } = useWorkbench();
  const { dialogs } = useSelected(stores.connection, (state) => state.capabilities.shell);
  const input = useRef<HTMLInputElement>(null);
  return (
    <p className="compare-group__text">
      <Button icon="open" onPress={() => (dialogs ? void benches.open() : input.current?.click())}>
        Open a session…
      </Button>
      <input
        ref={input}
        type="file"
        hidden
        data-testid="open-session"
        accept=".json"
        onChange={(event) => {
          const file = event.target.files?.[0];
          event.target.value = '';
          if (file !== undefined) void file.text().then((text) => benches.openText(file.name, text));
        }}
      />
    </p>
  );
}

export function ChooseView({ store, expected }: VariantsProps): ReactElement {
  const { stores, benches } = useWorkbench();
  const live = useSelected(stores.comparison, (state) => state.live);
  const stored = useSelected(stores.comparison, (state) => state.stored);
  const runs = useSelected(stores.runs, (state) => state.runs);
  const ends = runs.filter(({ state }) => isOver(state)).length;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a run that ended may be a session
  useEffect(() => void benches.refresh(), [benches, ends]);
  const workload = useSelected(stores.comparison, (state) => state.workload);
  const { bench } = useScenarioBench();
  const over = runs.filter(({ state, wall_s }) => isOver(state) && state !== 'failed' && wall_s !== null);
  // A run that is a measurement is a session, which the host lists when it is over.
  const sessions = [...live, ...stored].filter((one) => one.workload === workload);
  const measured = new Set(stored.map(({ id }) => id));
  const ended = over.filter((run) => run.workload === workload && !measured.has(`run~${run.id}`));
  const near = [...sessions].sort((a, b) => Number(b.bench === bench) - Number(a.bench === bench));
  const runSubjects = ended.map(({ id, name, variant, precision }) => ({
    subject: { kind: 'run' as const, run: id },
    title: `${name}: ${variant}, ${precision}`,
  }));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must take the keyboard's focus
    <section className="compare-scroll compare-choose" aria-label="What to compare" tabIndex={0}>
      <p className="compare-group__text compare-workload">
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
        <legend>Sessions that were measured</legend>
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
