/** Uncertainty of the shown depth dose: a band on the plot, and a table with the contribution of each input. */
import { type ReactElement, useEffect, useRef } from 'react';
import { createStore, type StoreApi } from 'zustand/vanilla';
import { clinicalMargin_mm, type Uncertainty } from '../../../electron/contract/beams/uncertainty.ts';
import { messageOf } from '../../../electron/contract/errors.ts';
import type { RunId } from '../../../electron/contract/run.ts';
import { fixedDigits, percent, significant } from '../../../electron/domain/numbers.ts';
import { SHOWN_KEY } from '../../data/run-data.ts';
import { Button } from '../../widgets/controls/button.tsx';
import { Popover } from '../../widgets/floating/popover.tsx';
import { useCached, useSelected, useWorkbench } from '../../workbench/context.ts';

type UncertaintyState =
  | { readonly kind: 'none' }
  | { readonly kind: 'working' }
  | { readonly kind: 'failed'; readonly run: RunId; readonly reason: string }
  | { readonly kind: 'found'; readonly run: RunId; readonly found: Uncertainty };

export type UncertaintyStore = StoreApi<UncertaintyState>;

export const createUncertaintyStore = (): UncertaintyStore => createStore<UncertaintyState>(() => ({ kind: 'none' }));

/** Uncertainty band of a run; null if not computed. */
export function uncertaintyBandOf(state: UncertaintyState, run: RunId | null): Uncertainty | null {
  return state.kind === 'found' && state.run === run ? state.found : null;
}

const signedText = (value: number | null): string =>
  value === null ? '–' : `${value < 0 ? '−' : '+'}${fixedDigits(Math.abs(value), 3)}`;

function ContributionsTable({ found }: { readonly found: Uncertainty }): ReactElement {
  const { parts, r80_mm, r80_sigma_mm, w80_20_mm, w80_20_sigma_mm, differences_because } = found;
  return (
    <>
      <p className="popover__note">
        {r80_mm === null ? 'No range: most protons leave the box before stopping.' : null}
        {r80_mm === null ? null : `R80 ${fixedDigits(r80_mm, 2)} ± ${fixedDigits(r80_sigma_mm ?? 0, 2)} mm. `}
        {w80_20_mm === null
          ? null
          : `W80–20 ${fixedDigits(w80_20_mm, 2)} ± ${fixedDigits(w80_20_sigma_mm ?? 0, 2)} mm.`}
      </p>
      <table className="depth-dose__uncertainty">
        <caption className="visually-hidden">Inputs, their uncertainty, and their effect on the range</caption>
        <thead>
          <tr>
            <th scope="col">Input</th>
            <th scope="col">1 σ</th>
            <th scope="col">R80, mm</th>
            <th scope="col">Share</th>
          </tr>
        </thead>
        <tbody>
          {parts.map((part) => (
            <tr key={part.title} title={part.source}>
              <th scope="row">{part.title}</th>
              <td>
                {significant(part.sigma, 2)} {part.unit}
              </td>
              <td>{signedText(part.r80_mm)}</td>
              <td>{part.share === null ? '–' : percent(part.share)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p className="popover__note">
        {r80_mm === null ? '' : `3.5 % of the range plus 1 mm: ${fixedDigits(clinicalMargin_mm(r80_mm), 2)} mm. `}
        {differences_because === null
          ? 'Computed by derivatives along with the solution.'
          : `Computed by differences of runs, because ${differences_because}.`}
      </p>
    </>
  );
}

export function UncertaintyMenu({ store }: { readonly store: UncertaintyStore }): ReactElement {
  const { client, data } = useWorkbench();
  const reference = useCached(data.reference, SHOWN_KEY);
  const state = useSelected(store, (all) => all);
  const going = useRef<AbortController | null>(null);
  useEffect(() => () => going.current?.abort(), []);
  const run = reference?.run ?? null;
  const found = uncertaintyBandOf(state, run);

  const compute = async (): Promise<void> => {
    if (reference === null) return;
    const ending = new AbortController();
    going.current?.abort();
    going.current = ending;
    store.setState({ kind: 'working' }, true);
    try {
      const requested = { document: reference.scenario, model: {} };
      const outcome = await client.callCancellable('beam.uncertainty', requested, ending.signal);
      if (outcome.status === 'cancelled') return;
      store.setState({ kind: 'found', run: reference.run, found: outcome.value }, true);
    } catch (error) {
      if (!ending.signal.aborted)
        store.setState({ kind: 'failed', run: reference.run, reason: messageOf(error) }, true);
    }
  };
  const clear = (): void => {
    going.current?.abort();
    store.setState({ kind: 'none' }, true);
  };

  return (
    <Popover label="Uncertainty of the depth dose" text="±" active={found !== null}>
      <div data-testid="uncertainty" role="status">
        {state.kind === 'working' ? <p className="popover__note">Solving …</p> : null}
        {state.kind === 'failed' && state.run === run ? <p className="field__faults">{state.reason}</p> : null}
        {found === null ? null : <ContributionsTable found={found} />}
      </div>
      {state.kind === 'working' ? (
        <Button onPress={clear}>Stop</Button>
      ) : found === null ? (
        <Button tone="primary" disabled={reference === null} onPress={() => void compute()}>
          Compute the band
        </Button>
      ) : (
        <Button onPress={clear}>Remove the band</Button>
      )}
    </Popover>
  );
}
