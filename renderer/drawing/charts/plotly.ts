/**
 * Loads Plotly and draws its plots that do not use this program's axes, such as heat maps. Redraws a plot when its size
 * or the theme changes.
 */
import type { Data, Layout } from 'plotly.js/lib/core';
import { messageOf } from '../../../electron/contract/errors.ts';
import type { FrameScheduler } from '../scheduler.ts';
import { type DrawingTheme, onThemeChange, readDrawingTheme } from '../theme.ts';

/** Plotly's bundle of cartesian charts, loaded when the first chart is shown. */
export type Plotly = typeof import('plotly.js-cartesian-dist-min').default;

let plotlyPromise: Promise<Plotly> | null = null;

export function loadPlotly(): Promise<Plotly> {
  plotlyPromise ??= import('plotly.js-cartesian-dist-min').then(({ default: plotly }) => plotly);
  // After a failed load (such as a lost server), the next chart tries again.
  plotlyPromise.catch(() => {
    plotlyPromise = null;
  });
  return plotlyPromise;
}

/**
 * Skips redundant drawings. Plotly recomputes the whole layout for each, and resize notifications are more frequent
 * than changes.
 */
export class DrawingCache {
  #key: string | null = null;

  /** Returns whether the request differs from the previous one, and stores it for the next comparison. */
  isNew(requested: unknown): boolean {
    const key = JSON.stringify(requested);
    if (key === this.#key) return false;
    this.#key = key;
    return true;
  }

  /** Forgets the last request. Call this when the plot shows something else. */
  forget(): void {
    this.#key = null;
  }
}

/** Number of loaded fonts. The layout must be repeated when a font loads, because text widths change. */
export const loadedFonts = (): number => [...document.fonts].filter(({ status }) => status === 'loaded').length;

interface PlotlySpec {
  readonly data: Data[];
  readonly layout: Partial<Layout>;
}

export type PlotlyMaker = (theme: DrawingTheme) => PlotlySpec;

export class PlotlyView {
  readonly #host: HTMLElement;
  readonly #scheduler: FrameScheduler;
  readonly #stopTheme: () => void;
  readonly #resize: ResizeObserver;
  readonly #last = new DrawingCache();
  #plotly: Plotly | null = null;
  #make: PlotlyMaker | null = null;
  #disposed = false;

  constructor(host: HTMLElement, scheduler: FrameScheduler, failed: (reason: string) => void) {
    this.#host = host;
    this.#scheduler = scheduler;
    this.#resize = new ResizeObserver(this.#scheduleDraw);
    this.#resize.observe(host);
    this.#stopTheme = onThemeChange(this.#scheduleDraw);
    loadPlotly().then(
      (plotly) => {
        this.#plotly = plotly;
        this.#scheduleDraw();
      },
      (error: unknown) => failed(messageOf(error)),
    );
  }

  show(make: PlotlyMaker): void {
    this.#make = make;
    this.#scheduleDraw();
  }

  dispose(): void {
    this.#disposed = true;
    this.#stopTheme();
    this.#resize.disconnect();
    this.#scheduler.cancel(this.#draw);
    this.#plotly?.purge(this.#host);
    this.#host.replaceChildren();
  }

  readonly #scheduleDraw = (): void => {
    if (!this.#disposed) this.#scheduler.request(this.#draw);
  };

  readonly #draw = (): void => {
    const [plotly, make] = [this.#plotly, this.#make];
    const { clientWidth: width, clientHeight: height } = this.#host;
    if (this.#disposed || plotly === null || make === null || width === 0 || height === 0) return;
    const theme = readDrawingTheme(this.#host);
    const { data, layout } = make(theme);
    const font = { family: theme.family, size: theme.labelSize, color: theme.textMuted };
    const common = { width, height, font, paper_bgcolor: 'rgba(0,0,0,0)', plot_bgcolor: theme.surface };
    const whole = { ...common, ...layout };
    if (!this.#last.isNew([data, whole, loadedFonts()])) return;
    plotly.react(this.#host, data, whole, { displayModeBar: false, responsive: false }).catch((error: unknown) => {
      this.#last.forget();
      reportError(error);
    });
  };
}
