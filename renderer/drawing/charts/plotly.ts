/** Plotly, loaded when the first chart is shown. */
export type Plotly = typeof import('plotly.js/lib/core');

let loading: Promise<Plotly> | null = null;

export function loadPlotly(): Promise<Plotly> {
  loading ??= import('./plotly-bundle.ts').then(({ default: module }) => {
    // The module is CommonJS: bundlers put it below `default`.
    const plotly: unknown = Reflect.get(module, 'default') ?? module;
    return plotly as Plotly;
  });
  // A failed load (a server that went away) is tried again with the next chart.
  loading.catch(() => {
    loading = null;
  });
  return loading;
}
