/** One of several maps shown side by side. */
import { type ReactElement, useEffect, useEffectEvent, useRef } from 'react';
import type { FieldMap, Interval } from '../../../electron/contract/fields.ts';
import { equaliseScales } from '../../drawing/axes.ts';
import { colorMap, type Limits, type ScaleKind } from '../../drawing/colormap.ts';
import { listenToMap } from '../../drawing/map-gestures.ts';
import { MapView, type PaintedFigure } from '../../drawing/map-view.ts';
import { PlotLayers } from '../../widgets/plots/plot-layers.tsx';
import { useWorkbench } from '../context.ts';
import type { Plane } from '../workload.ts';
import './map-tile.css';

interface MapTileProps {
  readonly title: string;
  readonly aside: string;
  /** Null if there is no field; the reason is shown instead. */
  readonly field: FieldMap | null;
  readonly reason: string | null;
  readonly plane: Plane;
  readonly style: { readonly colorMap: string; readonly scale: ScaleKind };
  readonly limits: Limits | null;
  readonly quantity: string;
  /** Receives a function that creates a figure of the map, or null when the tile is removed. */
  readonly onFigure?: (make: (() => PaintedFigure | null) | null) => void;
}

const fullWindowOf = ({ fullFrom, fullTo }: FieldMap['horizontal']): Interval => [fullFrom, fullTo];

export function MapTile(props: MapTileProps): ReactElement {
  const { title, aside, field, reason, plane } = props;
  const { scheduler } = useWorkbench();
  const below = useRef<HTMLCanvasElement>(null);
  const above = useRef<HTMLCanvasElement>(null);
  const view = useRef<MapView | null>(null);
  const plot = useRef<{ readonly width: number; readonly height: number } | null>(null);

  const show = useEffectEvent(() => {
    if (field === null) return view.current?.clear();
    const { style, limits, quantity } = props;
    const windows = plane.windows();
    const whole = {
      horizontal: windows.horizontal ?? fullWindowOf(field.horizontal),
      vertical: windows.vertical ?? fullWindowOf(field.vertical),
    };
    const { horizontal, vertical } =
      plane.pixels && plot.current !== null ? equaliseScales(whole, plot.current) : whole;
    const [from, to] = plane.pixels ? [vertical[1], vertical[0]] : vertical;
    const scene = {
      horizontal: { ...plane.horizontal, from: horizontal[0], to: horizontal[1] },
      vertical: { ...plane.vertical, from, to },
      field,
      quantityTitle: quantity,
      annotations: plane.pixels ? [{ kind: 'values' as const, field }] : [],
    };
    view.current?.show(scene, { colorMap: colorMap(style.colorMap), scale: style.scale, limits });
  });
  const whole = useEffectEvent(() =>
    field === null ? null : { horizontal: fullWindowOf(field.horizontal), vertical: fullWindowOf(field.vertical) },
  );
  const provideFigure = useEffectEvent((make: (() => PaintedFigure | null) | null) => props.onFigure?.(make));
  const figure = useEffectEvent(
    () => view.current?.figure({ name: title, title: `${title}: ${props.quantity.toLowerCase()}`, notes: {} }) ?? null,
  );

  useEffect(() => {
    if (below.current === null || above.current === null) return;
    const map = new MapView(below.current, above.current, scheduler, (_size, frame) => {
      plot.current = { width: frame.plot.width, height: frame.plot.height };
      show();
    });
    view.current = map;
    const cross = (): void => map.setCrosshair(plane.crosshair());
    const stops = [
      plane.subscribe(() => {
        cross();
        show();
      }),
      listenToMap(map, above.current, {
        ...plane,
        whole: () => whole(),
        down: plane.pixels,
        ...(plane.pixels && { keyStep: 1 }),
      }),
    ];
    show();
    cross();
    provideFigure(() => figure());
    return () => {
      for (const stop of stops) stop();
      map.dispose();
      view.current = null;
      provideFigure(null);
    };
  }, [scheduler, plane]);
  // Draw after every render, because any property may be new. Drawing an unchanged map costs at most a frame.
  useEffect(() => show());

  return (
    <section className="map-tile stack" aria-label={title}>
      <header className="flex">
        <h2>{title}</h2>
        <small className="muted">{aside}</small>
      </header>
      <div className="grow relative">
        <PlotLayers
          below={below}
          above={above}
          label={
            field === null
              ? `${title}: nothing to show`
              : `${props.quantity} of ${title}; the arrow keys move the crosshair`
          }
          keys
        />
        {field === null && reason !== null ? <p className="plot-panel__note">{reason}</p> : null}
      </div>
    </section>
  );
}
