/** Finds the beam's energy and spread from a measured depth dose, shows the fit, and applies or saves the beam. */
import { type ReactElement, useEffect, useId, useRef, useState } from 'react';
import {
  type BeamFit,
  depthUnits,
  formatWithError,
  MAX_CURVE_BYTES,
  scenarioWithFittedBeam,
} from '../../../electron/contract/beams/commission.ts';
import { BraggError } from '../../../electron/contract/errors.ts';
import { formatIssue, valueAt } from '../../../electron/contract/scenario/index.ts';
import { fitResidualsChart } from '../../drawing/charts/curves.ts';
import { Button } from '../../widgets/controls/button.tsx';
import { Select } from '../../widgets/controls/select.tsx';
import { ShownChart } from '../../widgets/plots/chart-plot.tsx';
import { useWorkbench } from '../../workbench/context.ts';
import { useForm } from './fields.ts';

type Unit = (typeof depthUnits)[number] | 'column';

type State =
  | { readonly kind: 'idle' }
  | { readonly kind: 'fitting'; readonly file: string }
  | { readonly kind: 'found'; readonly file: string; readonly found: BeamFit }
  | { readonly kind: 'failed'; readonly reasons: readonly string[] };

const units = [
  { value: 'column', label: 'as in its column' },
  ...depthUnits.map((value) => ({ value, label: value })),
] as const;

/** Maximum number of issues in a message. */
const MAX_SHOWN_ISSUES = 4;

function reasonsOf(error: unknown): readonly string[] {
  if (!(error instanceof BraggError)) return [String(error)];
  const issues = error.issues.slice(0, MAX_SHOWN_ISSUES).map(formatIssue);
  return issues.length > 0 ? issues : [error.message];
}

/** File name that is valid on every system. */
const fileNameOf = (name: string): string => `${name.replace(/[\\/:*?"<>|]/g, ' ').trim()}.json`;

function summaryOf({ found, file }: Extract<State, { kind: 'found' }>): readonly string[] {
  return [
    `Energy ${formatWithError(found.energy_MeV, found.energy_error_MeV)}, spread ${formatWithError(found.energy_sigma_MeV, found.sigma_error_MeV)}.`,
    `Residuals of ${file}: ${(100 * found.residual).toFixed(2)} % of the largest dose, RMS over the peak.`,
    ...found.notes.map((note) => `${note}.`),
  ];
}

export function Commissioning(): ReactElement {
  const form = useForm();
  const { client, scheduler, stores } = useWorkbench();
  const [unit, setUnit] = useState<Unit>('column');
  const [state, setState] = useState<State>({ kind: 'idle' });
  const input = useRef<HTMLInputElement>(null);
  const going = useRef<AbortController | null>(null);
  const id = useId();
  useEffect(() => () => going.current?.abort(), []);

  const fitTo = async (file: File): Promise<void> => {
    const ending = new AbortController();
    going.current?.abort();
    going.current = ending;
    if (file.size > MAX_CURVE_BYTES) {
      const reason = `${file.name} has ${file.size} bytes; allowed: at most ${MAX_CURVE_BYTES}.`;
      setState({ kind: 'failed', reasons: [reason] });
      return;
    }
    setState({ kind: 'fitting', file: file.name });
    try {
      const text = await file.text();
      const requested = { document: form.draft, file: file.name, text, unit: unit === 'column' ? null : unit };
      const outcome = await client.callCancellable('beam.commission', requested, ending.signal);
      if (outcome.status !== 'cancelled') setState({ kind: 'found', file: file.name, found: outcome.value });
    } catch (error) {
      if (!ending.signal.aborted) setState({ kind: 'failed', reasons: reasonsOf(error) });
    }
  };
  const stop = (): void => {
    going.current?.abort();
    setState({ kind: 'idle' });
  };
  const take = ({ found, file }: Extract<State, { kind: 'found' }>): void => {
    const made = scenarioWithFittedBeam(found, form.draft, file);
    form.edit(['beam'], valueAt(made, ['beam']), 'Beam from a measurement');
  };
  const keep = async ({ found, file }: Extract<State, { kind: 'found' }>): Promise<void> => {
    const made = scenarioWithFittedBeam(found, form.draft, file);
    const key = fileNameOf(String(made['name']));
    try {
      await client.call('scenario.save', {
        ...{ scenario: made, file: { kind: 'library', key }, ifExists: 'refuse', stamp: null },
      });
      stores.notices.show({ tone: 'success', title: `${key} is in the library` });
    } catch (error) {
      stores.notices.fail('The beam could not be saved', error);
    }
  };

  return (
    <details className="commissioning" data-testid="commissioning">
      <summary className="muted" data-action="commission">
        From a measured depth dose
      </summary>
      <div className="sobp grid rounded">
        <label className="sobp__field center grid" htmlFor={id} title="Unit of depth in the file">
          <span>Depth in</span>
          <Select id={id} value={unit} options={units} onChange={(next) => setUnit(next as Unit)} />
        </label>
        <input
          ref={input}
          type="file"
          accept=".csv,.txt,.dat"
          hidden
          data-testid="commissioning-file"
          onChange={(event) => {
            const [chosen] = event.target.files ?? [];
            event.target.value = '';
            if (chosen !== undefined) void fitTo(chosen);
          }}
        />
        {state.kind === 'fitting' ? (
          <Button onPress={stop}>Stop</Button>
        ) : (
          <Button tone="primary" onPress={() => input.current?.click()}>
            Open CSV…
          </Button>
        )}
        <div className="muted small" role="status">
          {state.kind === 'idle' ? <p>Depth and dose in two columns, integrated across the beam.</p> : null}
          {state.kind === 'fitting' ? <p>{`Solving depth doses near that of ${state.file} …`}</p> : null}
          {state.kind === 'failed'
            ? state.reasons.map((reason) => (
                <p key={reason} className="field__faults">
                  {reason}
                </p>
              ))
            : null}
          {state.kind === 'found' ? summaryOf(state).map((line) => <p key={line}>{line}</p>) : null}
        </div>
        {state.kind === 'found' ? (
          <>
            <div className="commissioning__plot relative">
              <ShownChart chart={fitResidualsChart(state.found.points)} scheduler={scheduler} fill={true} />
            </div>
            <div className="flex wrap gap-m">
              <Button tone="primary" onPress={() => take(state)}>
                Use this beam
              </Button>
              <Button onPress={() => void keep(state)}>Save in the library</Button>
            </div>
          </>
        ) : null}
      </div>
    </details>
  );
}
