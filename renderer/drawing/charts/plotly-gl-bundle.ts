/** Traces for many points, which are drawn by WebGL: loaded with the first chart that has them. */
import scattergl from 'plotly.js/src/traces/scattergl/strict';

export default [scattergl] as unknown[];
