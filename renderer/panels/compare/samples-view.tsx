/** Every sample of every row, on a canvas, with the noise floor of the reference. */
import { type ReactElement, useEffect, useMemo, useRef, useState } from 'react';
import { exported, inkOf } from '../../drawing/figures/exported.ts';
import { type Figure, seriesInk } from '../../drawing/figures/figure.ts';
import { paintFigure } from '../../drawing/figures/paint.ts';
import { type Strips, stripsFigure } from '../../drawing/figures/strips.ts';
import { Surface } from '../../drawing/surface.ts';
import { onThemeChange, readDrawingTheme } from '../../drawing/theme.ts';
import { Segmented } from '../../widgets/controls/segmented.tsx';
import { ExportMenu } from '../../widgets/floating/export-menu.tsx';
import { useSelected, useWorkbench } from '../../workbench/context.ts';
import { nameOf, type ShownRow } from './rows.ts';
import type { CompareStore } from './store.ts';

const kinds = [
  { value: 'reference', label: 'over the reference', title: 'Time over the median of the reference' },
  { value: 'own', label: 'over its own', title: 'Time over the median of the row itself' },
] as const;

/** Pixels that a pointer may be off and still mean a dot. */
const NEAR = 7;

function dotAt({ shapes }: Figure, x: number, y: number): string | null {
  let best: { readonly tip: string; readonly distance: number } | null = null;
  for (const shape of shapes) {
    if (shape.kind !== 'dot' || shape.tip === undefined) continue;
    const distance = Math.hypot(shape.at[0] - x, shape.at[1] - y);
    if (distance <= NEAR && distance < (best?.distance ?? Number.POSITIVE_INFINITY))
      best = { tip: shape.tip, distance };
  }
  return best?.tip ?? null;
}

export function stripsOf(rows: readonly ShownRow[], noise_floor: number | null, own: boolean): Strips | null {
  const reference = rows.find((shown) => shown.reference);
  if (reference === undefined) return null;
  const strips = rows
    .filter(({ hidden }) => !hidden)
    .map((shown) => ({
      name: nameOf(shown, rows),
      ink: shown.row.verdict === 'wrong' ? ('danger' as const) : seriesInk(shown.ink),
      ratio: shown.row.ratio,
      samples: shown.row.samples,
    }));
  return { strips, reference_s: reference.row.time_s, noise_floor, own };
}

interface SamplesProps {
  readonly store: CompareStore;
  readonly rows: readonly ShownRow[];
  readonly noise_floor: number | null;
}

export function SamplesView({ store, rows, noise_floor }: SamplesProps): ReactElement {
  const { scheduler, figures } = useWorkbench();
  const own = useSelected(store, (state) => state.own);
  const strips = useMemo(() => stripsOf(rows, noise_floor, own), [rows, noise_floor, own]);
  const canvas = useRef<HTMLCanvasElement>(null);
  const painted = useRef<Figure | null>(null);
  const [height, setHeight] = useState(200);
  const [tip, setTip] = useState<string | null>(null);
  useEffect(() => {
    const element = canvas.current;
    if (element === null || strips === null) return;
    const paint = (): void => {
      const theme = readDrawingTheme(element);
      const figure = stripsFigure(strips, { width: surface.size.width, label: theme.labelSize });
      painted.current = figure;
      setHeight(figure.height);
      const context = surface.begin();
      if (context !== null) paintFigure(context, figure, { color: inkOf(element), family: theme.family });
    };
    const surface = new Surface(element, paint);
    scheduler.request(paint);
    const stop = onThemeChange(() => scheduler.request(paint));
    return () => {
      stop();
      scheduler.cancel(paint);
      surface.dispose();
    };
  }, [strips, scheduler]);
  const median = strips?.strips.map(({ name, ratio }) => `${name} ${ratio.value.toPrecision(3)}`).join(', ');
  return (
    <>
      <div className="compare-bar">
        <output className="panel-readout" aria-live="off">
          {tip ?? 'Point at a sample to read it. Bars are 95 % intervals of the ratio; rings are flagged samples.'}
        </output>
        <div className="panel-bar__tools">
          <Segmented
            label="Samples"
            value={own ? 'own' : 'reference'}
            options={kinds}
            onChange={(kind) => store.setState({ own: kind === 'own' })}
          />
          <ExportMenu
            what="samples"
            disabled={strips === null}
            onChoose={(format) => {
              const figure = painted.current;
              if (figure !== null) void figures.save(exported(figure, 'samples', figure.title), format);
            }}
          />
        </div>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must take the keyboard's focus */}
      <section className="compare-scroll" aria-label="Samples" tabIndex={0}>
        <canvas
          ref={canvas}
          className="compare-strips"
          style={{ height: `${height}px` }}
          role="img"
          aria-label={`Samples of every round; medians over the reference: ${median ?? 'none'}`}
          onPointerMove={(event) =>
            setTip(
              painted.current === null
                ? null
                : dotAt(painted.current, event.nativeEvent.offsetX, event.nativeEvent.offsetY),
            )
          }
          onPointerLeave={() => setTip(null)}
        />
      </section>
    </>
  );
}
