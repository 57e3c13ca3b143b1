/**
 * Every number of every recorded session as it is shown, beside what was shown when this was written: formats may
 * change under them, numbers may not. `vitest -u` writes them anew, where a number is meant to change.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { Session, SessionEntry } from '../../../../../electron/contract/bench/session.ts';
import { asSession, parseKeptSession, readKnown } from '../../../../../electron/host/app/sessions/index.ts';
import { loadAddon } from '../../../../../electron/host/io/addon/addon.ts';
import { assetsFolder } from '../../small-run.ts';

const folder = path.join(assetsFolder, 'runs');
const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.json'))
  .map((name) => name.split(path.sep).join('/'))
  .sort();

/** Words are free to change; these are what numbers decide. */
const decided = new Set(['verdict', 'status', 'stopped', 'mode', 'id', 'flag']);

function numbersIn(value: unknown, name: string, out: string[]): void {
  if (value !== null && typeof value === 'object') {
    for (const [key, one] of Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) numbersIn(one, key, out);
  } else if (typeof value === 'number' || typeof value === 'boolean' || value === null || decided.has(name)) {
    out.push(`${name} ${value}`);
  }
}

/** How many numbers, and what they are. */
function digest(value: unknown): string {
  const numbers: string[] = [];
  numbersIn(value, '', numbers);
  return `${numbers.length}:${createHash('sha256').update(numbers.join('\n')).digest('hex').slice(0, 12)}`;
}

function entryLine(entry: SessionEntry): string {
  if (entry.status === 'refused') return `${entry.label}: refused`;
  const { label, time_s, ratio, verdict } = entry;
  const interval = ratio.interval === null ? 'no interval' : `${ratio.interval.low} to ${ratio.interval.high}`;
  return `${label}: ${time_s} s, ratio ${ratio.value}, ${interval}, ${verdict}, all ${digest(entry)}`;
}

function lines(name: string, { reports, sweep }: Session): readonly string[] {
  return reports.flatMap(({ entries, external, claims, document: _, resources: __, factorials: ___, ...rest }, i) => [
    `# ${name}, report ${i}: ${digest(rest)}, external ${digest(external)}, claims ${digest(claims)}, sweep ${digest(sweep)}`,
    ...entries.map(entryLine),
  ]);
}

test('every recorded session shows the numbers that it showed', async () => {
  const known = await readKnown(loadAddon(), assetsFolder);
  const all = names.flatMap((name) => {
    const session = asSession(parseKeptSession(readFileSync(path.join(folder, name), 'utf8'), name), known);
    return lines(name, session);
  });
  expect(names.length).toBeGreaterThanOrEqual(60);
  await expect(`${all.join('\n')}\n`).toMatchFileSnapshot('recorded-numbers.txt');
});
