/** Plotly's traces that draw by WebGL, without the code that it would make at run time: the page's policy forbids that. */
declare module 'plotly.js/src/traces/scattergl/strict';
declare module 'plotly.js/src/traces/parcoords/strict';
