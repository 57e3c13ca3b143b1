/** A figure as the page's exports take it, in the colours of the page's theme. */
import type { Figure as Exported } from '../export/figure.ts';
import { readDrawingTheme } from '../theme.ts';
import type { Figure, Ink } from './figure.ts';
import { paintFigure } from './paint.ts';

export function inkOf(element: Element = document.documentElement): (ink: Ink) => string {
  const style = getComputedStyle(element);
  return (ink) => style.getPropertyValue(`--${ink}`).trim();
}

/** `name` becomes the file's; `title` stands above the drawing. */
export function exported(figure: Figure, name: string, title: string): Extract<Exported, { readonly paint: unknown }> {
  const { width, height, arrays, notes } = figure;
  return {
    name,
    title,
    width,
    height,
    arrays,
    notes,
    paint: (context) => paintFigure(context, figure, { color: inkOf(), family: readDrawingTheme().family }),
  };
}
