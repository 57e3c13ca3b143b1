/** Plot of a study's columns against each other. */
import { type ReactElement, useMemo, useRef } from 'react';
import {
  MAX_PLOTTED_COLUMNS,
  type StudyColumnInfo,
  type StudyEntry,
  type StudyViewSettings,
} from '../../../electron/contract/study/calls.ts';
import { idAt } from '../../../electron/contract/study/result.ts';
import { count, significant } from '../../../electron/domain/numbers.ts';
import type { Chart } from '../../drawing/charts/chart.ts';
import type { ChartView } from '../../drawing/charts/chart-view.ts';
import { Button } from '../../widgets/controls/button.tsx';
import { Segmented } from '../../widgets/controls/segmented.tsx';
import { Select } from '../../widgets/controls/select.tsx';
import { ExportMenu } from '../../widgets/floating/menu.tsx';
import { PlotlyPlot, ShownChart } from '../../widgets/plots/chart-plot.tsx';
import { EmptyState } from '../../widgets/words/empty-state.tsx';
import { useWorkbench } from '../../workbench/context.ts';
import { RetryOffer } from '../../workbench/offers.tsx';
import { type HeatSide, heatCells, heatPlot } from './heat-map.ts';
import { ParallelAxes } from './parallel-axes.tsx';
import { type PlottedColumn, type PlottedResults, resultsChart } from './results-chart.ts';
import { useValues, type Values } from './use-rows.ts';
import { columnTitle } from './words.ts';

const NO_COLUMN = '';
/** Default y columns in order of preference. */
const FIRST_Y = ['measure r80_mm', 'measure time_s', 'measure solve_s'] as const;
/**
 * Columns with the cost of a point, in order of preference; a Pareto front plots the error against the first available.
 */
const COSTS = ['measure time_s', 'measure solve_s', 'measure wall_s'] as const;
/** Default number of parallel axes. */
const DEFAULT_AXES = 6;

type Plot = StudyViewSettings['plot'];

const plotKinds = [
  { value: 'points', label: 'Points' },
  { value: 'lines', label: 'Lines' },
  { value: 'pareto', label: 'Pareto', title: 'Points that no other point beats in both, such as error and time' },
  { value: 'heat', label: 'Heat map', title: 'A third column as colours' },
  { value: 'parallel', label: 'Parallel', title: 'Every point as a line across several columns' },
] as const;

interface ResultsPlotProps {
  readonly entry: StudyEntry;
  /** True after the columns have been read. */
  readonly isRead: boolean;
  readonly filter: string;
  readonly columns: readonly StudyColumnInfo[];
  readonly plot: Plot;
  readonly onPlot: (plot: Plot) => void;
  /** Switches to the table. */
  readonly onTable: () => void;
  readonly onChoose: (point: string) => void;
}

const optionsOf = (columns: readonly StudyColumnInfo[]) =>
  columns.map((column) => ({ value: column.key, label: columnTitle(column) }));

/** The requested columns, or defaults. */
export function plottedColumns(columns: readonly StudyColumnInfo[], requested: Plot) {
  const numeric = columns.filter((column) => column.numeric && column.of !== 'where');
  const varied = columns.filter(({ equal, key }) => !equal && key !== 'point point');
  const axes = varied.filter(({ of }) => of === 'axis');
  const heat = requested.look === 'heat';
  const sides = heat ? varied.filter(({ of }) => of !== 'where') : numeric;
  const among = (list: readonly StudyColumnInfo[], key: string): boolean => list.some((one) => one.key === key);
  const measured = numeric.filter(({ of, equal }) => of === 'measure' && !equal);
  const value = FIRST_Y.find((key) => among(measured, key)) ?? measured[0]?.key ?? numeric[0]?.key ?? NO_COLUMN;
  const pareto = requested.look === 'pareto';
  const cost = pareto ? COSTS.find((key) => among(measured, key)) : undefined;
  const error = numeric.find(({ of, equal }) => of === 'error' && !equal)?.key;
  const first = cost ?? (heat ? axes[0]?.key : axes.find(({ numeric: is }) => is)?.key);
  const x = among(sides, requested.x) ? requested.x : (first ?? sides[0]?.key ?? NO_COLUMN);
  const other = axes.find(({ key }) => key !== x)?.key ?? sides.find(({ key }) => key !== x)?.key ?? x;
  const y = among(sides, requested.y) ? requested.y : heat ? other : pareto ? (error ?? value) : value;
  const by = requested.by ?? axes.find(({ key }) => key !== x)?.key ?? NO_COLUMN;
  const along = requested.along.filter((key) => among(columns, key));
  const usual = [...axes.map(({ key }) => key).slice(0, DEFAULT_AXES - 1), ...(value === NO_COLUMN ? [] : [value])];
  return {
    ...{ numeric, varied, sides, x, y, by: among(columns, by) ? by : NO_COLUMN },
    value: among(numeric, requested.value) ? requested.value : value,
    along: along.length > 1 ? along : usual,
  };
}

const infoOf = (columns: readonly StudyColumnInfo[], key: string): StudyColumnInfo | null =>
  columns.find((one) => one.key === key) ?? null;

function sideOf(columns: readonly StudyColumnInfo[], values: Values, key: string): HeatSide | null {
  const info = infoOf(columns, key);
  const found = values.columns.find((one) => one.key === key);
  if (info === null || found === undefined) return null;
  if (found.numbers !== null) return { info, numbers: found.numbers };
  return found.texts === null ? null : { info, texts: found.texts };
}

function numbersOf(columns: readonly StudyColumnInfo[], values: Values, key: string): PlottedColumn | null {
  const side = sideOf(columns, values, key);
  return side?.numbers === undefined ? null : { info: side.info, numbers: side.numbers };
}

/** Only times and energies have interval columns. Other columns named low and high refer to sides of a box. */
export const intervalEndKeys = (y: string): readonly string[] =>
  /_s$|_to_first$/.test(y) ? [`${y}_low`, `${y}_high`] : [];

function chartOf(
  columns: readonly StudyColumnInfo[],
  values: Values,
  { x, y, by }: { readonly x: string; readonly y: string; readonly by: string },
  { logX, logY, look }: Plot,
) {
  if (look === 'heat' || look === 'parallel') return null;
  const [across, up] = [numbersOf(columns, values, x), numbersOf(columns, values, y)];
  if (across === null || up === null) return null;
  const [low, high] = intervalEndKeys(y).map((key) => numbersOf(columns, values, key)?.numbers ?? null);
  const group = by === NO_COLUMN ? null : sideOf(columns, values, by);
  const groups: PlottedResults['groups'] =
    group === null
      ? null
      : {
          title: columnTitle(group.info),
          of: group.texts ?? [...group.numbers].map((value) => significant(value, 5)),
        };
  const ends = low == null || high == null ? null : { low, high };
  return resultsChart({ x: across, y: up, ends, groups, logX, logY, look });
}

interface DrawnProps {
  readonly columns: readonly StudyColumnInfo[];
  readonly values: Values;
  readonly chosen: ReturnType<typeof plottedColumns>;
}

function HeatMap({ columns, values, chosen }: DrawnProps): ReactElement | null {
  const { scheduler } = useWorkbench();
  const { x, y, value } = chosen;
  const drawn = useMemo(() => {
    const [across, up] = [sideOf(columns, values, x), sideOf(columns, values, y)];
    const colours = numbersOf(columns, values, value);
    if (across === null || up === null || colours === null) return null;
    const cells = heatCells(across, up, colours);
    const title = `${colours.info.name} by ${across.info.name} and ${up.info.name}`;
    return { title, binned: cells.binned, make: heatPlot(across, up, colours, cells) };
  }, [columns, values, x, y, value]);
  if (drawn === null) return null;
  return (
    <>
      {drawn.binned.length === 0 ? null : (
        <p className="studies__said">In bins, with the median of each: {drawn.binned.join(' and ')}.</p>
      )}
      <div className="plot-panel__body">
        <PlotlyPlot label={drawn.title} scheduler={scheduler} make={drawn.make} />
      </div>
    </>
  );
}

/** Selects the columns shown as axes, and which of them are logarithmic. */
function ParallelAxesChoice({
  chosen,
  plot,
  onPlot,
}: { readonly chosen: DrawnProps['chosen'] } & Pick<ResultsPlotProps, 'plot' | 'onPlot'>): ReactElement {
  const { along, varied } = chosen;
  const choices = varied.filter(({ of }) => of !== 'where');
  const toggle = (list: readonly string[], key: string, on: boolean): string[] =>
    on ? [...list, key].slice(0, MAX_PLOTTED_COLUMNS) : list.filter((one) => one !== key);
  return (
    <details className="studies__along relative">
      <summary>{along.length} axes</summary>
      <ul className="scroll rounded floating">
        {choices.map((column) => {
          const { key, numeric } = column;
          const on = along.includes(key);
          return (
            <li className="flex nowrap between" key={key}>
              <label>
                <input
                  type="checkbox"
                  checked={on}
                  disabled={on ? along.length <= 2 : along.length >= MAX_PLOTTED_COLUMNS}
                  onChange={({ target }) => onPlot({ ...plot, along: toggle(along, key, target.checked) })}
                />
                {columnTitle(column)}
              </label>
              {on && numeric ? (
                <label>
                  <input
                    type="checkbox"
                    aria-label={`${columnTitle(column)} logarithmic`}
                    checked={plot.logs.includes(key)}
                    onChange={({ target }) => onPlot({ ...plot, logs: toggle(plot.logs, key, target.checked) })}
                  />
                  log
                </label>
              ) : null}
            </li>
          );
        })}
      </ul>
    </details>
  );
}

interface NoPlotProps extends Pick<ResultsPlotProps, 'entry' | 'onTable'> {
  readonly isRead: boolean;
}

/** Reason why there is no plot: columns not read yet, or no data. */
function NoPlot({ entry: { done, failed }, isRead, onTable }: NoPlotProps): ReactElement {
  const table = (
    <Button icon="list" onPress={onTable}>
      Show the table
    </Button>
  );
  if (!isRead)
    return (
      <EmptyState icon="curve" title="Reading the columns" action={null}>
        Reading the values of {count(done + failed)} points takes a moment.
      </EmptyState>
    );
  return (
    <EmptyState icon="curve" title="Nothing to plot yet" action={table}>
      Columns of numbers are plotted as soon as points are solved.
    </EmptyState>
  );
}

export function ResultsPlot({
  entry,
  isRead,
  filter,
  columns,
  plot,
  onPlot,
  onTable,
  onChoose,
}: ResultsPlotProps): ReactElement {
  const { scheduler, figures } = useWorkbench();
  const drawnBy = useRef<ChartView>(null);
  const chosen = useMemo(() => plottedColumns(columns, plot), [columns, plot]);
  const { numeric, varied, sides, x, y, by, value, along } = chosen;
  const { look } = plot;
  const xy = look !== 'heat' && look !== 'parallel';
  const wanted = useMemo(() => {
    const keys = look === 'parallel' ? along : look === 'heat' ? [x, y, value] : [x, y, by, ...intervalEndKeys(y)];
    return [...new Set(keys)].filter((key) => columns.some((one) => one.key === key));
  }, [columns, look, along, x, y, by, value]);
  const { values, failure, retry } = useValues(entry, filter, wanted);
  const chart = useMemo(() => chartOf(columns, values, { x, y, by }, plot), [columns, values, x, y, by, plot]);
  const alongSides = useMemo(
    () => along.map((key) => sideOf(columns, values, key)).filter((side) => side !== null),
    [columns, values, along],
  );
  const there = values.columns.length > 0 && wanted.every((key) => values.columns.some((one) => one.key === key));
  // The previous chart stays until new columns have been read.
  const before = useRef<{ readonly study: string; readonly chart: Chart; readonly points: Uint32Array } | null>(null);
  const reading = xy && !there && failure === null && before.current?.study === entry.id;
  if (!reading) before.current = chart === null ? null : { study: entry.id, chart, points: values.points };
  const drawn = before.current?.chart ?? null;
  const chooseRow = (row: number): void => {
    const point = idAt(before.current?.points ?? values.points, row);
    if (point !== null) onChoose(point);
  };
  const figure = () => {
    if (drawn === null) return null;
    const about = { name: `${entry.name}, ${drawn.title}`, title: `${entry.name}: ${drawn.title}` };
    return drawnBy.current?.figure({ ...about, notes: { study: entry.name, filter } }) ?? null;
  };
  return (
    <div className="studies__plot stack grow">
      <div className="studies__plot-bar flex center wrap">
        <Segmented
          label="Drawn as"
          value={look}
          options={plotKinds}
          onChange={(next) => onPlot({ ...plot, look: next })}
        />
        {look === 'parallel' ? (
          <ParallelAxesChoice chosen={chosen} plot={plot} onPlot={onPlot} />
        ) : (
          <>
            <Select
              label="Across"
              value={x}
              options={optionsOf(sides)}
              onChange={(key) => onPlot({ ...plot, x: key })}
            />
            <Select label="Up" value={y} options={optionsOf(sides)} onChange={(key) => onPlot({ ...plot, y: key })} />
          </>
        )}
        {look === 'heat' ? (
          <Select
            label="Colours"
            value={value}
            options={optionsOf(numeric)}
            onChange={(key) => onPlot({ ...plot, value: key })}
          />
        ) : null}
        {xy ? (
          <>
            <Select
              label="Coloured by"
              value={by}
              options={[{ value: NO_COLUMN, label: 'one colour' }, ...optionsOf(varied)]}
              onChange={(key) => onPlot({ ...plot, by: key })}
            />
            {(['logX', 'logY'] as const).map((axis) => (
              <label key={axis}>
                <input
                  type="checkbox"
                  checked={plot[axis]}
                  onChange={({ target }) => onPlot({ ...plot, [axis]: target.checked })}
                />
                {axis === 'logX' ? 'log across' : 'log up'}
              </label>
            ))}
            <ExportMenu
              what="the plot"
              disabled={drawn === null}
              onChoose={(format) => void figures.save(figure(), format)}
            />
          </>
        ) : null}
      </div>
      {failure === null ? null : (
        <EmptyState
          icon="error"
          tone="error"
          title="The columns could not be read"
          action={<RetryOffer onPress={retry} />}
        >
          {failure}
        </EmptyState>
      )}
      {there && look === 'heat' ? <HeatMap columns={columns} values={values} chosen={chosen} /> : null}
      {there && look === 'parallel' ? (
        <ParallelAxes sides={alongSides} logs={plot.logs} points={values.points} onChoose={onChoose} />
      ) : null}
      {drawn !== null ? (
        <div className="plot-panel__body">
          <ShownChart chart={drawn} scheduler={scheduler} fill onPoint={chooseRow} drawnBy={drawnBy} />
        </div>
      ) : failure === null && (xy || !there) ? (
        <NoPlot entry={entry} isRead={isRead && (there || wanted.length === 0)} onTable={onTable} />
      ) : null}
    </div>
  );
}
