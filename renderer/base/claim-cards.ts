/** Transfer of verdicts between GPUs: statements about one problem from sessions of several machines. */
import type { ClaimFinding, ClaimTableRow, TableClaim } from '../../electron/contract/bench/claim-table.ts';

/** One statement of a claim about one problem, by every machine that measured it. */
interface OnCards {
  readonly claim: string;
  readonly by: string;
  readonly scenario: string;
  /** The last session of each machine, by the machine's name. */
  readonly found: readonly ClaimFinding[];
  readonly holds: string;
}

const decided = new Set(['as claimed', 'less', 'more']);

function comparedWords(found: readonly ClaimFinding[]): string {
  if (found.every(({ verdict }) => verdict === 'not judged')) return 'not judged';
  if (!found.every(({ verdict }) => decided.has(verdict))) return 'not decided on each';
  return new Set(found.map(({ verdict }) => verdict)).size === 1 ? 'the same verdict' : 'another verdict';
}

const byName = (a: ClaimFinding, b: ClaimFinding): number => (a.machine < b.machine ? -1 : 1);

function claimOnCards({ claim, findings }: TableClaim): readonly OnCards[] {
  const measured = findings.filter(({ value, counted }) => value !== null && counted === undefined);
  const statements = Map.groupBy(measured, ({ by, scenario, at }) => JSON.stringify([by, scenario, at]));
  return [...statements.values()].flatMap((all) => {
    const last = new Map(all.map((one) => [one.machine, one]));
    const found = [...last.values()].sort(byName);
    const [first] = found;
    if (first === undefined || found.length < 2) return [];
    return [{ claim, by: first.by, scenario: first.scenario, found, holds: comparedWords(found) }];
  });
}

/** Every statement that at least two machines made. */
export const onSeveralCards = (rows: readonly ClaimTableRow[]): readonly OnCards[] =>
  rows.flatMap(({ claims }) => claims.flatMap(claimOnCards));

/** Which machines measured a claim, for choosing among them: `NVIDIA H100, NVIDIA H200`; empty where none did. */
export const cardsText = ({ cards }: Pick<TableClaim, 'cards'>): string =>
  cards.map(({ machine }) => machine).join(', ');

/** Number of claims measured by each set of machines, by the text of the set. */
export function cardCounts(rows: readonly ClaimTableRow[]): ReadonlyMap<string, number> {
  const texts = rows.flatMap(({ claims }) => claims.map(cardsText)).filter((text) => text !== '');
  return new Map([...Map.groupBy(texts, (text) => text)].map(([text, all]) => [text, all.length]));
}

/** The answer by each machine, or a note that only one was measured. */
export function cardsWords({ cards }: Pick<TableClaim, 'cards'>): string | null {
  const [first, ...others] = cards;
  if (first === undefined) return null;
  if (others.length === 0) return `Recorded on ${first.machine} only.`;
  return cards.map(({ machine, answer }) => `On ${machine}: ${answer.sentence}.`).join(' ');
}
