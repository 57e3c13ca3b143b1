/** Number and energy balance of the run that is shown. */
import type { ReactElement } from 'react';
import { errorSize, percent, significant } from '../../base/numbers.ts';
import { SHOWN } from '../../data/run-data.ts';
import { runOf } from '../../state/runs.ts';
import { EmptyState } from '../../widgets/empty-state.tsx';
import { useCached, useSelected, useWorkbench } from '../../workbench/context.ts';
import './ledger-panel.css';
import { ledgerRows } from './rows.ts';

function Share({ of, total }: { readonly of: number; readonly total: number }): ReactElement {
  const share = total === 0 ? 0 : of / total;
  return <td className="ledger__share">{of === 0 ? '' : percent(share)}</td>;
}

export default function LedgerPanel(): ReactElement {
  const { stores, data } = useWorkbench();
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
            <td />
            <th colSpan={2} scope="colgroup">
              Protons
            </th>
            <th colSpan={2} scope="colgroup">
              Energy (MeV)
            </th>
          </tr>
        </thead>
        <tbody>
          {ledgerRows(summary).map((row) => (
            <tr key={row.name} data-kind={row.kind} title={row.title}>
              <th scope="row">{row.name}</th>
              <td>{row.number === 0 ? <span className="ledger__zero">0</span> : significant(row.number, 4)}</td>
              <Share of={row.number} total={number.in} />
              <td>{row.energy_MeV ? significant(row.energy_MeV, 5) : <span className="ledger__zero">0</span>}</td>
              <Share of={row.energy_MeV ?? 0} total={energy.in} />
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr title="|in − everything else| / in">
            <th scope="row">Relative error</th>
            <td colSpan={2}>{errorSize(number.rel_error)}</td>
            <td colSpan={2}>{errorSize(energy.rel_error)}</td>
          </tr>
        </tfoot>
      </table>
    </div>
  );
}
