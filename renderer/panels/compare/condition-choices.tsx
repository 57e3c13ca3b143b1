/** Under what is measured: the GPU's clock and how cool it is, and whether runs are counted in joules. */
import type { ReactElement } from 'react';
import type { FactorialChoice } from '../../../electron/contract/bench/benches.ts';
import type { Variant } from '../../../electron/contract/capabilities.ts';
import { Button } from '../../widgets/controls/button.tsx';
import { Select } from '../../widgets/controls/select.tsx';
import { TextField } from '../../widgets/controls/text-field.tsx';
import { useSelected } from '../../workbench/context.ts';
import { lockOf } from './order.ts';
import { withFactorial } from './selection.ts';
import type { ChooseProps } from './store.ts';
import { Tick } from './tick.tsx';
import type { Benched } from './variants.ts';

/** Ticks the variants that have the optimisations of a benchmark one by one and together. */
interface Props extends ChooseProps {
  readonly place: Benched;
  readonly variants: readonly Variant[];
  readonly choices: readonly FactorialChoice[];
}

export function FactorialChoices({ store, place, variants, choices }: Props): ReactElement | null {
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

/** GPU temperature limits in °C. Null if rounds begin at any temperature. */
const temperatures = [null, 40, 50, 60, 70, 80];

interface ConditionProps extends ChooseProps {
  /** Whether one can be used here. */
  readonly gpu: boolean;
}

function ClockChoices({ store }: ChooseProps): ReactElement {
  const lock = useSelected(store, (state) => state.lock);
  const cool_C = useSelected(store, (state) => state.cool_C);
  const MHz = lockOf(lock);
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
      <Select
        label="Warmest GPU"
        value={String(cool_C)}
        options={temperatures.map((limit) => ({
          value: String(limit),
          label: limit === null ? 'rounds begin at any temperature' : `rounds begin below ${limit} °C`,
        }))}
        onChange={(limit) => store.setState({ cool_C: limit === 'null' ? null : Number(limit) })}
      />
      <small>
        {typeof MHz === 'string'
          ? MHz
          : 'Locking takes an administrator’s rights; without them the table says so. At most two minutes are waited.'}
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
        {gpu ? (
          <ClockChoices store={store} />
        ) : (
          <small>No GPU can be used here: there is none to lock or to cool.</small>
        )}
      </fieldset>
      <fieldset aria-label="Energy of runs" className="compare-options__row">
        <span>Energy</span>
        <Tick label="of a run" checked={energy} onChange={(on) => store.setState({ energy: on })} />
        <small>
          Two seconds of each after the rounds, by NVML or RAPL. Where neither can be read the table says so.
        </small>
      </fieldset>
    </>
  );
}
