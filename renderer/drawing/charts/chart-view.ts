/**
 * A chart on the page, drawn by Plotly, with its dots and cursor lines as overlays. Reports pointer and key input to
 * its owner in axis units. Independent of React and the stores.
 */
import type { Data, Layout } from 'plotly.js/lib/core';
import { messageOf } from '../../../electron/contract/errors.ts';
import type { Interval } from '../../../electron/contract/fields.ts';
import type { Box } from '../axes.ts';
import type { Figure } from '../export/figure.ts';
import { scaleOf } from '../figures/axes.ts';
import { inkOf } from '../figures/exported.ts';
import type { FigureAbout } from '../map-view.ts';
import type { FrameScheduler } from '../scheduler.ts';
import { onThemeChange, readDrawingTheme } from '../theme.ts';
import type { Chart } from './chart.ts';
import { CursorLines, valueAt } from './chart-cursor.ts';
import { chartPlot } from './chart-plot.ts';
import type { Brush } from './chart-traces.ts';
import { ChartZoom, requestedWindows, shownDots, type Windows, windowAbout } from './chart-zoom.ts';
import { DotsLayer, type StampedDots } from './dots-layer.ts';
import { DrawingCache, loadedFonts, loadPlotly, type Plotly } from './plotly.ts';
import { plottedFigure } from './plotted-figure.ts';

interface ChartOwner {
  /** Called with the pointer's position on the horizontal axis, and with null if the pointer is elsewhere. */
  hover?(at: number | null): void;
  pick?(at: number): void;
  /** Called when a point with an id is clicked. */
  pickPoint?(id: number): void;
  /** Requests a horizontal window; without this callback the chart zooms by itself. */
  zoom?(window: Interval): void;
  /** Requests the full range. */
  reset?(): void;
  /** Milliseconds between drawings while the chart changes continuously: Plotly needs about 10 ms per drawing. */
  pace?(): number;
  /** Reports that Plotly could not be loaded. */
  failed?(reason: string): void;
}

interface ChartViewOptions {
  /** True to use the chart's preferred height, false to fill the container. */
  readonly tall?: boolean;
}

/** Maximum pointer movement of a click, in pixels. */
const CLICK = 4;
/** Share of the axis that an arrow key moves the cursor by; ten times that with Shift. */
const KEY_STEP = 0.01;
const KEY_ZOOM = 1.5;
/** Minimum width of a chart in CSS pixels; a narrower container scrolls. */
const MIN_CHART_WIDTH = 420;

export class ChartView {
  readonly #host: HTMLElement;
  readonly #plot: HTMLElement;
  readonly #scheduler: FrameScheduler;
  readonly #owner: ChartOwner;
  readonly #tall: boolean;
  readonly #listening = new AbortController();
  readonly #stopTheme: () => void;
  readonly #resize: ResizeObserver;
  readonly #lines: CursorLines;
  readonly #zoom = new ChartZoom();
  #plotly: Plotly | null = null;
  #chart: Chart | null = null;
  #boxes: readonly Box[] = [];
  readonly #last = new DrawingCache();
  readonly #layer = new DotsLayer();
  #dots: readonly StampedDots[] = [];
  #brush: Brush | null = null;
  #drawn = 0;
  #drawing = false;
  /** True if the chart changed while Plotly was drawing; it is then drawn again. */
  #isOutdated = false;
  #later: ReturnType<typeof setTimeout> | null = null;
  #disposed = false;

  constructor(
    host: HTMLElement,
    scheduler: FrameScheduler,
    owner: ChartOwner = {},
    { tall = false }: ChartViewOptions = {},
  ) {
    this.#host = host;
    this.#scheduler = scheduler;
    this.#owner = owner;
    this.#tall = tall;
    this.#lines = new CursorLines(host);
    this.#plot = document.createElement('div');
    this.#plot.className = 'chart-plot__plot wide';
    host.append(this.#plot);
    this.#resize = new ResizeObserver(this.#scheduleDraw);
    this.#resize.observe(host);
    this.#stopTheme = onThemeChange(this.#scheduleDraw);
    this.#listen();
    loadPlotly().then(
      (plotly) => {
        if (this.#disposed) return;
        this.#plotly = plotly;
        this.#scheduleDraw();
      },
      (error: unknown) => owner.failed?.(messageOf(error)),
    );
  }

  /** Shows the chart; null clears the plot. */
  show(chart: Chart | null): void {
    if (this.#chart?.title !== chart?.title) this.#zoom.reset();
    this.#chart = chart;
    this.#scheduleDraw();
  }

  /** Sets the pointer position on the horizontal axis and the mark shared by all panels; null hides either. */
  setCursor(at: number | null, mark: number | null): void {
    if (this.#lines.set(at, mark)) this.#scheduler.request(this.#place);
  }

  /** Figure of the current chart for export. Null if the chart is empty or has no width. */
  figure(about: FigureAbout): Figure | null {
    const { clientWidth: width, clientHeight: height } = this.#host;
    if (this.#chart === null || width <= 0) return null;
    return plottedFigure(this.#zoom.apply(this.#chart), about, { width, height });
  }

  dispose(): void {
    this.#disposed = true;
    if (this.#later !== null) clearTimeout(this.#later);
    this.#listening.abort();
    this.#stopTheme();
    this.#resize.disconnect();
    this.#scheduler.cancel(this.#draw);
    this.#scheduler.cancel(this.#place);
    this.#scheduler.cancel(this.#paintDots);
    this.#plotly?.purge(this.#plot);
    this.#host.replaceChildren();
  }

  readonly #scheduleDraw = (): void => {
    if (this.#later !== null || this.#disposed) return;
    const wait = Math.max(0, (this.#owner.pace?.() ?? 0) - (performance.now() - this.#drawn));
    const ask = (): void => {
      this.#later = null;
      this.#scheduler.request(this.#draw);
    };
    if (wait === 0) ask();
    else this.#later = setTimeout(ask, wait);
  };

  /** The chart with its axes limited to the zoomed windows. */
  get #zoomed(): Chart | null {
    return this.#chart === null ? null : this.#zoom.apply(this.#chart);
  }

  readonly #draw = (): void => {
    if (this.#drawing) this.#isOutdated = true;
    const [plotly, chart] = [this.#plotly, this.#chart];
    const { clientWidth, clientHeight } = this.#host;
    if (this.#disposed || this.#drawing || plotly === null || clientWidth === 0) return;
    if (chart === null) {
      this.#clear(plotly);
      return;
    }
    if (!this.#tall && clientHeight === 0) return;
    const theme = readDrawingTheme(this.#host);
    const size = { width: this.#tall ? Math.max(MIN_CHART_WIDTH, clientWidth) : clientWidth, label: theme.labelSize };
    this.#brush = { theme, color: inkOf(this.#host) };
    const given = this.#tall ? null : clientHeight;
    const { data, layout, height, boxes, dots } = chartPlot(this.#zoom.apply(chart), size, given, this.#brush);
    if (this.#tall) this.#plot.style.height = `${height}px`;
    this.#boxes = boxes;
    this.#dots = dots;
    if (!this.#last.isNew([data, layout, loadedFonts()])) {
      this.#paintDots();
      this.#place();
      return;
    }
    this.#react(plotly, data, layout);
  };

  #clear(plotly: Plotly): void {
    this.#boxes = [];
    this.#dots = [];
    plotly.purge(this.#plot);
    this.#last.forget();
    this.#place();
  }

  #react(plotly: Plotly, data: Data[], layout: Partial<Layout>): void {
    this.#drawing = true;
    this.#drawn = performance.now();
    const first = !this.#plot.classList.contains('js-plotly-plot');
    plotly
      .react(this.#plot, data, layout, { displayModeBar: false, responsive: false, doubleClick: false })
      .then(
        () => {
          if (this.#disposed) return;
          if (first) this.#listenToPlotly();
          this.#paintDots();
          this.#place();
        },
        (error: unknown) => {
          this.#last.forget();
          reportError(error);
        },
      )
      .finally(() => {
        this.#drawing = false;
        if (this.#isOutdated && !this.#disposed) this.#scheduleDraw();
        this.#isOutdated = false;
      });
  }

  /** Forwards Plotly's events: clicks on points, zooming by dragging, and double clicks. */
  #listenToPlotly(): void {
    const emitter = this.#plot as HTMLElement & { on?: (name: string, listener: (event: unknown) => void) => void };
    emitter.on?.('plotly_click', (event) => {
      const points: unknown = typeof event === 'object' && event !== null ? Reflect.get(event, 'points') : null;
      const id: unknown = Array.isArray(points) ? Reflect.get(Object(points[0]), 'customdata') : null;
      if (typeof id === 'number') this.#owner.pickPoint?.(id);
    });
    // Repaint the dots: Plotly moves a dragged axis before its layout event, and a click on a legend name hides its
    // dots.
    for (const name of ['plotly_relayouting', 'plotly_afterplot'])
      emitter.on?.(name, () => {
        if (this.#dots.length > 0 && !this.#drawing) this.#scheduler.request(this.#paintDots);
      });
    // Plotly's drag cover is over the page while a button is down, so the host element gets no double click.
    emitter.on?.('plotly_doubleclick', () => this.#reset());
    emitter.on?.('plotly_relayout', (event) => {
      // Plotly has already moved its axes, so force the next drawing.
      this.#last.forget();
      if (this.#chart === null) return;
      const requested = requestedWindows(event, this.#chart);
      if (requested.size > 0) this.#zoomTo(requested);
    });
  }

  #zoomTo(windows: Windows): void {
    const across = windows.get('x0');
    if (this.#owner.zoom === undefined) this.#zoom.add(windows);
    else if (across !== undefined) this.#owner.zoom(across);
    this.#scheduleDraw();
  }

  #reset(): void {
    this.#zoom.reset();
    this.#owner.reset?.();
    this.#scheduleDraw();
  }

  #valueAt(event: MouseEvent): number | null {
    return valueAt(this.#zoomed, this.#boxes, ...this.#placeOf(event));
  }

  readonly #paintDots = (): void => {
    this.#showHoverText(null);
    if (this.#disposed || this.#brush === null) return;
    this.#layer.paint(this.#plot, shownDots(this.#plot, this.#dots), this.#brush);
  };

  /** Shows the hover text of the dot under the pointer. A null event hides it. */
  #showHoverText(event: MouseEvent | null): void {
    const at = event === null || event.buttons !== 0 ? null : this.#placeOf(event);
    if (this.#plotly !== null && this.#brush !== null)
      this.#layer.showHoverLabel(this.#plotly, this.#plot, this.#brush, at);
  }

  #placeOf({ clientX, clientY }: MouseEvent): readonly [left: number, top: number] {
    const { left, top } = this.#host.getBoundingClientRect();
    return [clientX - left, clientY - top];
  }

  /** Detects clicks as presses that end where they began, regardless of Plotly's drag cover. */
  #listenToClicks(clicked: (event: PointerEvent) => void): void {
    const options = { signal: this.#listening.signal, capture: true };
    let pressed: MouseEvent | null = null;
    this.#host.addEventListener('pointerdown', (event) => (pressed = event), options);
    const end = (event: PointerEvent): void => {
      const from = pressed;
      pressed = null;
      if (from === null || Math.hypot(event.clientX - from.clientX, event.clientY - from.clientY) > CLICK) return;
      clicked(event);
    };
    addEventListener('pointerup', end, options);
  }

  #pickDot(event: MouseEvent): void {
    const found = this.#layer.at(...this.#placeOf(event));
    const id = found?.dots.series.ids?.[found.i];
    if (id !== undefined) this.#owner.pickPoint?.(id);
  }

  #listen(): void {
    const options = { signal: this.#listening.signal };
    const { hover, pick } = this.#owner;
    this.#host.addEventListener('pointermove', (event) => this.#showHoverText(event), options);
    for (const name of ['pointerleave', 'pointerdown'] as const)
      this.#host.addEventListener(name, () => this.#showHoverText(null), options);
    this.#listenToClicks((event) => this.#pickDot(event));
    this.#host.addEventListener('dblclick', () => this.#reset(), options);
    if (hover !== undefined) {
      this.#host.addEventListener('pointermove', (event) => hover(this.#valueAt(event)), options);
      this.#host.addEventListener('pointerleave', () => hover(null), options);
    }
    if (pick !== undefined)
      this.#listenToClicks((event) => {
        const at = this.#valueAt(event);
        if (at !== null) pick(at);
      });
    this.#host.addEventListener('keydown', (event) => this.#key(event), options);
  }

  /** Arrow keys move the cursor, Enter picks, + and − zoom about the cursor, 0 shows the full range. */
  #key(event: KeyboardEvent): void {
    const axis = this.#zoomed?.panes[0]?.x;
    if (axis === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
    const scale = scaleOf(axis, 0, 1);
    const { cursor } = this.#lines;
    const share = cursor === null ? 0.5 : Math.min(1, Math.max(0, scale.toPixel(cursor)));
    const step = KEY_STEP * (event.shiftKey ? 10 : 1);
    const within = (value: number): number => scale.toValue(Math.min(1, Math.max(0, value)));
    const keys: Readonly<Record<string, (() => void) | undefined>> = {
      ArrowLeft: () => this.#owner.hover?.(within(share - step)),
      ArrowRight: () => this.#owner.hover?.(within(share + step)),
      Enter: () => this.#owner.pick?.(scale.toValue(share)),
      '+': () => this.#zoomTo(windowAbout(scale, share, 1 / KEY_ZOOM)),
      '-': () => this.#zoomTo(windowAbout(scale, share, KEY_ZOOM)),
      0: () => this.#reset(),
    };
    const act = keys[event.key];
    if (act === undefined) return;
    event.preventDefault();
    act();
  }

  readonly #place = (): void => this.#lines.place(this.#zoomed, this.#boxes);
}
