/** Windows of the axes of a chart: those that the user zoomed to, and those that Plotly shows at present. */
import type { Interval } from '../../../electron/contract/fields.ts';
import type { Scale } from '../scale.ts';
import type { Chart, ChartAxis } from './chart.ts';
import { axisSuffix } from './chart-plot.ts';
import type { StampedDots } from './dots-layer.ts';

/** Windows by axis: x0, y0, x1, … The horizontal axes of linked panes share x0. */
export type Windows = ReadonlyMap<string, Interval>;

const directions = ['x', 'y'] as const;

const nameOf = (chart: Chart, direction: 'x' | 'y', pane: number): string =>
  direction === 'x' && chart.linked === true ? 'x0' : `${direction}${pane}`;

/** Value of an axis at one of Plotly's coordinates, which are decimal logarithms on a logarithmic axis. */
const axisValue = ({ kind }: ChartAxis, coordinate: number): number => (kind === 'log' ? 10 ** coordinate : coordinate);

export class ChartZoom {
  #windows: Windows = new Map();

  reset(): void {
    this.#windows = new Map();
  }

  add(windows: Windows): void {
    this.#windows = new Map([...this.#windows, ...windows]);
  }

  /** The chart with the windows in place of the full ranges. */
  apply(chart: Chart): Chart {
    if (this.#windows.size === 0) return chart;
    const axis = (whole: ChartAxis, name: string): ChartAxis => {
      const window = this.#windows.get(name);
      return window === undefined ? whole : { ...whole, from: window[0], to: window[1] };
    };
    const panes = chart.panes.map((pane, i) => ({
      ...pane,
      x: axis(pane.x, nameOf(chart, 'x', i)),
      y: axis(pane.y, nameOf(chart, 'y', i)),
    }));
    return { ...chart, panes };
  }
}

/** Windows in an event `plotly_relayout`; empty if the event changes something else. */
export function requestedWindows(event: unknown, chart: Chart): Windows {
  const requested = new Map<string, Interval>();
  if (typeof event !== 'object' || event === null) return requested;
  for (const [i, pane] of chart.panes.entries()) {
    for (const direction of directions) {
      const name = `${direction}axis${axisSuffix(i)}`;
      const ends = [Reflect.get(event, `${name}.range[0]`), Reflect.get(event, `${name}.range[1]`)];
      if (!ends.every((end): end is number => typeof end === 'number')) continue;
      const [from = 0, to = 0] = ends.map((end) => axisValue(pane[direction], end));
      requested.set(nameOf(chart, direction, i), [from, to]);
    }
  }
  return requested;
}

/** Scales the horizontal window by `factor` about the position at `share` of it. `scale` maps the window to 0 … 1. */
export const windowAbout = (scale: Scale, share: number, factor: number): Windows =>
  new Map([['x0', [scale.toValue(share - share * factor), scale.toValue(share + (1 - share) * factor)] as const]]);

/** Dots in the windows that Plotly's axes show, except series hidden in the legend. */
export function shownDots(plot: HTMLElement, dots: readonly StampedDots[]): readonly StampedDots[] {
  const [layout, traces] = ['_fullLayout', '_fullData'].map((name) => Object(Reflect.get(plot, name)));
  const axis = (whole: ChartAxis, name: string): ChartAxis => {
    const range: unknown = Reflect.get(Object(Reflect.get(layout, name)), 'range');
    const ends = Array.isArray(range) ? range.map((end: unknown) => axisValue(whole, Number(end))) : [];
    return { ...whole, from: ends[0] ?? whole.from, to: ends[1] ?? whole.to };
  };
  return dots
    .filter(({ trace }) => Reflect.get(Object(Reflect.get(traces, trace)), 'visible') === true)
    .map((one) => {
      const [x, y] = directions.map((direction) => `${direction}axis${axisSuffix(one.at)}`);
      return { ...one, pane: { ...one.pane, x: axis(one.pane.x, x ?? ''), y: axis(one.pane.y, y ?? '') } };
    });
}
