import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { panelActions, panelKeywords } from '../../../renderer/base/panel-actions.ts';
import { panelSlots } from '../../../renderer/state/layout/defaults.ts';

const renderer = path.resolve(import.meta.dirname, '../../../renderer');
const sources = readdirSync(renderer, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.tsx'))
  .map((file) => readFileSync(path.join(renderer, file), 'utf8'))
  .join('\n');
const inSources = new Set([...sources.matchAll(/\b(?:data-)?action="([\w-]+)"/g)].map(([, control]) => control));

describe('what the palette offers of panels', () => {
  it('has a control in a panel for every action, and an action for every control', () => {
    const declared = new Set<string>(panelActions.map(({ control }) => control));
    // The menus' Benchmark presses this one.
    declared.add('benchmark');
    expect([...inSources].sort()).toEqual([...declared].sort());
  });

  it('names panels that exist, each control once, and every panel by further words', () => {
    const panels = panelSlots.map(({ id }) => id);
    expect(panelActions.filter(({ panel }) => !panels.includes(panel))).toEqual([]);
    const names = panelActions.map(({ panel, control }) => `${panel}.${control}`);
    expect(new Set(names).size).toBe(names.length);
    expect(Object.keys(panelKeywords).sort()).toEqual([...panels].sort());
  });
});
