/**
 * Plotly plots that do not use this program's axes, such as heat maps. Redrawn when their size or the theme changes.
 */

import type { Data, Layout } from 'plotly.js/lib/core';
import { messageOf } from '../../../electron/contract/errors.ts';
import type { FrameScheduler } from '../scheduler.ts';
import { type DrawingTheme, onThemeChange, readDrawingTheme } from '../theme.ts';
import { LastDrawn, loadedFonts } from './last-drawn.ts';
import { loadPlotly, type Plotly } from './plotly.ts';

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
  readonly #last = new LastDrawn();
  #plotly: Plotly | null = null;
  #make: PlotlyMaker | null = null;
  #gone = false;

  constructor(host: HTMLElement, scheduler: FrameScheduler, failed: (reason: string) => void) {
    this.#host = host;
    this.#scheduler = scheduler;
    this.#resize = new ResizeObserver(this.#soon);
    this.#resize.observe(host);
    this.#stopTheme = onThemeChange(this.#soon);
    loadPlotly().then(
      (plotly) => {
        this.#plotly = plotly;
        this.#soon();
      },
      (error: unknown) => failed(messageOf(error)),
    );
  }

  show(make: PlotlyMaker): void {
    this.#make = make;
    this.#soon();
  }

  dispose(): void {
    this.#gone = true;
    this.#stopTheme();
    this.#resize.disconnect();
    this.#scheduler.cancel(this.#draw);
    this.#plotly?.purge(this.#host);
    this.#host.replaceChildren();
  }

  readonly #soon = (): void => {
    if (!this.#gone) this.#scheduler.request(this.#draw);
  };

  readonly #draw = (): void => {
    const [plotly, make] = [this.#plotly, this.#make];
    const { clientWidth: width, clientHeight: height } = this.#host;
    if (this.#gone || plotly === null || make === null || width === 0 || height === 0) return;
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
