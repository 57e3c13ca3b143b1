/** Plotly's core, which draws lines and dots, with the further kinds of traces that charts use. */

import bar from 'plotly.js/lib/bar';
import * as Plotly from 'plotly.js/lib/core';
import heatmap from 'plotly.js/lib/heatmap';
import waterfall from 'plotly.js/lib/waterfall';

Plotly.register([bar, heatmap, waterfall]);

export default Plotly;
