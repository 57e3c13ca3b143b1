// The bundle has no types: those of its sources are for developers alone.
declare module 'plotly.js-cartesian-dist-min' {
  const plotly: typeof import('plotly.js/lib/core');
  export default plotly;
}
