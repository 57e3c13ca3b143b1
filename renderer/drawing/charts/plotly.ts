/** Plotly's bundle of cartesian charts, loaded when the first chart is shown. */
export type Plotly = typeof import('plotly.js-cartesian-dist-min').default;

let loading: Promise<Plotly> | null = null;

export function loadPlotly(): Promise<Plotly> {
  loading ??= import('plotly.js-cartesian-dist-min').then(({ default: plotly }) => plotly);
  // A failed load (a server that went away) is tried again with the next chart.
  loading.catch(() => {
    loading = null;
  });
  return loading;
}
