/** Data of the bars next to an example: the median times of its recorded session. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const assets = path.resolve(import.meta.dirname, '../../assets');

/** A variant's median time, its device, and whether its result is correct. */
interface Bar {
  readonly time_s: number;
  readonly device: 'cpu' | 'cuda';
  readonly right: boolean;
}

interface SessionSummary {
  readonly sweep: unknown;
  readonly reports: readonly {
    readonly scenario: string;
    readonly entries: readonly {
      readonly status: string;
      readonly time_s: number;
      readonly device: 'cpu' | 'cuda';
      readonly verdict: string;
    }[];
  }[];
}

/** JSON files below a folder, by name, with their paths. */
function filesBelow(folder: string): readonly string[] {
  return readdirSync(path.join(assets, folder), { recursive: true, encoding: 'utf8' })
    .map((file) => file.split(path.sep).join('/'))
    .filter((file) => file.endsWith('.json'))
    .sort();
}

const read = (...parts: readonly string[]): unknown => JSON.parse(readFileSync(path.join(assets, ...parts), 'utf8'));

/**
 * Bars by file below assets/scenarios. Of the sessions with that name, uses the one with the most variants; sweeps are
 * left out.
 */
export function exampleBars(): Readonly<Record<string, readonly Bar[]>> {
  const sessions = filesBelow('runs')
    .map((file) => read('runs', file) as SessionSummary)
    .filter(({ sweep }) => sweep === null || sweep === undefined);
  const bars: Record<string, readonly Bar[]> = {};
  for (const file of filesBelow('scenarios')) {
    const { name } = read('scenarios', file) as { name: string };
    const found = sessions
      .flatMap(({ reports }) => reports.slice(-1))
      .filter(({ scenario }) => scenario === name)
      .map(({ entries }) => entries.filter(({ status }) => status === 'measured'))
      .reduce<SessionSummary['reports'][0]['entries']>((most, one) => (one.length > most.length ? one : most), []);
    if (found.length < 2) continue;
    bars[file] = found.map(({ time_s, device, verdict }) => ({
      time_s: Number(time_s.toPrecision(3)),
      device,
      right: verdict !== 'wrong',
    }));
  }
  return bars;
}
