/** Number and energy balance of the shown run. */
import './ledger-panel.css';
import { type ReactElement, useState } from 'react';
import type { RunInfo, RunSummary } from '../../../electron/contract/run.ts';
import {
  type Face,
  faceTitles,
  ledgerColumns,
  reactionTitles,
} from '../../../electron/contract/scenario/transport/ledger-columns.ts';
import { formatError, percent, significant } from '../../../electron/domain/numbers.ts';
import { SHOWN_KEY } from '../../data/run-data.ts';
import { exportFigure } from '../../drawing/figures/exported.ts';
import { tableFigure } from '../../drawing/figures/table.ts';
import { runNotes, runOf } from '../../state/runs.ts';
import { Segmented } from '../../widgets/controls/segmented.tsx';
import { ExportMenu } from '../../widgets/floating/menu.tsx';
import { EmptyState } from '../../widgets/words/empty-state.tsx';
import { useCached, useSelected, useWorkbench } from '../../workbench/context.ts';
import { PanelOffer, RunOffer } from '../../workbench/offers.tsx';

/** Row of the ledger table: a final state of protons, with their number and energy. */
interface LedgerRow {
  readonly name: string;
  readonly title: string;
  /** Number of protons; null if the balance has no such entry. */
  readonly number: number | null;
  /** Energy in MeV; null if the balance has no such entry. */
  readonly energy_MeV: number | null;
  /** `part`: a component of the row above. */
  readonly kind: 'in' | 'out' | 'part';
}

const entries = [
  ['stopped', 'Below the cutoff: their remaining energy is deposited locally'],
  ['in_flight', 'Still in flight when the run ended'],
  ['escaped_x', 'Left the geometry through its two faces in x'],
  ['escaped_z', 'Left the geometry through its rear or front face in z'],
  ['escaped_theta', 'Scattered beyond the angle grid'],
  [
    'nuclear',
    'Removed by nuclear reactions. Energy: the part that is not deposited; with icru63 that of neutrons, photons and nuclear binding',
  ],
  ['skipped', 'In cells at the edges of the moving window, which are cut off below its threshold'],
] as const;

const parts: Readonly<Partial<Record<(typeof entries)[number][0], readonly Face[]>>> = {
  escaped_x: ['escaped_x_low', 'escaped_x_high'],
  escaped_z: ['escaped_z_low', 'escaped_z_high'],
  escaped_theta: ['escaped_theta_low', 'escaped_theta_high'],
};

/** Components of the deposited energy from nuclear reactions, if they were simulated. */
const reactionComponents = [
  ['deposited_local', 'Deposited by alphas and recoils at the position of the reaction'],
  ['deposited_protons', 'Deposited by protons from nuclear reactions or deflected by nuclei'],
  ['deposited_deuterons', 'Deposited by deuterons from nuclear reactions'],
] as const;

export function ledgerRows({ ledger }: Pick<RunSummary, 'ledger'>): readonly LedgerRow[] {
  const { number, energy } = ledger;
  return [
    { name: ledgerColumns.in.title, title: 'What entered', number: number.in, energy_MeV: energy.in, kind: 'in' },
    {
      name: ledgerColumns.deposited.title,
      title: 'Energy left in the material',
      number: null,
      energy_MeV: energy.deposited,
      kind: 'out',
    },
    ...reactionComponents.flatMap(([key, title]): readonly LedgerRow[] => {
      const carried = energy[key];
      if (carried === undefined) return [];
      return [{ name: reactionTitles[key], title, number: null, energy_MeV: carried, kind: 'part' }];
    }),
    ...entries.flatMap(([key, title]): readonly LedgerRow[] => [
      { name: ledgerColumns[key].title, title, number: number[key], energy_MeV: energy[key], kind: 'out' },
      // Omit faces through which nothing escaped; older runs recorded no faces.
      ...(number[key] === 0 ? [] : (parts[key] ?? [])).flatMap((face): readonly LedgerRow[] => {
        const [protons, carried] = [number[face], energy[face]];
        if (protons === undefined || carried === undefined) return [];
        const at = faceTitles[face];
        return [
          { name: at, title: `${ledgerColumns[key].title}, ${at}`, number: protons, energy_MeV: carried, kind: 'part' },
        ];
      }),
    ]),
  ];
}

const displayOptions = [
  { value: 'amount', label: 'amount' },
  { value: 'share', label: 'share', title: 'Share of the input' },
] as const;

/** Font size of exported figures, CSS pixels. */
const LABEL = 11;

type LedgerView = (typeof displayOptions)[number]['value'];

interface AmountProps {
  readonly value: number;
  readonly total: number;
  readonly as: LedgerView;
  readonly digits: number;
}

function Amount({ value, total, as, digits }: AmountProps): ReactElement {
  if (value === 0) return <td className="ledger__zero">0</td>;
  return <td>{as === 'amount' ? significant(value, digits) : percent(value / total)}</td>;
}

/** The table with its errors as a figure. */
function figureOf(summary: RunSummary, run: RunInfo | null) {
  const { scenario, variant, precision, status, steps } = summary;
  const { number, energy } = summary.ledger;
  const errors = {
    name: 'Relative error',
    number: number.rel_error,
    energy_MeV: energy.rel_error,
    kind: 'in',
  } as const;
  const rows = [...ledgerRows(summary), errors];
  const shown = (value: number | null): string => (value === null ? '' : value === 0 ? '0' : significant(value, 5));
  const column = (title: string, key: 'number' | 'energy_MeV', unit: string) => ({
    title,
    align: 'right' as const,
    texts: rows.map((row) => shown(row[key])),
    numbers: {
      ...{ name: key === 'number' ? 'protons' : 'energy', unit, description: 'in the unit of its row' },
      values: rows.map((row) => row[key] ?? Number.NaN),
    },
  });
  const names = { title: '', align: 'left' as const, texts: rows.map(({ name }) => name), numbers: null };
  const caption = `${scenario}, ${variant}, ${precision}, ${status} after ${steps} steps`;
  const figure = tableFigure(
    'Number and energy balance',
    [names, column('Protons', 'number', ''), column('Energy (MeV)', 'energy_MeV', 'MeV')],
    rows.map(({ kind }) => ({ strong: kind === 'in', part: kind === 'part' })),
    caption,
    LABEL,
  );
  const notes = { ...figure.notes, ...runNotes(run) };
  return exportFigure({ ...figure, notes }, `${scenario}-balance`, `${scenario}: number and energy balance`);
}

export default function LedgerPanel(): ReactElement {
  const { stores, data, figures } = useWorkbench();
  const [as, setAs] = useState<LedgerView>('amount');
  const summary = useCached(data.summary, SHOWN_KEY);
  const selected = useSelected(stores.selection, (state) => state.run);
  const run = useSelected(stores.runs, (state) => runOf(state, selected));
  const running = run?.state === 'running';
  if (summary === null) {
    return (
      <div className="ledger-panel scroll wide">
        <EmptyState
          icon="ledger"
          title={running ? 'The ledger is computed at the end of the run' : 'No ledger yet'}
          action={running ? <PanelOffer panel="run" icon="gauge" label="Show the progress" /> : <RunOffer />}
        >
          {running
            ? 'The panel Run shows its error at every step.'
            : 'After a run, this panel shows where every proton and every MeV went, and the error of the totals.'}
        </EmptyState>
      </div>
    );
  }
  const { number, energy } = summary.ledger;
  return (
    <div className="ledger-panel scroll wide">
      <table className="ledger wide">
        <caption className="visually-hidden">Number and energy balance of the run</caption>
        <thead>
          <tr>
            <td>
              <span className="flex center gap-s wrap">
                <Segmented label="Show the balance as" value={as} options={displayOptions} onChange={setAs} />
                <ExportMenu
                  what="the balance"
                  onChoose={(format) => void figures.save(figureOf(summary, run), format)}
                />
              </span>
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
          <tr title="Missing or excess amount, divided by the input">
            <th scope="row">Relative error</th>
            <td>{formatError(number.rel_error)}</td>
            <td>{formatError(energy.rel_error)}</td>
          </tr>
        </tfoot>
      </table>
    </div>
  );
}
