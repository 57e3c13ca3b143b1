/** Plotly's core, which draws lines and dots, with the one further kind of trace that charts use. */

import bar from 'plotly.js/lib/bar';
import * as Plotly from 'plotly.js/lib/core';
import waterfall from 'plotly.js/lib/waterfall';

Plotly.register([bar, waterfall]);

export default Plotly;
