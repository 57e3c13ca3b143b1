/** Curves over each other, with what each differs from the reference by. */
import { type ReactElement, useEffect, useMemo, useState } from 'react';
import type { ComparedCurve } from '../../../electron/contract/bench/comparison.ts';
import { curvesChart, type NamedCurve } from '../../drawing/charts/curves.ts';
import { plottedFigure } from '../../drawing/charts/plotted-figure.ts';
import { seriesInk } from '../../drawing/figures/figure.ts';
import { errorText } from '../../state/notices.ts';
import { Button } from '../../widgets/controls/button.tsx';
import { ExportMenu } from '../../widgets/floating/export-menu.tsx';
import { ShownChart } from '../../widgets/plots/chart-plot.tsx';
import { EmptyState } from '../../widgets/words/empty-state.tsx';
import { useWorkbench } from '../../workbench/context.ts';
import { nameOf, type ShownRow } from './rows.ts';
import type { CompareStore } from './store.ts';

/** Dash patterns that distinguish overlaid curves; the reference is solid. */
const dashes = [[], [7, 3], [2, 3], [9, 3, 2, 3], [4, 2]] as const;

/** Size of exported figures: a page's width. */
const EXPORT_SIZE = { width: 860, height: null } as const;

/** The rows that have a curve. */
function useWithCurve(rows: readonly ShownRow[]): readonly ShownRow[] {
  return useMemo(() => rows.filter(({ row, hidden, reference }) => row.has_curve && (!hidden || reference)), [rows]);
}

interface CurvesProps {
  readonly store: CompareStore;
  readonly rows: readonly ShownRow[];
}

function NoCurves({ store, rows }: CurvesProps): ReactElement {
  const isImage = rows.some(({ row }) => row.has_map);
  const reason = isImage
    ? 'What these variants computed are images: they stand beside each other in Maps.'
    : 'Stored sessions keep times and not what was computed. Benchmark variants here, or add runs, to see it.';
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
  const dosed = useWithCurve(rows);
  const [curves, setCurves] = useState<readonly ComparedCurve[]>([]);
  const asked = JSON.stringify([
    dosed.map(({ subject }) => subject),
    Math.max(
      0,
      dosed.findIndex((one) => one.reference),
    ),
  ]);
  useEffect(() => {
    const [subjects, reference] = JSON.parse(asked) as [ShownRow['subject'][], number];
    if (subjects.length === 0) return setCurves([]);
    let current = true;
    client.call('compare.curves', { subjects, reference }).then(
      (answer) => current && setCurves(answer.curves),
      (error: unknown) => current && stores.notices.fail(`The curves were not read: ${errorText(error)}`, error),
    );
    return () => {
      current = false;
    };
  }, [client, stores, asked]);
  const named = useMemo(
    () =>
      dosed.flatMap((shown, i): NamedCurve[] => {
        const { curve = null, residual = null } = curves[i] ?? {};
        if (curve === null || shown.hidden) return [];
        const dash = shown.reference ? [] : (dashes[i % dashes.length] ?? []);
        return [{ name: nameOf(shown, rows), ink: seriesInk(shown.ink), dash, curve, residual }];
      }),
    [dosed, curves, rows],
  );
  const chart = useMemo(() => curvesChart(named), [named]);
  if (dosed.length === 0) return <NoCurves store={store} rows={rows} />;
  return (
    <>
      <div className="compare-bar">
        <span className="panel-readout">Dose integrated across the beam; below, each less the reference.</span>
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
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must take the keyboard's focus */}
      <section className="compare-scroll compare-figure" aria-label="Depth doses" tabIndex={0}>
        {named.length === 0 ? null : <ShownChart chart={chart} scheduler={scheduler} />}
      </section>
    </>
  );
}
