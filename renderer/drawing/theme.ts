/** Colours and fonts for canvases, read from the page's design tokens. */

export interface DrawingTheme {
  readonly text: string;
  readonly textMuted: string;
  readonly axis: string;
  readonly grid: string;
  readonly surface: string;
  /** Background around the plot. */
  readonly paper: string;
  readonly accent: string;
  readonly crosshair: string;
  readonly crosshairHalo: string;
  readonly reference: string;
  /** Font family for `context.font`. */
  readonly family: string;
  /** Font sizes in CSS pixels at the current page scale. */
  readonly labelSize: number;
}

/** Reads the design tokens; call again after a change of theme. */
export function readDrawingTheme(element: Element = document.documentElement): DrawingTheme {
  const style = getComputedStyle(element);
  const token = (name: string): string => style.getPropertyValue(name).trim();
  const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize) || 16;
  return {
    text: token('--text'),
    textMuted: token('--text-muted'),
    axis: token('--plot-axis'),
    grid: token('--plot-grid'),
    surface: token('--plot-surface'),
    paper: token('--surface'),
    accent: token('--accent'),
    crosshair: token('--plot-crosshair'),
    crosshairHalo: token('--plot-crosshair-halo'),
    reference: token('--plot-reference'),
    family: token('--font'),
    labelSize: 0.6875 * rem,
  };
}

type Listener = () => void;
const listeners = new Set<Listener>();
let isObserving = false;

/**
 * Calls `listener` after a change of the theme or the system's preference, or when the fonts have loaded. Returns the
 * function that unsubscribes.
 */
export function onThemeChange(listener: Listener): () => void {
  listeners.add(listener);
  if (!isObserving) {
    isObserving = true;
    const all = (): void => {
      for (const each of listeners) each();
    };
    new MutationObserver(all).observe(document.documentElement, {
      attributes: true,
      attributeFilter: ['data-theme'],
    });
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', all);
    void document.fonts.ready.then(all);
  }
  return () => listeners.delete(listener);
}
