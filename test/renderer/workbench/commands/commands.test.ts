import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { scenarioKindNames } from '../../../../electron/contract/scenario/index.ts';
import { panelActions, panelKeywords } from '../../../../renderer/base/panel-actions.ts';
import { isOfKind, panelSlots } from '../../../../renderer/state/layout/defaults.ts';
import {
  type Command,
  commandPath,
  matchesShortcut,
  parseShortcut,
  searchCommands,
  shortcutText,
} from '../../../../renderer/workbench/commands/command.ts';
import { pageWorkloads } from '../../../../renderer/workloads/index.ts';

const press = (
  key: string,
  modifiers: Partial<Record<'ctrlKey' | 'metaKey' | 'shiftKey' | 'altKey', boolean>> = {},
  code = '',
) => ({
  key,
  code,
  ctrlKey: false,
  metaKey: false,
  shiftKey: false,
  altKey: false,
  ...modifiers,
});

describe('keyboard shortcuts', () => {
  it('use Command on a Mac and Control elsewhere', () => {
    const save = parseShortcut('CmdOrCtrl+S');
    expect(matchesShortcut(save, press('s', { ctrlKey: true }), false)).toBe(true);
    expect(matchesShortcut(save, press('s', { metaKey: true }), false)).toBe(false);
    expect(matchesShortcut(save, press('s', { metaKey: true }), true)).toBe(true);
    expect(matchesShortcut(save, press('s', { ctrlKey: true }), true)).toBe(false);
  });

  it('require exactly their modifiers', () => {
    const redo = parseShortcut('CmdOrCtrl+Shift+Z');
    expect(matchesShortcut(redo, press('Z', { ctrlKey: true, shiftKey: true }), false)).toBe(true);
    expect(matchesShortcut(redo, press('z', { ctrlKey: true }), false)).toBe(false);
    expect(matchesShortcut(redo, press('z', { ctrlKey: true, shiftKey: true, altKey: true }), false)).toBe(false);
    expect(matchesShortcut(parseShortcut('Escape'), press('Escape'), false)).toBe(true);
  });

  it('use the key position if Alt changes the character of a key', () => {
    expect(matchesShortcut(parseShortcut('Alt+N'), press('˜', { altKey: true }, 'KeyN'), true)).toBe(true);
    expect(matchesShortcut(parseShortcut('Alt+0'), press('º', { altKey: true }, 'Digit0'), true)).toBe(true);
  });

  it('are displayed in the usual form of the platform', () => {
    expect(shortcutText('CmdOrCtrl+Shift+S', false)).toBe('Ctrl+Shift+S');
    expect(shortcutText('CmdOrCtrl+Shift+S', true)).toBe('⇧⌘S');
    expect(shortcutText('CmdOrCtrl+Enter', false)).toBe('Ctrl+Enter');
    expect(shortcutText('CmdOrCtrl+.', false)).toBe('Ctrl+.');
  });

  it('reject invalid entries in the handwritten table', () => {
    expect(() => parseShortcut('Ctl+S')).toThrow('Ctl+S is not a shortcut');
    expect(() => parseShortcut('CmdOrCtrl+')).toThrow();
  });
});

const renderer = path.resolve(import.meta.dirname, '../../../../renderer');
const sources = readdirSync(renderer, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.tsx'))
  .map((file) => readFileSync(path.join(renderer, file), 'utf8'))
  .join('\n');
const inSources = new Set([...sources.matchAll(/\b(?:data-)?action="([\w-]+)"/g)].map(([, control]) => control));

describe('panel actions in the palette', () => {
  it('correspond one to one to panel controls', () => {
    const declared = new Set<string>(panelActions.map(({ control }) => control));
    // The menu entry Benchmark uses this control.
    declared.add('benchmark');
    expect([...inSources].sort()).toEqual([...declared].sort());
  });

  it('name existing panels, each control once, and every panel has keywords', () => {
    const panels = panelSlots.map(({ id }) => id);
    expect(panelActions.filter(({ panel }) => !panels.includes(panel))).toEqual([]);
    const names = panelActions.map(({ panel, control }) => `${panel}.${control}`);
    expect(new Set(names).size).toBe(names.length);
    expect(Object.keys(panelKeywords).sort()).toEqual([...panels].sort());
  });

  it('number the panels of every workload in menu order', () => {
    const keys = scenarioKindNames.map((kind) =>
      panelSlots.filter((panel) => isOfKind(panel, kind, pageWorkloads)).flatMap(({ key }) => key ?? []),
    );
    expect(keys.map((of) => of.toSorted((a, b) => a - b))).toEqual(keys);
    expect(keys[scenarioKindNames.indexOf('transport')]).toEqual([1, 2, 3, 4, 5, 6]);
  });
});

const make = (title: string, menu: Command['menu'], submenu?: string): Command => ({
  id: title,
  title,
  menu,
  group: 1,
  enabled: true,
  run: vi.fn(),
  ...(submenu === undefined ? {} : { submenu }),
});
const commands = [
  make('Open scenario…', 'File'),
  make('Save run as…', 'File'),
  make('Run', 'Run'),
  make('Dark', 'View', 'Appearance'),
  make('Dose map', 'View', 'Panels'),
];
const found = (query: string): string[] => searchCommands(commands, query).map((command) => command.title);

describe('the search for commands', () => {
  it('lists all of them for an empty query', () => {
    expect(found('  ')).toEqual(commands.map((command) => command.title));
  });

  it('ranks a match at the beginning of a title before one at a later word, and that before a match in the menu name', () => {
    expect(found('run')).toEqual(['Run', 'Save run as…']);
    expect(found('appear')).toEqual(['Dark']);
    expect(found('d')).toEqual(['Dark', 'Dose map']);
  });

  it('requires every word, in any order', () => {
    expect(found('as save')).toEqual(['Save run as…']);
    expect(found('view map')).toEqual(['Dose map']);
    expect(found('view hologram')).toEqual([]);
  });

  it('finds a command by its keywords, listed after matching titles', () => {
    const launch: Command = { ...make('Launch explorer', 'View', 'Panels'), keywords: 'Occupancy run waves' };
    const all = [launch, ...commands];
    const titles = (query: string): string[] => searchCommands(all, query).map(({ title }) => title);
    expect(titles('occupancy')).toEqual(['Launch explorer']);
    expect(titles('run')).toEqual(['Run', 'Save run as…', 'Launch explorer']);
    expect(titles('occupancy hologram')).toEqual([]);
  });

  it('finds a command by its menu', () => {
    expect(commandPath(make('Dark', 'View', 'Appearance'))).toEqual(['View', 'Appearance', 'Dark']);
    expect(commandPath(make('Hidden', null))).toEqual(['Hidden']);
  });
});
