/** Plotly, loaded when the first chart is shown. */
export type Plotly = typeof import('plotly.js/lib/core');

let loading: Promise<Plotly> | null = null;
let loadingGl: Promise<Plotly> | null = null;

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

/** With what draws many points. */
export function loadPlotlyGl(): Promise<Plotly> {
  loadingGl ??= Promise.all([loadPlotly(), import('./plotly-gl-bundle.ts')]).then(([plotly, { default: traces }]) => {
    const plain = traces.map((trace) => Reflect.get(trace as object, 'default') ?? trace);
    plotly.register(plain as Parameters<Plotly['register']>[0]);
    return plotly;
  });
  loadingGl.catch(() => {
    loadingGl = null;
  });
  return loadingGl;
}

let webGl: boolean | null = null;

/** Not on every machine, nor in every window. */
export function hasWebGl(): boolean {
  webGl ??= document.createElement('canvas').getContext('webgl') !== null;
  return webGl;
}
