/** What is said of a claim in one line: over the values of a sweep, and over all that was measured. */
import type { ClaimFinding, ClaimMap } from '../../../contract/bench/claim-table.ts';
import type { Said } from '../../../contract/bench/claims.ts';

const UNITS = ['', 'k', 'M', 'G'] as const;

/** `4`, `64 kB`, `1 M`: bytes in thousands with their unit. */
export function valueText(value: number, path: string): string {
  const bytes = /bytes/.test(path);
  const step = Math.abs(value) < 1e4 && !bytes ? 0 : Math.min(3, Math.floor(Math.log10(Math.abs(value) || 1) / 3));
  const number = Number((value / 1000 ** step).toPrecision(4));
  const unit = `${UNITS[step]}${bytes ? 'B' : ''}`;
  return unit === '' ? String(number) : `${number} ${unit}`;
}

interface Point {
  readonly at: number;
  readonly verdict: string;
}

/** Neighbours of one verdict together, by rising value: `less at 1; as claimed from 4 to 8; more from 16 to 32`. */
export function overValues(points: readonly Point[], path: string): string {
  const runs: { verdict: string; from: number; to: number }[] = [];
  for (const { at, verdict } of [...points].sort((a, b) => a.at - b.at)) {
    const last = runs.at(-1);
    if (last?.verdict === verdict) last.to = at;
    else runs.push({ verdict, from: at, to: at });
  }
  return runs
    .map(({ verdict, from, to }) =>
      from === to
        ? `${verdict} at ${valueText(from, path)}`
        : `${verdict} from ${valueText(from, path)} to ${valueText(to, path)}`,
    )
    .join('; ');
}

interface Told extends Said {
  readonly reason: string | null;
  readonly findings: readonly Pick<ClaimFinding, 'verdict' | 'value' | 'at' | 'rival'>[];
  readonly maps: readonly ClaimMap[];
}

const lastName = (path: string): string => path.split('.').at(-1)?.replaceAll('_', ' ') ?? path;

/** What each series says over its sweep; those that say different things are named by what they differ in. */
function overSweeps(maps: readonly ClaimMap[]): readonly string[] {
  const all = maps.flatMap(({ path, machine, series }) =>
    series
      .filter(({ points }) => points.some(({ verdict }) => verdict !== 'not judged'))
      .map(({ by, told }) => ({ machine, by, text: `by ${lastName(path)}, ${told}` })),
  );
  const several = (of: (one: (typeof all)[number]) => string): boolean => new Set(all.map(of)).size > 1;
  if (!several(({ text }) => text)) return all.slice(0, 1).map(({ text }) => text);
  const [byPair, byMachine] = [several(({ by }) => by), several(({ machine }) => machine)];
  const named = all.map(({ by, machine, text }) => {
    const names = [...(byPair ? [by] : []), ...(byMachine ? [`on ${machine}`] : [])];
    return names.length === 0 ? text : `${text} (${names.join(' ')})`;
  });
  return [...new Set(named)];
}

/** Why nothing is said, else maps before single findings: a claim that depends on a size is true of sizes. */
export function verdictLine({ reason, needs, findings, maps }: Told): string {
  if (reason !== null) return 'not isolated';
  const all = findings.filter(({ value }) => value !== null);
  // Where the program itself was measured, what stands in its place says nothing more.
  const measured = needs === undefined ? all : all.filter(({ rival }) => rival === true);
  if (measured.length === 0) return needs === undefined ? 'not measured yet' : `not judged here: needs ${needs}`;
  const over = overSweeps(needs === undefined ? maps : []);
  if (over.length > 0) return over.join('. ');
  const verdicts = Map.groupBy(measured, ({ verdict }) => verdict);
  if (verdicts.size === 1) return measured[0]?.verdict ?? '';
  return [...verdicts].map(([verdict, all]) => `${verdict} in ${all.length} of ${measured.length}`).join(', ');
}
