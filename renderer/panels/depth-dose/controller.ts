/** Draws the depth dose and keeps its cursor and window in step with the other plots. Paints outside React. */
import { SHOWN } from '../../data/run-data.ts';
import { axisArray, curveArray, type Figure } from '../../drawing/export/figure.ts';
import { onThemeChange, readDrawingTheme } from '../../drawing/theme.ts';
import { runNotes, runOf } from '../../state/runs.ts';
import { shownCrosshair } from '../../state/selection.ts';
import { shownScenario } from '../../workbench/shown-scenario.ts';
import type { Workbench } from '../../workbench/workbench.ts';
import { beamAxis, depthAlong, pointAlong } from './beam-axis.ts';
import { curveIn, depthDoseFigure, type OverlaidCurve, overlayIn, overlayLooks, wholeDepth } from './figure.ts';
import type { Plotly } from './plotly.ts';
import type { DepthDoseStore } from './store.ts';

/**
 * Plotly lays a figure out anew each time, some 10 ms: while a run goes on the
 * curve follows at this pace, and the map at the full rate.
 */
const LIVE_EVERY_MS = 120;

/** What is used of the axis that Plotly keeps on its element. */
interface PlottedAxis {
  readonly _offset: number;
  readonly _length: number;
  l2p(value: number): number;
  p2l(pixel: number): number;
}

function plottedAxis(element: HTMLElement): PlottedAxis | null {
  const layout: unknown = Reflect.get(element, '_fullLayout');
  const axis: unknown = typeof layout === 'object' && layout !== null ? Reflect.get(layout, 'xaxis') : null;
  return axis === null || axis === undefined ? null : (axis as PlottedAxis);
}

export interface DrivenPlot {
  stop(): void;
  /** What the plot shows, for export. */
  figure(): Figure | null;
}

export function driveDepthDose(
  plotly: Plotly,
  workbench: Workbench,
  store: DepthDoseStore,
  element: HTMLElement,
  cursor: HTMLElement,
): DrivenPlot {
  const { stores, data, scheduler, overlays } = workbench;
  let drawn = 0;
  let drawing = false;
  /** Something changed while it was drawn. */
  let missed = false;
  let later: ReturnType<typeof setTimeout> | null = null;
  let gone = false;

  const laidOver = (color: (name: string) => string): readonly OverlaidCurve[] =>
    overlays.list.getState().items.flatMap(({ id, name }, i) => {
      const curve = overlays.curves.get(id);
      return curve === null ? [] : [{ name, ...curve, color: color(overlayLooks[i]?.color ?? '--series-8') }];
    });

  const place = (): void => {
    const axis = plottedAxis(element);
    const at = shownCrosshair(stores.selection.getState());
    const beam = beamAxis(shownScenario('transport', workbench));
    const depth = at?.z === undefined ? null : depthAlong(beam, at.z, at.x ?? beam.entrance_mm.x);
    const pixel = axis === null || depth === null ? -1 : axis.l2p(depth);
    const visible = axis !== null && pixel >= 0 && pixel <= axis._length;
    cursor.hidden = !visible;
    if (visible) cursor.style.transform = `translateX(${axis._offset + pixel}px)`;
  };

  const draw = (): void => {
    if (drawing) missed = true;
    if (gone || drawing || element.clientWidth === 0 || element.clientHeight === 0) return;
    const style = getComputedStyle(element);
    const color = (name: string): string => style.getPropertyValue(name).trim();
    const { z } = stores.window.getState().windows;
    const resolved = shownScenario('transport', workbench);
    const beam = beamAxis(resolved);
    // Depth along the axis is depth in the map for a straight beam only: then both plots show one window.
    const window =
      z !== undefined && beam.angle_rad === 0
        ? ([z[0] - beam.entrance_mm.z, z[1] - beam.entrance_mm.z] as const)
        : null;
    const figure = depthDoseFigure({
      shown: data.depthDose.get(SHOWN),
      resolved,
      unit: store.getState().unit,
      overlays: laidOver(color),
      window,
      width_px: element.clientWidth,
      theme: readDrawingTheme(element),
      colors: {
        curve: color('--plot-curve'),
        fill: color('--plot-curve-soft'),
        r80: color('--plot-r80'),
        reference: color('--plot-reference'),
      },
    });
    drawing = true;
    drawn = performance.now();
    plotly
      .react(element, figure.data, figure.layout, { displayModeBar: false, responsive: false, doubleClick: false })
      .then(place, (error: unknown) => reportError(error))
      .finally(() => {
        drawing = false;
        if (missed && !gone) soon();
        missed = false;
      });
  };
  const soon = (): void => {
    if (later !== null) return;
    const live = data.depthDose.get(SHOWN)?.final === null;
    const wait = live ? Math.max(0, LIVE_EVERY_MS - (performance.now() - drawn)) : 0;
    later = setTimeout(() => {
      later = null;
      scheduler.request(draw);
    }, wait);
  };

  const hover = (event: PointerEvent): void => {
    const axis = plottedAxis(element);
    if (axis === null) return;
    const pixel = event.clientX - element.getBoundingClientRect().left - axis._offset;
    const inside = pixel >= 0 && pixel <= axis._length;
    stores.selection.point(
      inside ? pointAlong(beamAxis(shownScenario('transport', workbench)), axis.p2l(pixel)) : null,
    );
  };
  const leave = (): void => stores.selection.point(null);
  element.addEventListener('pointermove', hover);
  element.addEventListener('pointerleave', leave);
  element.addEventListener('dblclick', stores.window.reset);

  const resize = new ResizeObserver(soon);
  resize.observe(element);
  const stops = [
    data.depthDose.subscribe(SHOWN, soon),
    data.reference.subscribe(SHOWN, soon),
    stores.window.subscribe(soon),
    stores.scenario.subscribe((state, before) => {
      if (state.lastResolved !== before.lastResolved) soon();
    }),
    stores.selection.subscribe(() => scheduler.request(place)),
    store.subscribe(soon),
    overlays.list.subscribe(soon),
    onThemeChange(soon),
  ];
  draw();
  // Dragging across the curve zooms; the other plots follow through the shared window.
  const emitter = element as HTMLElement & { on?: (name: string, listener: (event: unknown) => void) => void };
  emitter.on?.('plotly_relayout', (event) => {
    const read = (key: string): unknown =>
      typeof event === 'object' && event !== null ? Reflect.get(event, key) : null;
    const [from, to] = [read('xaxis.range[0]'), read('xaxis.range[1]')];
    if (typeof from !== 'number' || typeof to !== 'number') return;
    const beam = beamAxis(shownScenario('transport', workbench));
    if (beam.angle_rad !== 0) return;
    const [low, high] = wholeDepth(data.depthDose.get(SHOWN), shownScenario('transport', workbench));
    const whole = from <= low && to >= high;
    const z = [Math.max(low, from) + beam.entrance_mm.z, Math.min(high, to) + beam.entrance_mm.z] as const;
    stores.window.zoom({ z: whole ? null : z });
  });

  return {
    figure: () => {
      const shown = data.depthDose.get(SHOWN);
      const run = runOf(stores.runs.getState(), shown?.run ?? null);
      if (shown === null) return null;
      const { clientWidth: width, clientHeight: height } = element;
      const chosen = store.getState().unit;
      const { positions, values, unit, quantity } = curveIn(shown, chosen);
      const name = run?.name ?? 'run';
      return {
        name: `${name}-depth-dose`,
        title: `${name}: depth dose`,
        notes: runNotes(run),
        width,
        height,
        arrays: [
          axisArray('depth', 'mm', 'depth along the beam axis', positions),
          curveArray('dose', unit, quantity, 'depth', values),
          ...laidOver(() => '')
            .map((curve) => overlayIn(curve, chosen))
            .flatMap((curve, i) => [
              axisArray(`depth_${i + 2}`, 'mm', `depth: ${curve.name}`, curve.depth_mm),
              curveArray(`dose_${i + 2}`, curve.unit ?? '', curve.name, `depth_${i + 2}`, curve.dose),
            ]),
        ],
        svg: async () => {
          const url = await plotly.toImage(element, { format: 'svg', width, height });
          return decodeURIComponent(url.slice(url.indexOf(',') + 1));
        },
      };
    },
    stop: () => {
      gone = true;
      if (later !== null) clearTimeout(later);
      for (const stop of stops) stop();
      resize.disconnect();
      element.removeEventListener('pointermove', hover);
      element.removeEventListener('pointerleave', leave);
      element.removeEventListener('dblclick', stores.window.reset);
      scheduler.cancel(draw);
      scheduler.cancel(place);
      plotly.purge(element);
    },
  };
}
