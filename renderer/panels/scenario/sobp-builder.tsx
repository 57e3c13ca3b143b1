/** Builds a spread-out Bragg peak for the form's beam: writes its spots to the list and reports its plateau. */

import { type ReactElement, useEffect, useRef, useState } from 'react';
import {
  parseEnergies,
  rangeDeviationText,
  type Sobp,
  type SobpRequest,
  spotsOfSobp,
  type WeightKind,
  weightKinds,
} from '../../../electron/contract/beams/sobp.ts';
import { messageOf } from '../../../electron/contract/errors.ts';
import type { Path } from '../../../electron/contract/scenario/index.ts';
import { fixedDigits } from '../../../electron/domain/numbers.ts';
import { Button } from '../../widgets/controls/button.tsx';
import { NumberField } from '../../widgets/controls/number-field.tsx';
import { Select } from '../../widgets/controls/select.tsx';
import { TextField } from '../../widgets/controls/text-field.tsx';
import { useWorkbench } from '../../workbench/context.ts';
import { useForm } from './fields.ts';

const fields = [
  {
    key: 'range_mm',
    title: 'Range (90 %)',
    tip: 'Depth in water beyond the plateau where the dose has fallen to 90 %',
  },
  { key: 'modulation_mm', title: 'Modulation', tip: 'From the proximal to the distal depth at 95 % of the plateau' },
  { key: 'width_mm', title: 'Width', tip: 'Distance between the lateral points at 50 %; 0 means a single position' },
] as const;

type SobpInputs = Readonly<Record<(typeof fields)[number]['key'], unknown>>;

type State =
  | { readonly kind: 'idle' }
  | { readonly kind: 'building' }
  | { readonly kind: 'built'; readonly sobp: Sobp; readonly request: SobpRequest }
  | { readonly kind: 'failed'; readonly reason: string };

const percent = (share: number): string => `±${fixedDigits(100 * share, 2)} %`;

const weightTitles: Readonly<Record<WeightKind, string>> = {
  flattest: 'Flattest',
  smooth: 'Smooth',
  monotone: 'Monotone',
};

function summaryOf(sobp: Sobp, request: SobpRequest): readonly string[] {
  const { plateau, layers, places_mm, firstFlatness } = sobp;
  const off = rangeDeviationText(sobp, request);
  return [
    `R90 ${fixedDigits(plateau.r90_mm, 2)} mm, M95 ${fixedDigits(plateau.m95_mm, 2)} mm, distal 80–20 % ${fixedDigits(plateau.falloff_mm, 2)} mm.`,
    ...(off === null ? [] : [off]),
    `Flat to ${percent(plateau.flatness)}; with the initial weights by Jette and Chen, to ${percent(firstFlatness)}.`,
    `${layers.length} layers${places_mm.length === 1 ? '' : ` at ${places_mm.length} positions`}.`,
  ];
}

export function SobpBuilder({ path }: { readonly path: Path }): ReactElement {
  const form = useForm();
  const { client } = useWorkbench();
  const [inputs, setInputs] = useState<SobpInputs>({ range_mm: 100, modulation_mm: 30, width_mm: 0 });
  const [energies, setEnergies] = useState('');
  const [weights, setWeights] = useState<WeightKind>('flattest');
  const [state, setState] = useState<State>({ kind: 'idle' });
  const going = useRef<AbortController | null>(null);
  useEffect(() => () => going.current?.abort(), []);

  const build = async (): Promise<void> => {
    const ending = new AbortController();
    going.current?.abort();
    going.current = ending;
    const list = energies.trim() === '' ? null : parseEnergies(energies);
    if (list?.ok === false) {
      setState({ kind: 'failed', reason: `Energies: ${list.reason}` });
      return;
    }
    setState({ kind: 'building' });
    try {
      const listed = list === null ? {} : { energies_MeV: [...list.energies_MeV] };
      const request = { ...inputs, ...listed, weights } as SobpRequest;
      const outcome = await client.callCancellable('beam.sobp', { document: form.draft, request }, ending.signal);
      if (outcome.status === 'cancelled') return;
      setState({ kind: 'built', sobp: outcome.value, request });
      form.edit(path, spotsOfSobp(outcome.value), 'Build an SOBP');
    } catch (error) {
      if (!ending.signal.aborted) setState({ kind: 'failed', reason: messageOf(error) });
    }
  };
  const stop = (): void => {
    going.current?.abort();
    setState({ kind: 'idle' });
  };

  return (
    <fieldset className="sobp grid rounded" data-testid="sobp-builder">
      <legend>Spread-out peak</legend>
      {fields.map(({ key, title, tip }) => (
        // biome-ignore lint/a11y/noLabelWithoutControl: the number field is the control
        <label key={key} className="sobp__field center grid" title={tip}>
          <span>{title}</span>
          <NumberField
            label={title}
            value={inputs[key]}
            unit="mm"
            placeholder={null}
            min={0}
            max={400}
            onChange={(next) => setInputs({ ...inputs, [key]: next })}
          />
        </label>
      ))}
      {/* biome-ignore lint/a11y/noLabelWithoutControl: the text field is the control */}
      <label
        className="sobp__field center grid"
        title="Available energies of the machine in MeV: layers use only these. Empty: layers are as far apart as their spread allows"
      >
        <span>Energies (MeV)</span>
        <TextField label="Energies (MeV)" value={energies} placeholder="70, 72.5, 75 …" onChange={setEnergies} />
      </label>
      {/* biome-ignore lint/a11y/noLabelWithoutControl: the list is the control */}
      <label
        className="sobp__field center grid"
        title="Flattest dose; smooth: small second differences; or monotone: decreasing from layer to layer"
      >
        <span>Weights</span>
        <Select
          label="Weights"
          value={weights}
          options={weightKinds.map((kind) => ({ value: kind, label: weightTitles[kind] }))}
          onChange={(next) => setWeights(weightKinds.find((kind) => kind === next) ?? 'flattest')}
        />
      </label>
      {state.kind === 'building' ? (
        <Button onPress={stop}>Stop</Button>
      ) : (
        <Button tone="primary" onPress={() => void build()}>
          Build
        </Button>
      )}
      <div className="muted small" role="status">
        {state.kind === 'building' ? 'Solving the depth dose of every layer …' : null}
        {state.kind === 'failed' ? <p className="field__faults">{state.reason}</p> : null}
        {state.kind === 'built' ? summaryOf(state.sobp, state.request).map((line) => <p key={line}>{line}</p>) : null}
      </div>
    </fieldset>
  );
}
