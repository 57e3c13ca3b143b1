/** Every pair of colours used for text or controls meets WCAG 2.2 AA. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

const css = readFileSync(path.resolve(import.meta.dirname, '../../../../renderer/shells/styles/tokens.css'), 'utf8');

function colourTokens(theme: 'light' | 'dark'): ReadonlyMap<string, string> {
  const block = new RegExp(`data-theme="${theme}"\\]\\s*\\{([^}]*)\\}`).exec(css)?.[1] ?? '';
  return new Map(
    [...block.matchAll(/--([\w-]+):\s*(#[0-9a-f]{6})\b/g)].map(([, name = '', value = '']) => [name, value]),
  );
}

function luminance(hex: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const c = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrastRatio(a: string, b: string): number {
  const [high = 0, low = 0] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (high + 0.05) / (low + 0.05);
}

const grounds = ['canvas', 'surface', 'surface-raised', 'surface-sunken', 'surface-hover'];
const text: readonly (readonly [string, readonly string[]])[] = [
  ['text', [...grounds, 'surface-active', 'accent-soft']],
  ['text-muted', [...grounds, 'surface-active', 'accent-soft']],
  ['text-faint', ['surface', 'surface-raised', 'surface-sunken']],
  ['accent', ['surface', 'surface-raised', 'surface-sunken', 'accent-soft']],
  ['on-accent', ['accent-strong', 'accent-hover']],
  ['on-danger', ['danger-strong']],
  ['good', ['surface', 'surface-raised', 'good-soft']],
  ['warning', ['surface', 'surface-raised', 'warning-soft']],
  ['danger', ['surface', 'surface-raised', 'surface-sunken', 'danger-soft']],
  ['plot-r80', ['plot-surface', 'surface']],
  ['plot-reference', ['plot-surface', 'surface']],
];
/** Colours of frames of controls, lines of plots, and the focus ring. */
const graphics: readonly (readonly [string, readonly string[]])[] = [
  ['line-strong', ['surface', 'surface-raised', 'surface-sunken']],
  ['focus', ['surface', 'surface-raised', 'canvas']],
  ['plot-curve', ['plot-surface']],
  ...Array.from({ length: 8 }, (_, i) => [`series-${i + 1}`, ['plot-surface', 'surface']] as const),
];

describe.each(['light', 'dark'] as const)('the %s theme', (theme) => {
  const all = colourTokens(theme);
  const value = (name: string): string => {
    const found = all.get(name);
    if (found === undefined) throw new Error(`${theme} has no --${name}`);
    return found;
  };

  it.each(text)('text in %s has a contrast of 4.5 : 1', (name, backgrounds) => {
    for (const ground of backgrounds) {
      expect(contrastRatio(value(name), value(ground)), `${name} on ${ground}`).toBeGreaterThanOrEqual(4.5);
    }
  });

  it.each(graphics)('graphics in %s have a contrast of 3 : 1', (name, backgrounds) => {
    for (const ground of backgrounds) {
      expect(contrastRatio(value(name), value(ground)), `${name} on ${ground}`).toBeGreaterThanOrEqual(3);
    }
  });
});

it('both themes have the same tokens', () => {
  expect([...colourTokens('dark').keys()]).toEqual([...colourTokens('light').keys()]);
});
