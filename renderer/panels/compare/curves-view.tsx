/**
 * Two views of the compared rows: their curves with the differences from the reference, and all their samples with the
 * measured noise of the reference.
 */
import { type ReactElement, useEffect, useMemo, useState } from 'react';
import type { ComparedCurve, ComparedGroup } from '../../../electron/contract/bench/comparison.ts';
import { isIncorrect } from '../../../electron/contract/bench/session.ts';
import { noiseText } from '../../../electron/domain/measured.ts';
import { curvesChart, type NamedCurve } from '../../drawing/charts/curves.ts';
import { plottedFigure } from '../../drawing/charts/plotted-figure.ts';
import { type Strips, stripsChart } from '../../drawing/charts/strips.ts';
import { seriesInk } from '../../drawing/figures/figure.ts';
import { errorText } from '../../state/notices.ts';
import { Button } from '../../widgets/controls/button.tsx';
import { Segmented } from '../../widgets/controls/segmented.tsx';
import { ExportMenu } from '../../widgets/floating/menu.tsx';
import { ShownChart } from '../../widgets/plots/chart-plot.tsx';
import { EmptyState } from '../../widgets/words/empty-state.tsx';
import { useSelected, useWorkbench } from '../../workbench/context.ts';
import { type CompareStore, type ShownRow, shownRowName } from './store.ts';

/** Dash patterns that distinguish overlaid curves; the reference is solid. */
const dashes = [[], [7, 3], [2, 3], [9, 3, 2, 3], [4, 2]] as const;

/** Size of exported figures: the width of a page. */
const EXPORT_SIZE = { width: 860, height: null } as const;

/** Rows that have a curve. */
function useRowsWithCurve(rows: readonly ShownRow[]): readonly ShownRow[] {
  return useMemo(() => rows.filter(({ row, hidden, reference }) => row.has_curve && (!hidden || reference)), [rows]);
}

interface CurvesProps {
  readonly store: CompareStore;
  readonly rows: readonly ShownRow[];
}

function NoCurves({ store, rows }: CurvesProps): ReactElement {
  const isImage = rows.some(({ row }) => row.has_map);
  const reason = isImage
    ? 'These variants compute images: see them side by side in Maps.'
    : 'Stored sessions contain times but no results. Benchmark variants here, or add runs.';
  return (
    <EmptyState
      icon="curve"
      title="No curves to show"
      action={
        <Button onPress={() => store.setState({ view: isImage ? 'maps' : 'choose' })}>
          {isImage ? 'Show the maps' : 'Choose runs and variants'}
        </Button>
      }
    >
      {reason}
    </EmptyState>
  );
}

export function CurvesView({ store, rows }: CurvesProps): ReactElement {
  const { client, figures, scheduler, stores } = useWorkbench();
  const dosed = useRowsWithCurve(rows);
  const [curves, setCurves] = useState<readonly ComparedCurve[]>([]);
  const requested = JSON.stringify([
    dosed.map(({ subject }) => subject),
    Math.max(
      0,
      dosed.findIndex((one) => one.reference),
    ),
  ]);
  useEffect(() => {
    const [subjects, reference] = JSON.parse(requested) as [ShownRow['subject'][], number];
    if (subjects.length === 0) return setCurves([]);
    let current = true;
    client.call('compare.curves', { subjects, reference }).then(
      (answer) => current && setCurves(answer.curves),
      (error: unknown) => current && stores.notices.fail(`The curves could not be read: ${errorText(error)}`, error),
    );
    return () => {
      current = false;
    };
  }, [client, stores, requested]);
  const named = useMemo(
    () =>
      dosed.flatMap((shown, i): NamedCurve[] => {
        const { curve = null, residual = null } = curves[i] ?? {};
        if (curve === null || shown.hidden) return [];
        const dash = shown.reference ? [] : (dashes[i % dashes.length] ?? []);
        return [{ name: shownRowName(shown, rows), ink: seriesInk(shown.ink), dash, curve, residual }];
      }),
    [dosed, curves, rows],
  );
  const chart = useMemo(() => curvesChart(named), [named]);
  if (dosed.length === 0) return <NoCurves store={store} rows={rows} />;
  return (
    <>
      <div className="compare-bar">
        <span className="panel-readout">Dose integrated across the beam; below, each minus the reference.</span>
        <div className="panel-bar__tools">
          <ExportMenu
            what="curves"
            disabled={named.length === 0}
            onChoose={(format) => {
              const about = { name: 'depth-doses', title: chart.title, notes: {} };
              void figures.save(plottedFigure(chart, about, EXPORT_SIZE), format);
            }}
          />
        </div>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be focusable by keyboard */}
      <section className="compare-scroll compare-figure" aria-label="Depth doses" tabIndex={0}>
        {named.length === 0 ? null : <ShownChart chart={chart} scheduler={scheduler} />}
      </section>
    </>
  );
}

const kinds = [
  { value: 'reference', label: 'relative to the reference', title: 'Time relative to the median of the reference' },
  { value: 'own', label: 'relative to its own median', title: 'Time relative to the median of the same row' },
] as const;

function sampleStrips(rows: readonly ShownRow[], groups: readonly ComparedGroup[], own: boolean): Strips | null {
  const [main] = groups;
  if (main === undefined) return null;
  const strips = rows.flatMap((shown) => {
    const group = groups[shown.row.group];
    const reference = rows.find(({ row, isGroupReference }) => isGroupReference && row.group === shown.row.group);
    if (shown.hidden || reference === undefined) return [];
    const { ratio, samples } = shown.row;
    const name = shownRowName(shown, rows);
    return [
      {
        name: group === undefined || group.title === '' ? name : `${name}, ${group.title}`,
        ink: isIncorrect(shown.row.verdict) ? ('danger' as const) : seriesInk(shown.ink),
        ratio,
        samples,
        reference_s: reference.row.time_s,
      },
    ];
  });
  return { strips, noise: main.noise, own };
}

interface SamplesProps {
  readonly store: CompareStore;
  readonly rows: readonly ShownRow[];
  readonly groups: readonly ComparedGroup[];
}

export function SamplesView({ store, rows, groups }: SamplesProps): ReactElement {
  const { scheduler, figures } = useWorkbench();
  const own = useSelected(store, (state) => state.own);
  const strips = useMemo(() => sampleStrips(rows, groups, own), [rows, groups, own]);
  const chart = useMemo(() => (strips === null ? null : stripsChart(strips)), [strips]);
  const median = strips?.strips.map(({ name, ratio }) => `${name} ${ratio.value.toPrecision(3)}`).join(', ');
  return (
    <>
      <div className="compare-bar">
        <span className="panel-readout">
          Point at a sample for its value. Bars are 95 % intervals of the ratio; rings are flagged samples.
          {strips === null ? '' : ` Noise: ${noiseText(strips.noise)}.`}
        </span>
        <div className="panel-bar__tools">
          <Segmented
            label="Samples"
            value={own ? 'own' : 'reference'}
            options={kinds}
            onChange={(kind) => store.setState({ own: kind === 'own' })}
          />
          <ExportMenu
            what="samples"
            disabled={chart === null}
            onChoose={(format) => {
              if (chart === null) return;
              const about = { name: 'samples', title: chart.title, notes: {} };
              void figures.save(plottedFigure(chart, about, EXPORT_SIZE), format);
            }}
          />
        </div>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be focusable by keyboard */}
      <section className="compare-scroll" aria-label="Samples" tabIndex={0}>
        <div className="compare-strips wide">
          {chart === null ? null : (
            <ShownChart
              chart={chart}
              scheduler={scheduler}
              label={`Samples of every round; medians relative to the reference: ${median ?? 'none'}`}
            />
          )}
        </div>
      </section>
    </>
  );
}
