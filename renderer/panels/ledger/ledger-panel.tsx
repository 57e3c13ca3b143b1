/** Number and energy balance of the run that is shown. */
import { type ReactElement, useState } from 'react';
import { errorSize, percent, significant } from '../../base/numbers.ts';
import { SHOWN } from '../../data/run-data.ts';
import { runOf } from '../../state/runs.ts';
import { EmptyState } from '../../widgets/empty-state.tsx';
import { Segmented } from '../../widgets/segmented.tsx';
import { useCached, useSelected, useWorkbench } from '../../workbench/context.ts';
import './ledger-panel.css';
import { ledgerRows } from './rows.ts';

const shownAs = [
  { value: 'amount', label: 'amount' },
  { value: 'share', label: 'share', title: 'Share of what entered' },
] as const;

type ShownAs = (typeof shownAs)[number]['value'];

interface AmountProps {
  readonly value: number;
  readonly total: number;
  readonly as: ShownAs;
  readonly digits: number;
}

function Amount({ value, total, as, digits }: AmountProps): ReactElement {
  if (value === 0) return <td className="ledger__zero">0</td>;
  return <td>{as === 'amount' ? significant(value, digits) : percent(value / total)}</td>;
}

export default function LedgerPanel(): ReactElement {
  const { stores, data } = useWorkbench();
  const [as, setAs] = useState<ShownAs>('amount');
  const summary = useCached(data.summary, SHOWN);
  const selected = useSelected(stores.selection, (state) => state.run);
  const running = useSelected(stores.runs, (state) => runOf(state, selected)?.state === 'running');
  if (summary === null) {
    return (
      <div className="ledger-panel">
        <EmptyState icon="ledger" title={running ? 'The ledger is closed when the run ends' : 'No ledger yet'}>
          {running
            ? 'Its error is watched with every step: see the progress.'
            : 'After a run: where every proton and every MeV went, and by how much the sums miss.'}
        </EmptyState>
      </div>
    );
  }
  const { number, energy } = summary.ledger;
  return (
    <div className="ledger-panel">
      <table className="ledger">
        <caption className="visually-hidden">Number and energy balance of the run</caption>
        <thead>
          <tr>
            <td>
              <Segmented label="Show the balance as" value={as} options={shownAs} onChange={setAs} />
            </td>
            <th scope="col">Protons</th>
            <th scope="col">Energy{as === 'amount' ? ' (MeV)' : ''}</th>
          </tr>
        </thead>
        <tbody>
          {ledgerRows(summary).map((row) => (
            <tr key={row.name} data-kind={row.kind} title={row.title}>
              <th scope="row">{row.name}</th>
              {row.number === null ? <td /> : <Amount value={row.number} total={number.in} as={as} digits={4} />}
              {row.energy_MeV === null ? (
                <td />
              ) : (
                <Amount value={row.energy_MeV} total={energy.in} as={as} digits={5} />
              )}
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr title="What is missing or too much, over what entered">
            <th scope="row">Relative error</th>
            <td>{errorSize(number.rel_error)}</td>
            <td>{errorSize(energy.rel_error)}</td>
          </tr>
        </tfoot>
      </table>
    </div>
  );
}
