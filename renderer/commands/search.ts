/** Finding commands by what the user types of them. */
import type { Command } from './command.ts';

/** As the palette shows it: `View › Appearance › Dark`. */
export function commandPath({ menu, submenu, title }: Command): readonly string[] {
  return [menu, submenu, title].filter((part) => part !== null && part !== undefined);
}

/** The higher the better: start of the title, start of a word, within a word, path, keywords. Null: no match. */
function rank(word: string, title: string, path: string, keywords: string): number | null {
  if (title.startsWith(word)) return 4;
  if (title.includes(` ${word}`)) return 3;
  if (title.includes(word)) return 2;
  if (path.includes(word)) return 1;
  return keywords.includes(word) ? 0 : null;
}

/** Commands that match every word of the query, the closest first, otherwise in the order given. */
export function searchCommands(commands: readonly Command[], query: string): readonly Command[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return commands;
  return commands
    .flatMap((command, order) => {
      const path = commandPath(command).join(' ').toLowerCase();
      const keywords = command.keywords?.toLowerCase() ?? '';
      const ranks = words.map((word) => rank(word, command.title.toLowerCase(), path, keywords));
      if (ranks.some((each) => each === null)) return [];
      const total = ranks.reduce<number>((sum, each) => sum + (each ?? 0), 0);
      return [{ command, order, total }];
    })
    .sort((a, b) => b.total - a.total || a.order - b.order)
    .map(({ command }) => command);
}
