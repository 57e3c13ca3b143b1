/** Ticks the variants that have the optimisations of a benchmark one by one and together. */
import type { ReactElement } from 'react';
import type { FactorialChoice } from '../../../electron/contract/bench/benches.ts';
import type { Variant } from '../../../electron/contract/capabilities.ts';
import { Button } from '../../widgets/controls/button.tsx';
import { useSelected } from '../../workbench/context.ts';
import { withFactorial } from './selection.ts';
import type { ChooseProps } from './store.ts';
import type { Benched } from './variants.ts';

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
