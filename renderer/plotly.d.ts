/** Plotly's trace that draws by WebGL, without the code that it would make at run time: the page's policy forbids that. */
declare module 'plotly.js/src/traces/scattergl/strict';
