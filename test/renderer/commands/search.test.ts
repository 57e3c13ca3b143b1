import { describe, expect, it, vi } from 'vitest';
import type { Command } from '../../../renderer/commands/command.ts';
import { commandPath, searchCommands } from '../../../renderer/commands/search.ts';

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
  it('lists all of them until something is typed', () => {
    expect(found('  ')).toEqual(commands.map((command) => command.title));
  });

  it('puts the beginning of a title before a word of it, and that before its menu', () => {
    expect(found('run')).toEqual(['Run', 'Save run as…']);
    expect(found('appear')).toEqual(['Dark']);
    expect(found('d')).toEqual(['Dark', 'Dose map']);
  });

  it('wants every word, in any order', () => {
    expect(found('as save')).toEqual(['Save run as…']);
    expect(found('view map')).toEqual(['Dose map']);
    expect(found('view hologram')).toEqual([]);
  });

  it('finds a command by its keywords, after those that are named so', () => {
    const launch: Command = { ...make('Launch explorer', 'View', 'Panels'), keywords: 'Occupancy run waves' };
    const all = [launch, ...commands];
    const titles = (query: string): string[] => searchCommands(all, query).map(({ title }) => title);
    expect(titles('occupancy')).toEqual(['Launch explorer']);
    expect(titles('run')).toEqual(['Run', 'Save run as…', 'Launch explorer']);
    expect(titles('occupancy hologram')).toEqual([]);
  });

  it('names a command by where it stands', () => {
    expect(commandPath(make('Dark', 'View', 'Appearance'))).toEqual(['View', 'Appearance', 'Dark']);
    expect(commandPath(make('Hidden', null))).toEqual(['Hidden']);
  });
});
