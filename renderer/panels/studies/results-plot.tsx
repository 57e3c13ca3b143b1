/** Columns of a study over each other. */
import { type ReactElement, useCallback, useEffect, useMemo, useState } from 'react';
import type { StudyColumnInfo, StudyEntry, StudyValues } from '../../../electron/contract/study/calls.ts';
import { significant } from '../../base/numbers.ts';
import { errorText } from '../../state/notices.ts';
import { Button } from '../../widgets/controls/button.tsx';
import { Segmented } from '../../widgets/controls/segmented.tsx';
import { Select } from '../../widgets/controls/select.tsx';
import { ShownChart } from '../../widgets/plots/chart-plot.tsx';
import { EmptyState } from '../../widgets/words/empty-state.tsx';
import { useWorkbench } from '../../workbench/context.ts';
import { RetryOffer } from '../../workbench/offers.tsx';
import { type Plotted, type PlottedColumn, resultsChart } from './results-chart.ts';
import { columnTitle } from './words.ts';

const NOTHING = '';
/** What people plot first, in this order, where it is there. */
const FIRST_Y = ['measure r80_mm', 'measure solve_s', 'measure time_s'] as const;

const looks = [
  { value: 'points', label: 'Points' },
  { value: 'lines', label: 'Lines' },
  { value: 'pareto', label: 'Pareto', title: 'Which points none is below in both, such as error and time' },
] as const;

export interface ResultsPlotProps {
  readonly entry: StudyEntry;
  readonly filter: string;
  readonly columns: readonly StudyColumnInfo[];
  /** Shows the rows instead. */
  readonly onTable: () => void;
}

const optionsOf = (columns: readonly StudyColumnInfo[]) =>
  columns.map((column) => ({ value: column.key, label: columnTitle(column) }));

function plotted(
  columns: readonly StudyColumnInfo[],
  values: readonly StudyValues[],
  chosen: { readonly x: string; readonly y: string; readonly by: string },
): Pick<Plotted, 'x' | 'y' | 'groups'> | null {
  const column = (key: string): PlottedColumn | null => {
    const info = columns.find((one) => one.key === key);
    const numbers = values.find((one) => one.key === key)?.numbers ?? null;
    return info === undefined || numbers === null ? null : { info, numbers };
  };
  const [x, y] = [column(chosen.x), column(chosen.y)];
  if (x === null || y === null) return null;
  const by = values.find((one) => one.key === chosen.by);
  const info = columns.find((one) => one.key === chosen.by);
  if (by === undefined || info === undefined) return { x, y, groups: null };
  const of = by.texts ?? [...(by.numbers ?? [])].map((value) => significant(value, 5));
  return { x, y, groups: { title: columnTitle(info), of } };
}

export function ResultsPlot({ entry, filter, columns, onTable }: ResultsPlotProps): ReactElement {
  const { client, scheduler } = useWorkbench();
  const numeric = useMemo(() => columns.filter((column) => column.numeric && column.of !== 'where'), [columns]);
  const varied = useMemo(() => columns.filter(({ equal, key }) => !equal && key !== 'point point'), [columns]);
  const axes = varied.filter(({ of }) => of === 'axis');
  const [asked, setAsked] = useState({ x: NOTHING, y: NOTHING, by: null as string | null });
  const [look, setLook] = useState<Plotted['look']>('lines');
  const [log, setLog] = useState({ x: false, y: false });
  const [values, setValues] = useState<readonly StudyValues[]>([]);
  const [failure, setFailure] = useState<string | null>(null);
  const has = (key: string): boolean => numeric.some((column) => column.key === key);
  const x = has(asked.x) ? asked.x : (axes.find(({ numeric: is }) => is)?.key ?? numeric[0]?.key ?? NOTHING);
  const y = has(asked.y)
    ? asked.y
    : (FIRST_Y.find(has) ?? numeric.find(({ key, of, equal }) => of === 'measure' && !equal && key !== x)?.key ?? x);
  const by = asked.by ?? axes.find(({ key }) => key !== x)?.key ?? NOTHING;
  const wanted = [...new Set([x, y, by])].filter((key) => key !== NOTHING && columns.some((one) => one.key === key));
  const question = JSON.stringify([entry.id, filter, wanted, entry.done + entry.failed]);
  const ask = useCallback(() => {
    let current = true;
    const [study, text, keys] = JSON.parse(question) as [string, string, string[]];
    if (keys.length === 0) return;
    client.call('study.values', { study, filter: text, keys }).then(
      (answer) => {
        if (!current) return;
        setValues(answer.columns);
        setFailure(null);
      },
      (error: unknown) => current && setFailure(errorText(error)),
    );
    return () => {
      current = false;
    };
  }, [client, question]);
  useEffect(ask, [ask]);
  const chart = useMemo(() => {
    const found = plotted(columns, values, { x, y, by });
    return found === null ? null : resultsChart({ ...found, logX: log.x, logY: log.y, look });
  }, [columns, values, x, y, by, log, look]);
  return (
    <div className="studies__plot">
      <div className="studies__plot-bar">
        <Select
          label="Across"
          value={x}
          options={optionsOf(numeric)}
          onChange={(key) => setAsked({ ...asked, x: key })}
        />
        <Select label="Up" value={y} options={optionsOf(numeric)} onChange={(key) => setAsked({ ...asked, y: key })} />
        <Select
          label="Coloured by"
          value={by}
          options={[{ value: NOTHING, label: 'one colour' }, ...optionsOf(varied)]}
          onChange={(key) => setAsked({ ...asked, by: key })}
        />
        <Segmented label="Drawn as" value={look} options={looks} onChange={setLook} />
        {(['x', 'y'] as const).map((axis) => (
          <label key={axis}>
            <input
              type="checkbox"
              checked={log[axis]}
              onChange={({ target }) => setLog({ ...log, [axis]: target.checked })}
            />
            {axis === 'x' ? 'log across' : 'log up'}
          </label>
        ))}
      </div>
      {failure === null ? null : (
        <EmptyState
          icon="error"
          tone="error"
          title="The columns could not be read"
          action={<RetryOffer onPress={() => ask()} />}
        >
          {failure}
        </EmptyState>
      )}
      {chart === null ? (
        <EmptyState
          icon="curve"
          title="Nothing to plot yet"
          action={
            <Button icon="list" onPress={onTable}>
              Show the table
            </Button>
          }
        >
          Two columns of numbers are plotted over each other as soon as points are solved.
        </EmptyState>
      ) : (
        <div className="plot-panel__body">
          <ShownChart chart={chart} scheduler={scheduler} fill />
        </div>
      )}
    </div>
  );
}
