/** Builds a spread-out Bragg peak for the form's beam: writes its spots to the list and reports its plateau. */

import { type ReactElement, useEffect, useRef, useState } from 'react';
import { type Sobp, type SobpRequest, sobpSpots } from '../../../electron/contract/beams/sobp.ts';
import { messageOf } from '../../../electron/contract/errors.ts';
import type { Path } from '../../../electron/contract/scenario/index.ts';
import { fixed } from '../../base/numbers.ts';
import { Button } from '../../widgets/controls/button.tsx';
import { NumberField } from '../../widgets/controls/number-field.tsx';
import { useWorkbench } from '../../workbench/context.ts';
import { useForm } from './form-context.ts';

const fields = [
  {
    key: 'range_mm',
    title: 'Range (90 %)',
    tip: 'Depth in water behind the plateau where the dose has fallen to 90 %',
  },
  { key: 'modulation_mm', title: 'Modulation', tip: 'From the proximal to the distal depth at 95 % of the plateau' },
  { key: 'width_mm', title: 'Width', tip: 'Between the lateral points at 50 %; 0 is one place' },
] as const;

type Asked = Readonly<Record<(typeof fields)[number]['key'], unknown>>;

type State =
  | { readonly kind: 'idle' }
  | { readonly kind: 'building' }
  | { readonly kind: 'built'; readonly sobp: Sobp }
  | { readonly kind: 'failed'; readonly reason: string };

const percent = (share: number): string => `±${fixed(100 * share, 2)} %`;

function told({ plateau, layers, places_mm, firstFlatness }: Sobp): readonly string[] {
  return [
    `R90 ${fixed(plateau.r90_mm, 2)} mm, M95 ${fixed(plateau.m95_mm, 2)} mm, distal 80–20 % ${fixed(plateau.falloff_mm, 2)} mm.`,
    `Flat to ${percent(plateau.flatness)}; ${percent(firstFlatness)} by Jette and Chen.`,
    `${layers.length} layers${places_mm.length === 1 ? '' : ` at ${places_mm.length} places`}.`,
  ];
}

export function SobpBuilder({ path }: { readonly path: Path }): ReactElement {
  const form = useForm();
  const { client } = useWorkbench();
  const [asked, ask] = useState<Asked>({ range_mm: 100, modulation_mm: 30, width_mm: 0 });
  const [state, setState] = useState<State>({ kind: 'idle' });
  const going = useRef<AbortController | null>(null);
  useEffect(() => () => going.current?.abort(), []);

  const build = async (): Promise<void> => {
    const ending = new AbortController();
    going.current?.abort();
    going.current = ending;
    setState({ kind: 'building' });
    try {
      const request = asked as SobpRequest;
      const outcome = await client.callCancellable('beam.sobp', { document: form.draft, request }, ending.signal);
      if (outcome.status === 'cancelled') return;
      setState({ kind: 'built', sobp: outcome.value });
      form.edit(path, sobpSpots(outcome.value), 'Build an SOBP');
    } catch (error) {
      if (!ending.signal.aborted) setState({ kind: 'failed', reason: messageOf(error) });
    }
  };
  const stop = (): void => {
    going.current?.abort();
    setState({ kind: 'idle' });
  };

  return (
    <fieldset className="sobp" data-testid="sobp-builder">
      <legend>Spread-out peak</legend>
      {fields.map(({ key, title, tip }) => (
        // biome-ignore lint/a11y/noLabelWithoutControl: the number field is the control
        <label key={key} className="sobp__field" title={tip}>
          <span>{title}</span>
          <NumberField
            label={title}
            value={asked[key]}
            unit="mm"
            placeholder={null}
            min={0}
            max={400}
            onChange={(next) => ask({ ...asked, [key]: next })}
          />
        </label>
      ))}
      {state.kind === 'building' ? (
        <Button onPress={stop}>Stop</Button>
      ) : (
        <Button tone="primary" onPress={() => void build()}>
          Build
        </Button>
      )}
      <div className="sobp__told" role="status">
        {state.kind === 'building' ? 'Solving the depth dose of every layer …' : null}
        {state.kind === 'failed' ? <p className="field__faults">{state.reason}</p> : null}
        {state.kind === 'built' ? told(state.sobp).map((line) => <p key={line}>{line}</p>) : null}
      </div>
    </fieldset>
  );
}
