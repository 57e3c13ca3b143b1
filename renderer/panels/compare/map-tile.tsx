/** One of the maps that stand side by side. */
import { type ReactElement, useEffect, useEffectEvent, useRef } from 'react';
import type { FieldMap, Interval } from '../../../electron/contract/fields.ts';
import { colorMap } from '../../drawing/colormap.ts';
import { listenForGestures } from '../../drawing/map-gestures.ts';
import { MapView, type PaintedFigure } from '../../drawing/map-view.ts';
import type { Limits, ScaleKind } from '../../drawing/normalisation.ts';
import { shownCrosshair } from '../../state/selection.ts';
import { useSelected, useWorkbench } from '../../workbench/context.ts';

export interface MapTileProps {
  readonly title: string;
  readonly aside: string;
  /** Null: the reason stands in its place. */
  readonly field: FieldMap | null;
  readonly reason: string | null;
  readonly style: { readonly colorMap: string; readonly scale: ScaleKind };
  readonly limits: Limits | null;
  readonly quantity: string;
  /** Told how to make a figure of what is shown; null when it is gone. */
  readonly onFigure: (make: (() => PaintedFigure | null) | null) => void;
}

function shownAxis(title: string, { fullFrom, fullTo }: FieldMap['horizontal'], window: Interval | undefined) {
  const [from, to] = window ?? [fullFrom, fullTo];
  return { title, unit: 'mm', from, to };
}

export function MapTile(props: MapTileProps): ReactElement {
  const { title, aside, field, reason } = props;
  const { stores, scheduler } = useWorkbench();
  const windows = useSelected(stores.window, (state) => state.windows);
  const below = useRef<HTMLCanvasElement>(null);
  const above = useRef<HTMLCanvasElement>(null);
  const view = useRef<MapView | null>(null);

  const show = useEffectEvent(() => {
    if (field === null) return view.current?.clear();
    const { style, limits, quantity } = props;
    const scene = {
      horizontal: shownAxis('Depth z', field.horizontal, windows.z),
      vertical: shownAxis('Across x', field.vertical, windows.x),
      field,
      quantityTitle: quantity,
      annotations: [],
    };
    view.current?.show(scene, { colorMap: colorMap(style.colorMap), scale: style.scale, limits });
  });
  const whole = useEffectEvent(() =>
    field === null
      ? null
      : {
          horizontal: [field.horizontal.fullFrom, field.horizontal.fullTo] as const,
          vertical: [field.vertical.fullFrom, field.vertical.fullTo] as const,
        },
  );
  const tell = useEffectEvent((make: (() => PaintedFigure | null) | null) => props.onFigure(make));
  const figure = useEffectEvent(
    () => view.current?.figure({ name: title, title: `${title}: ${props.quantity.toLowerCase()}`, notes: {} }) ?? null,
  );

  useEffect(() => {
    if (below.current === null || above.current === null) return;
    const map = new MapView(below.current, above.current, scheduler, () => undefined);
    view.current = map;
    const cross = (): void => {
      const at = shownCrosshair(stores.selection.getState());
      map.setCrosshair(
        at && { ...(at.z !== undefined && { horizontal: at.z }), ...(at.x !== undefined && { vertical: at.x }) },
      );
    };
    const stops = [
      stores.selection.subscribe(cross),
      listenForGestures(above.current, {
        pointAt: (h, v) => map.pointAt(h, v),
        nearestPoint: (h, v) => map.nearestPoint(h, v),
        whole: () => whole(),
        windows: () => {
          const { z, x } = stores.window.getState().windows;
          return { horizontal: z, vertical: x };
        },
        zoom: ({ horizontal, vertical }) =>
          stores.window.zoom({
            ...(horizontal !== undefined && { z: horizontal }),
            ...(vertical !== undefined && { x: vertical }),
          }),
        hover: (point) => stores.selection.point(point && { z: point.horizontal, x: point.vertical }),
        pin: (point) => stores.selection.pin({ z: point.horizontal, x: point.vertical }),
        crosshair: () => {
          const at = shownCrosshair(stores.selection.getState());
          return (
            at && { ...(at.z !== undefined && { horizontal: at.z }), ...(at.x !== undefined && { vertical: at.x }) }
          );
        },
        resetZoom: () => stores.window.reset(),
      }),
    ];
    show();
    cross();
    tell(() => figure());
    return () => {
      for (const stop of stops) stop();
      map.dispose();
      view.current = null;
      tell(null);
    };
  }, [scheduler, stores]);
  // After every render: what it was given may be new, and drawing the same again costs a frame at most.
  useEffect(() => show());

  return (
    <section className="compare-tile" aria-label={title}>
      <header>
        <h2>{title}</h2>
        <small>{aside}</small>
      </header>
      <div className="compare-tile__body">
        <canvas ref={below} className="plot-panel__layer" />
        <canvas
          ref={above}
          className="plot-panel__layer plot-panel__layer--above"
          tabIndex={0}
          role="img"
          aria-label={
            field === null
              ? `${title}: nothing to show`
              : `${props.quantity} of ${title}; the arrow keys move the crosshair`
          }
        />
        {field === null && reason !== null ? <p className="plot-panel__note">{reason}</p> : null}
      </div>
    </section>
  );
}
