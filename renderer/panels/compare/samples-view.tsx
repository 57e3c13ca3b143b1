/** Every sample of every row, with the measured noise of the reference. */

import { type ReactElement, useMemo } from 'react';
import type { ComparedGroup } from '../../../electron/contract/bench/comparison.ts';
import { isIncorrect } from '../../../electron/contract/bench/session.ts';
import { noiseText } from '../../base/measured.ts';
import { plottedFigure } from '../../drawing/charts/plotted-figure.ts';
import { type Strips, stripsChart } from '../../drawing/charts/strips.ts';
import { seriesInk } from '../../drawing/figures/figure.ts';
import { Segmented } from '../../widgets/controls/segmented.tsx';
import { ExportMenu } from '../../widgets/floating/export-menu.tsx';
import { ShownChart } from '../../widgets/plots/chart-plot.tsx';
import { useSelected, useWorkbench } from '../../workbench/context.ts';
import { nameOf, type ShownRow } from './rows.ts';
import type { CompareStore } from './store.ts';

const kinds = [
  { value: 'reference', label: 'over the reference', title: 'Time over the median of the reference' },
  { value: 'own', label: 'over its own', title: 'Time over the median of the row itself' },
] as const;

/** Size of exported figures: a page's width. */
const EXPORT_SIZE = { width: 860, height: null } as const;

function stripsOf(rows: readonly ShownRow[], groups: readonly ComparedGroup[], own: boolean): Strips | null {
  const [main] = groups;
  if (main === undefined) return null;
  const strips = rows.flatMap((shown) => {
    const group = groups[shown.row.group];
    const reference = rows.find(({ row, leads }) => leads && row.group === shown.row.group);
    if (shown.hidden || reference === undefined) return [];
    const { ratio, samples } = shown.row;
    const name = nameOf(shown, rows);
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
  const strips = useMemo(() => stripsOf(rows, groups, own), [rows, groups, own]);
  const chart = useMemo(() => (strips === null ? null : stripsChart(strips)), [strips]);
  const median = strips?.strips.map(({ name, ratio }) => `${name} ${ratio.value.toPrecision(3)}`).join(', ');
  return (
    <>
      <div className="compare-bar">
        <span className="panel-readout">
          Point at a sample to read it. Bars are 95 % intervals of the ratio; rings are flagged samples.
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
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must take the keyboard's focus */}
      <section className="compare-scroll" aria-label="Samples" tabIndex={0}>
        <div className="compare-strips">
          {chart === null ? null : (
            <ShownChart
              chart={chart}
              scheduler={scheduler}
              label={`Samples of every round; medians over the reference: ${median ?? 'none'}`}
            />
          )}
        </div>
      </section>
    </>
  );
}
