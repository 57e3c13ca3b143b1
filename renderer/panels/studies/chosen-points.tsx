/** Points selected in the table or plot. They can be opened as runs or scenarios, and two can be compared. */
import { type ReactElement, useEffect, useMemo, useState } from 'react';
import type { RunInfo } from '../../../electron/contract/run.ts';
import type { StudyId } from '../../../electron/contract/study/calls.ts';
import type { PointResult, SavedCurve } from '../../../electron/contract/study/index.ts';
import { measuredTime } from '../../../electron/domain/measured.ts';
import { NO_VALUE, significant } from '../../../electron/domain/numbers.ts';
import { type Chart, paneArrays, type Series } from '../../drawing/charts/chart.ts';
import { seriesInk } from '../../drawing/figures/figure.ts';
import { errorText } from '../../state/notices.ts';
import { Button, IconButton } from '../../widgets/controls/button.tsx';
import { ShownChart } from '../../widgets/plots/chart-plot.tsx';
import { useWorkbench } from '../../workbench/context.ts';
import { columnTitle } from './words.ts';

/** A selected point of a study with its settings and stored results. */
interface Point {
  readonly id: string;
  readonly settings: string;
  readonly result: PointResult;
}

/** Name of a point from its settings; in a study without axes, its hash. */
const pointName = (id: string, point: Point | undefined): string => point?.settings || id.slice(0, 8);

interface DifferenceRow {
  readonly name: string;
  readonly unit: string;
  readonly values: readonly string[];
  /** Second value minus the first; a dash if one is missing. The ratio is second over first. */
  readonly difference: string;
  readonly ratio: string;
}

type Value = number | string | null | undefined;

const text = (value: Value): string => (typeof value === 'number' ? significant(value, 6) : (value ?? NO_VALUE));

function differenceRow(name: string, unit: string, [a, b]: readonly [Value, Value]): DifferenceRow {
  const numbers = typeof a === 'number' && typeof b === 'number';
  return {
    ...{ name, unit, values: [text(a), text(b)] },
    difference: numbers ? significant(b - a, 4) : NO_VALUE,
    ratio: numbers && a !== 0 ? significant(b / a, 4) : NO_VALUE,
  };
}

/** Measures of either point; equal values are omitted unless `all`. */
export function differenceRows(a: Point, b: Point, all = false): readonly DifferenceRow[] {
  const key = ({ group, name }: PointResult['measures'][number]): string => `${group} ${name}`;
  const measures = [...new Map([...a.result.measures, ...b.result.measures].map((one) => [key(one), one])).values()];
  const valueIn = (point: Point, wanted: string): Value =>
    point.result.measures.find((one) => key(one) === wanted)?.value;
  const solved = (['variant', 'precision', 'threads'] as const).map((name) =>
    differenceRow(name, '', [a.result[name], b.result[name]]),
  );
  const machine = differenceRow('machine', '', [
    a.result.where.gpu ?? a.result.where.cpu,
    b.result.where.gpu ?? b.result.where.cpu,
  ]);
  const rows = measures.map((one) => differenceRow(one.name, one.unit, [valueIn(a, key(one)), valueIn(b, key(one))]));
  return [...solved, machine, ...rows].filter(({ values: [one, other] }) => all || one !== other);
}

const gapsAsNaN = (values: SavedCurve['values']): Float64Array =>
  Float64Array.from(values, (value) => value ?? Number.NaN);

/** Overlaid curves that both points have; null if there are none. */
export function differenceChart(a: Point, b: Point): Chart | null {
  const names = a.result.curves
    .map(({ name }) => name)
    .filter((name) => b.result.curves.some((one) => one.name === name));
  if (names.length === 0) return null;
  const panes = names.flatMap((name) => {
    const curves = [a, b].map(({ result }) => result.curves.find((one) => one.name === name));
    const [first] = curves;
    if (first === undefined) return [];
    const series = curves.map((curve, i): Series => {
      const point = i === 0 ? a : b;
      const label = pointName(point.id, point);
      const [x, y] = [gapsAsNaN(curve?.positions ?? []), gapsAsNaN(curve?.values ?? [])];
      return { kind: 'line', name: label, ink: seriesInk(i), dash: i === 0 ? [] : [5, 3], x, y };
    });
    const numbers = (of: 'x' | 'y'): number[] => series.flatMap((one) => Array.from(one[of]).filter(Number.isFinite));
    const [low, high] = [Math.min(...numbers('y'), 0), Math.max(...numbers('y'))];
    return [
      {
        x: {
          title: first.axis,
          unit: first.axis_unit,
          kind: 'linear',
          from: Math.min(...numbers('x')),
          to: Math.max(...numbers('x')),
        },
        y: { title: name, unit: first.unit, kind: 'linear', from: low, to: high + 0.05 * (high - low || 1) },
        series,
        tall: 14,
      } as const,
    ];
  });
  return {
    title: `${names.join(', ')} of two points`,
    panes,
    hover: 'values',
    arrays: panes.flatMap((pane, i) => paneArrays(pane, i === 0 ? '' : `pane_${i + 1}_`)),
    notes: {},
  };
}

interface ChosenPointsProps {
  readonly study: StudyId;
  readonly chosen: readonly string[];
  readonly onChange: (chosen: readonly string[]) => void;
}

/** Results of the selected points in order of selection. */
function usePointResults(
  study: StudyId,
  chosen: readonly string[],
): { readonly points: readonly Point[]; readonly failure: string | null } {
  const { client } = useWorkbench();
  const [points, setPoints] = useState<readonly Point[]>([]);
  const [failure, setFailure] = useState<string | null>(null);
  const requested = chosen.join(' ');
  useEffect(() => {
    let current = true;
    const ids = requested === '' ? [] : requested.split(' ');
    Promise.all(
      ids.map(async (id) => {
        const { settings, result } = await client.call('study.result', { study, point: id });
        return result === null ? [] : [{ id, settings, result }];
      }),
    ).then(
      (found) => {
        if (!current) return;
        setPoints(found.flat());
        setFailure(null);
      },
      (error: unknown) => current && setFailure(errorText(error)),
    );
    return () => {
      current = false;
    };
  }, [client, study, requested]);
  return { points, failure };
}

function timeText({ result }: Point): string {
  if (result.status === 'failed') return `failed: ${result.error?.message ?? ''}`;
  const took = result.measures.find(({ name }) => name === 'wall_s')?.value;
  return typeof took === 'number' ? `took ${measuredTime(took)}` : '';
}

function Difference({ a, b }: { readonly a: Point; readonly b: Point }): ReactElement {
  const { scheduler } = useWorkbench();
  const [all, setAll] = useState(false);
  const rows = useMemo(() => differenceRows(a, b, all), [a, b, all]);
  const chart = useMemo(() => differenceChart(a, b), [a, b]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be focusable by keyboard
    <section className="studies__difference scroll wide" tabIndex={0} aria-label="Two points compared">
      <label>
        <input type="checkbox" checked={all} onChange={({ target }) => setAll(target.checked)} />
        Show equal values, too
      </label>
      <table className="table" data-testid="study-difference">
        <thead>
          <tr>
            <th scope="col">Value</th>
            <th scope="col">{pointName(a.id, a)}</th>
            <th scope="col">{pointName(b.id, b)}</th>
            <th scope="col">second minus first</th>
            <th scope="col">over</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ name, unit, values, difference, ratio }) => (
            <tr key={name}>
              <th scope="row">{columnTitle({ name, unit })}</th>
              <td>{values[0]}</td>
              <td>{values[1]}</td>
              <td>{difference}</td>
              <td>{ratio}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {chart === null ? null : <ShownChart chart={chart} scheduler={scheduler} />}
    </section>
  );
}

export function ChosenPoints({ study, chosen, onChange }: ChosenPointsProps): ReactElement | null {
  const { client, stores, documents, runs } = useWorkbench();
  const { points, failure } = usePointResults(study, chosen);
  const [busy, setBusy] = useState(false);
  if (chosen.length === 0) return null;
  const doing = (what: string, work: () => Promise<void>): void => {
    setBusy(true);
    work()
      .catch((error: unknown) => stores.notices.fail(what, error))
      .finally(() => setBusy(false));
  };
  const begin = async (point: string): Promise<RunInfo> => {
    const { scenario, name } = await client.call('study.point', { study, point });
    // Name the scenario by its settings, because all points of a study share the scenario's name.
    const named = { ...scenario, name };
    return client.call('run.start', { scenario: named, name, file: null, trace: stores.tracing.getState().on });
  };
  const run = (point: string): void =>
    doing('The point could not be opened as a run', async () => {
      runs.show((await begin(point)).id);
      stores.layout.reveal('runs');
    });
  const open = (point: string): void =>
    doing('The point could not be opened', async () => {
      const { scenario, name } = await client.call('study.point', { study, point });
      const text = `${JSON.stringify({ ...scenario, name }, null, 2)}\n`;
      if (await documents.openText(`${name}.json`, text)) stores.layout.reveal('scenario');
    });
  const both = (): void =>
    doing('The points could not be compared as runs', async () => {
      const started: RunInfo[] = [];
      for (const point of chosen) started.push(await begin(point));
      for (const { id, workload } of started) stores.comparison.add(workload, [{ kind: 'run', run: id }]);
      stores.layout.reveal('compare');
    });
  const [a, b] = points;
  return (
    <section className="studies__chosen line-above stack gap-s rigid" aria-label="Chosen points">
      <ul className="grid gap-s wide">
        {chosen.map((id) => {
          const point = points.find((one) => one.id === id);
          return (
            <li key={id}>
              <strong className="grow" title={id}>
                {pointName(id, point)}
              </strong>
              <span className="muted">{point === undefined ? '' : timeText(point)}</span>
              <Button icon="run" disabled={busy} onPress={() => run(id)}>
                Open as a run
              </Button>
              <Button icon="edit" disabled={busy} onPress={() => open(id)}>
                Open its scenario
              </Button>
              <IconButton
                icon="close"
                label={`Deselect ${pointName(id, point)}`}
                onPress={() => onChange(chosen.filter((one) => one !== id))}
              />
            </li>
          );
        })}
      </ul>
      {failure === null ? null : <p className="studies__fault">{failure}</p>}
      {chosen.length < 2 ? (
        <p className="studies__said">Select a second point to see the differences.</p>
      ) : (
        <Button icon="ladder" disabled={busy} onPress={both}>
          Run both and compare
        </Button>
      )}
      {a !== undefined && b !== undefined ? <Difference a={a} b={b} /> : null}
    </section>
  );
}
