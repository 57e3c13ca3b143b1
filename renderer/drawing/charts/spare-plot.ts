/** A plot of WebGL stays for the next chart: contexts made anew take longer than drawing a hundred thousand points. */
import type { Plotly } from './plotly.ts';

const DRAWN_BY_WEBGL = 'canvas.gl-canvas-context';

let spare: HTMLElement | null = null;

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
