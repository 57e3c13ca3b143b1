/** Studies of more than a day are not begun unasked, by what any machine takes and by what this one does. */
import { expect, test } from 'vitest';
import { refuseEndless } from '../../../electron/cli/studies/run.ts';
import { Terminal } from '../../../electron/cli/terminal.ts';

const DAY_S = 24 * 3600;
const silent = { isTTY: false, write: () => undefined };
const terminal = new Terminal(silent, silent, {});
const begun = (least_s: number | null, here_s: number | null, budget = {}) => ({
  ...{ folder: { folder: 'a.study', head: { least_s, points: 100 } }, here_s, budget },
});

test.each([
  [begun(400 * DAY_S, null), 100, 'a.study: the 100 points take at least 1.1 years one after the other.'],
  [begun(3600, 3 * DAY_S), 100, 'a.study: the 100 points take about 3.0 days on this machine.'],
  [begun(null, 3 * DAY_S), 50, 'a.study: the 50 points take about 1.5 days on this machine.'],
])('%j is refused', async (study, left, says) => {
  await expect(refuseEndless({ terminal }, study, left)).rejects.toThrow(`${says} Begin all the same with --yes`);
});

test.each([
  [begun(3600, null), 100],
  [begun(3600, 3 * DAY_S), 10],
  [begun(400 * DAY_S, null, { minutes: 5 }), 100],
])('%j is begun', async (study, left) => {
  await expect(refuseEndless({ terminal }, study, left)).resolves.toBeUndefined();
});
