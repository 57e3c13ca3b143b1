/** A plot of WebGL stays for the next chart: contexts made anew take longer than drawing a hundred thousand points. */
import type { Config, Data } from 'plotly.js/lib/core';
import type { Plotly } from './plotly.ts';

const DRAWN_BY_WEBGL = 'canvas.gl-canvas-context';

/** Whoever draws into a plot has to ask for the same: with another, Plotly makes it anew. */
export const plotConfig = (): Partial<Config> => ({
  displayModeBar: false,
  responsive: false,
  doubleClick: false,
  // Plotly's own choice is four pixels for each of a plain screen: without a graphics processor most of the time goes there.
  plotGlPixelRatio: Math.max(1, devicePixelRatio),
});

/** What is left of a chart: a point that is never seen. Without any its contexts went, too. */
const NO_DATA = [{ type: 'scattergl', mode: 'markers', x: [0], y: [0], hoverinfo: 'skip' }] as const;
/** A chart that follows at once takes it as it is. */
const EMPTIED_AFTER_MS = 200;

let spare: HTMLElement | null = null;

/** Numbers of a study that nobody looks at are not kept. */
function empty(plotly: Plotly, plot: HTMLElement): void {
  if (spare !== plot) return;
  // With another size its pictures were made anew, and again for the next chart.
  const { width, height } = Reflect.get(plot, 'layout') as { readonly width: number; readonly height: number };
  plotly.react(plot, structuredClone(NO_DATA) as unknown as Data[], { width, height }, plotConfig()).catch(() => {
    if (spare !== plot) return;
    spare = null;
    plotly.purge(plot);
  });
}

/** Nobody shows it any more. One is kept, others go. */
export function givePlot(plotly: Plotly, plot: HTMLElement): void {
  if (plot.querySelector(DRAWN_BY_WEBGL) === null) {
    plotly.purge(plot);
    return;
  }
  if (spare !== null) plotly.purge(spare);
  const emitter: { removeAllListeners?: () => void } & HTMLElement = plot;
  emitter.removeAllListeners?.();
  // What was pointed at is of the chart that went.
  plot.querySelector('.hoverlayer')?.replaceChildren();
  Reflect.deleteProperty(plot, '_hoverdata');
  spare = plot;
  setTimeout(() => empty(plotly, plot), EMPTIED_AFTER_MS);
}

/** Null: none is kept, or its contexts are lost. */
export function takePlot(plotly: Plotly): HTMLElement | null {
  const plot = spare;
  spare = null;
  if (plot === null) return null;
  const canvas = plot.querySelector<HTMLCanvasElement>(DRAWN_BY_WEBGL);
  if (canvas?.getContext('webgl')?.isContextLost() === false) return plot;
  plotly.purge(plot);
  return null;
}
