// The bundle has no types; the types of Plotly's source package are a development dependency.
declare module 'plotly.js-cartesian-dist-min' {
  const plotly: typeof import('plotly.js/lib/core');
  export default plotly;
}
