/**
 * Form rows for measurement conditions: GPU clock, temperature before a run, and energy in joules. Further rows select
 * external programs as candidates, including the user's.
 */
import { type ReactElement, useEffect, useState } from 'react';
import type { ExternalProgram, FactorialChoice } from '../../../electron/contract/bench/benches.ts';
import { type BenchOptionName, benchOptions } from '../../../electron/contract/bench/options.ts';
import type { Variant } from '../../../electron/contract/capabilities.ts';
import { Button } from '../../widgets/controls/button.tsx';
import { Select } from '../../widgets/controls/select.tsx';
import { TextField } from '../../widgets/controls/text-field.tsx';
import { useSelected, useWorkbench } from '../../workbench/context.ts';
import { parseClockLock } from './benchmark-request.ts';
import { type ChooseProps, type CompareState, type ScenarioBench, useScenarioBench, withFactorial } from './store.ts';

export function toggleEntry<T>(list: readonly T[], value: T, on: boolean): T[] {
  const rest = list.filter((one) => one !== value);
  return on ? [...rest, value] : rest;
}

interface ChoiceCheckboxProps {
  readonly label: string;
  readonly detail?: string;
  /** Expected time as text. */
  readonly time?: string;
  readonly checked: boolean;
  readonly disabled?: boolean;
  readonly onChange: (on: boolean) => void;
}

export function ChoiceCheckbox({
  label,
  detail,
  time = '',
  checked,
  disabled = false,
  onChange,
}: ChoiceCheckboxProps): ReactElement {
  return (
    <label className="compare-tick flex gap-l" data-disabled={disabled}>
      <input
        type="checkbox"
        checked={checked}
        disabled={disabled}
        onChange={(event) => onChange(event.target.checked)}
      />
      <span>
        {label}
        {detail === undefined ? null : <small>{detail}</small>}
        {time === '' ? null : <small className="nowrap">{time}</small>}
      </span>
    </label>
  );
}

interface FactorialChoicesProps extends ChooseProps {
  readonly place: ScenarioBench;
  readonly variants: readonly Variant[];
  readonly choices: readonly FactorialChoice[];
}

/** Selects the variants with a benchmark's optimisations, one by one and combined. */
export function FactorialChoices({ store, place, variants, choices }: FactorialChoicesProps): ReactElement | null {
  const config = useSelected(store, (state) => state);
  if (choices.length === 0) return null;
  return (
    <fieldset aria-label="Alone and together" className="compare-options__row compare-factorial">
      <span>Alone and together</span>
      {choices.map((choice) => (
        <Button
          key={choice.id}
          title={`Ticks ${choice.labels.join(', ')}`}
          onPress={() => store.setState(withFactorial(config, place, variants, choice))}
        >
          {choice.title}
        </Button>
      ))}
    </fieldset>
  );
}

/** Benchmark options with a list of allowed values. */
type ChosenOption = Exclude<keyof CompareState & BenchOptionName, 'energy'>;

/** Select for a benchmark option, with the title and values from the option table. */
export function OptionSelect({ store, name }: ChooseProps & { readonly name: ChosenOption }): ReactElement {
  const value = useSelected(store, (state) => state[name]);
  const { label, choices } = benchOptions[name].form;
  return (
    <Select
      label={label}
      value={String(value)}
      options={choices.map(([choice, text]) => ({ value: String(choice), label: text }))}
      onChange={(choice) => store.setState({ [name]: choice === 'null' ? null : Number(choice) })}
    />
  );
}

interface ConditionProps extends ChooseProps {
  /** Whether a GPU can be used on this machine. */
  readonly gpu: boolean;
}

function ClockChoices({ store }: ChooseProps): ReactElement {
  const lock = useSelected(store, (state) => state.lock);
  const MHz = parseClockLock(lock);
  return (
    <>
      <span className="compare-lock">
        <TextField
          label="Lock the GPU’s clock, MHz"
          placeholder="lock at … MHz"
          invalid={typeof MHz === 'string'}
          value={lock}
          onChange={(text) => store.setState({ lock: text })}
        />
      </span>
      <OptionSelect store={store} name="cool_C" />
      <small>
        {typeof MHz === 'string'
          ? MHz
          : 'Locking the clock needs administrator rights; without them, a message above the table says so. The wait takes at most two minutes.'}
      </small>
    </>
  );
}

export function ConditionChoices({ store, gpu }: ConditionProps): ReactElement {
  const energy = useSelected(store, (state) => state.energy);
  return (
    <>
      <fieldset aria-label="Conditions" className="compare-options__row">
        <span>GPU clock</span>
        {gpu ? <ClockChoices store={store} /> : <small>There is no usable GPU to lock or to cool.</small>}
      </fieldset>
      <fieldset aria-label="Energy of runs" className="compare-options__row">
        <span>Energy</span>
        <ChoiceCheckbox label="of a run" checked={energy} onChange={(on) => store.setState({ energy: on })} />
        <small>
          Measured by NVML or RAPL in two seconds of runs of each variant after the rounds. If neither is readable, the
          table shows the reason.
        </small>
      </fieldset>
    </>
  );
}

interface UserProgramProps extends ChooseProps {
  readonly program: ExternalProgram;
  readonly file: NonNullable<ExternalProgram['file']>;
}

/** A user's program, run by the path of its file on the measuring machine. */
function UserProgramChoice({ store, program: { id, title, language }, file }: UserProgramProps): ReactElement {
  const external = useSelected(store, (state) => state.external);
  const files = useSelected(store, (state) => state.files);
  const own = files[id] ?? '';
  const can = own.trim() !== '' || file.named !== null;
  return (
    <div className="compare-options__row compare-own">
      <ChoiceCheckbox
        label={id}
        detail={`${title} (${language})`}
        checked={can && external.includes(id)}
        disabled={!can}
        onChange={(on) => store.setState({ external: toggleEntry(external, id, on) })}
      />
      <span className="compare-own__file">
        <TextField
          label={`Path of ${id}: ${file.what}`}
          placeholder={file.named ?? `Path of ${file.what}`}
          value={own}
          onChange={(text) => store.setState({ files: { ...files, [id]: text } })}
        />
      </span>
    </div>
  );
}

/** External programs that solve the scenario; a program that cannot run shows the reason. */
export function OtherPrograms({ store }: ChooseProps): ReactElement {
  const { client, stores } = useWorkbench();
  const external = useSelected(store, (state) => state.external);
  const { workload, bench } = useScenarioBench();
  const [programs, setPrograms] = useState<readonly ExternalProgram[] | null>(null);
  useEffect(() => {
    let current = true;
    setPrograms(null);
    client.call('bench.external', { workload, bench }).then(
      (answer) => current && setPrograms(answer.programs),
      (error: unknown) => stores.notices.fail('Other programs could not be found', error),
    );
    return () => {
      current = false;
    };
  }, [client, stores, workload, bench]);
  const missing = [
    ...Map.groupBy(
      (programs ?? []).filter(({ reason }) => reason !== null),
      ({ reason }) => reason ?? '',
    ),
  ];
  const able = (programs ?? []).filter(({ reason }) => reason === null);
  return (
    <fieldset className="compare-group">
      <legend>Other programs</legend>
      <p className="compare-group__text">
        {programs === null
          ? 'Checking which programs are installed…'
          : programs.length === 0
            ? 'No other program solves this scenario.'
            : 'Timed in the same rounds, on the same scenario, and checked against the same reference.'}
      </p>
      <div className="compare-ticks stack">
        {able
          .filter(({ file }) => file === null)
          .map(({ id, title, language }) => (
            <ChoiceCheckbox
              key={id}
              label={id}
              detail={`${title} (${language})`}
              checked={external.includes(id)}
              onChange={(on) => store.setState({ external: toggleEntry(external, id, on) })}
            />
          ))}
      </div>
      {able.map((program) =>
        program.file === null ? null : (
          <UserProgramChoice key={program.id} store={store} program={program} file={program.file} />
        ),
      )}
      {missing.map(([reason, list]) => (
        <p key={reason} className="compare-group__text">
          Not here: {list.map(({ id }) => id).join(', ')}. {reason}
        </p>
      ))}
    </fieldset>
  );
}
