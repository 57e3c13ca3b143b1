/** `braggbench claims`: compares published claims with recorded sessions. */
import type { ClaimFinding, ClaimTableRow, TableClaim } from '../../contract/bench/claim-table.ts';
import { defaultKind, suggestSimilarWord } from '../../contract/scenario/index.ts';
import {
  answerCounts,
  answersByGpuText,
  briefAnswer,
  claimedText,
  claimId,
  findingsOnSeveralMachines,
  gpuAnswerCounts,
} from '../../domain/claim-texts.ts';
import { plainDigits } from '../../domain/numbers.ts';
import { readableUnit } from '../../domain/values/units.ts';
import { claimTable } from '../../host/api/benches.ts';
import { hasFlag, jsonFlag, UsageError } from '../arguments.ts';
import { assetsFolder } from '../assets-folder.ts';
import { truncateLine } from '../progress-bar.ts';
import { formatTable, wrap } from '../table.ts';
import type { Terminal } from '../terminal.ts';
import { WIDTH } from '../terminal.ts';
import { exitCodes, type Verb } from '../verb.ts';

function formatMeasuredValue(value: number | null, unit: string): string {
  if (value === null) return '–';
  const read = readableUnit(unit, [value]);
  const text = plainDigits(read.factor * value, 3);
  return unit === '×' ? `${text}×` : `${text} ${read.unit}`.trimEnd();
}

const isMeasured = ({ value }: ClaimFinding): boolean => value !== null;

const columns = ['Measured', '95 % interval', 'Verdict', 'Session in assets/runs'].map((title) => ({ title }));

function findingCells({ value, interval, unit, verdict, file, at }: ClaimFinding): readonly string[] {
  // Use the unit of the measured value, which is in the previous column.
  const { factor } = readableUnit(unit, [value ?? 0]);
  const ends =
    interval === null ? '–' : `${plainDigits(factor * interval.low, 3)}–${plainDigits(factor * interval.high, 3)}`;
  return [`  ${formatMeasuredValue(value, unit)}`, ends, verdict, at === null ? file : `${file} at ${at}`];
}

/** Table of all findings for a claim. Each pair or variant has a heading with the claimed value in its unit. */
function findingLines(claim: TableClaim, styleTitle: (text: string) => string): readonly string[] {
  const groups = [...Map.groupBy(claim.findings.filter(isMeasured), ({ by, what }) => `${by}: ${what}`)];
  const [head = '', ...lines] = formatTable(
    columns,
    groups.flatMap(([, own]) => own.map(findingCells)),
    { styleTitle },
  );
  let taken = 0;
  return groups.flatMap(([title, own], i) => {
    const rows = lines.slice(taken, taken + own.length);
    taken += own.length;
    const claimed = claimedText(claim, own[0]?.unit);
    return [...(i === 0 ? [head] : []), ...wrap(`${title} (claimed: ${claimed})`, WIDTH), ...rows];
  });
}

/** Lines about the subject of a claim. */
function subjectLines(claim: TableClaim): readonly string[] {
  const { about, remark, reason } = claim;
  const cards = answersByGpuText(claim);
  const parts =
    about === null
      ? []
      : [about.what, ...((about.size ?? '') ? [`${about.size}`] : []), ...(about.gpu ? [about.gpu] : [])];
  return [
    ...(parts.length === 0 ? [] : [`About: ${parts.join('; ')}.`]),
    ...(reason === null ? [] : [reason]),
    ...(remark === null ? [] : [remark]),
    ...(cards === null ? [] : [cards]),
  ];
}

/** Markdown table with a line for each claim. */
function markdownTable(rows: readonly ClaimTableRow[]): readonly string[] {
  const line = (words: readonly string[]) => `| ${words.join(' | ')} |`;
  return [
    line(['', 'Claim', 'Claimed', 'Answer', 'Id']),
    line(['--:', '---', '--:', '---', '---']),
    ...rows.flatMap(({ row, claims }) =>
      claims.map((claim, i) => {
        const claimed = claim.reason === null ? claimedText(claim, claim.unit) : '';
        return line([i === 0 ? String(row) : '', claim.claim, claimed, claim.answer.sentence, `\`${claimId(claim)}\``]);
      }),
    ),
  ];
}

/**
 * Verdicts on claims that several machines measured, with one column per machine. Also the number of claims for each
 * set of machines.
 */
function gpuComparisonLines(rows: readonly ClaimTableRow[]): readonly string[] {
  const line = (words: readonly string[]) => `| ${words.join(' | ')} |`;
  const several = findingsOnSeveralMachines(rows);
  const machines = [
    ...new Set(rows.flatMap(({ claims }) => claims.flatMap(({ cards }) => cards)).map((one) => one.machine)),
  ].sort();
  const said = ({ value, unit, verdict }: ClaimFinding): string => `${formatMeasuredValue(value, unit)}, ${verdict}`;
  return [
    line(['Claim', 'By', 'Scenario', ...machines, 'Agreement']),
    line(['---', '---', '---', ...machines.map(() => '---'), '---']),
    ...several.map(({ claim, by, scenario, found, holds }) => {
      const on = machines.map((machine) => found.find((one) => one.machine === machine));
      return line([claim, by, scenario, ...on.map((one) => (one === undefined ? '–' : said(one))), holds]);
    }),
    '',
    line(['Claims recorded on', 'Claims']),
    line(['---', '--:']),
    ...[...gpuAnswerCounts(rows)].sort().map(([text, count]) => line([text, String(count)])),
  ];
}

/** Prints one line per claim, and the number of true claims. */
function printAnswers(rows: readonly ClaimTableRow[], terminal: Terminal): void {
  const all = rows.flatMap(({ claims: own }) => own);
  terminal.print(terminal.style('bold', answerCounts(all)));
  terminal.print();
  const lines = all.map((claim) => [claimId(claim), claim.claim, briefAnswer(claim)]);
  const titles = ['Id', 'Claim', 'Answer'].map((title) => ({ title }));
  const styleTitle = (text: string): string => terminal.style('bold', text);
  for (const line of formatTable(titles, lines, { styleTitle })) terminal.print(truncateLine(line, WIDTH + 1));
  terminal.print();
  terminal.print('braggbench claims ID shows the measurements, and how to decide an open claim.');
}

/** Prints all findings for one claim. Throws UsageError for an unknown id. */
function printClaim(rows: readonly ClaimTableRow[], wanted: string, terminal: Terminal): void {
  const all = rows.flatMap(({ claims: own, ...row }) => own.map((claim) => ({ claim, row })));
  const found = all.find(({ claim }) => claimId(claim) === wanted);
  if (found === undefined) {
    const near = suggestSimilarWord(
      wanted,
      all.map(({ claim }) => claimId(claim)),
    );
    const hint = near === null ? '' : ` (did you mean ${near}?)`;
    throw new UsageError(`${JSON.stringify(wanted)} is not a known claim${hint}; braggbench claims lists them`);
  }
  const { claim, row } = found;
  const bold = (text: string): string => terminal.style('bold', text);
  const folder = claim.workload === defaultKind ? /^[^/]*$/ : new RegExp(`^${claim.workload}/${claim.bench}`);
  const scenarios = row.scenarios.filter((file) => folder.test(file)).join(', ');
  const texts = [`${claim.source}; ${scenarios}`, ...subjectLines(claim)];
  for (const line of wrap(`${claim.claim}: ${claim.answer.sentence}`, WIDTH)) terminal.print(bold(line));
  for (const line of texts.flatMap((text) => wrap(text, WIDTH))) terminal.print(line);
  // Do not wrap the command, so that it can be copied.
  if (claim.answer.command !== null) terminal.print(`Command that would decide it: ${claim.answer.command}`);
  if (!claim.findings.some(isMeasured)) return;
  terminal.print();
  for (const line of findingLines(claim, bold)) terminal.print(line);
}

export const claims: Verb = {
  name: 'claims',
  usage: 'claims [ID] [--json | --markdown | --cards]',
  summary: 'show which published claims hold in recorded sessions',
  details: [
    'Judges each published claim about GPU kernels, one line per claim: true, true when, not true, or open. With an ID it shows every measurement used, and the command that would decide an open claim.',
    'If the claim states a size, only measurements at that size count; otherwise all do. A measurement counts only if its whole 95 % interval is inside or outside the claimed range. A single number has a tolerance of 20 % unless the claim gives its own. Faster means more than 1 % faster. Fewer than five repetitions decide nothing.',
    'A claim about CuPy, PyTorch, the C program or a consumer GPU is judged only by measurements of that program or GPU.',
  ],
  flags: [
    jsonFlag,
    { name: 'markdown', help: 'Print a table in Markdown.' },
    {
      name: 'cards',
      help: 'Print, in Markdown, results of several GPUs for the same problem, and how many claims are based on one GPU.',
    },
  ],
  examples: ['braggbench claims', 'braggbench claims launch/launch-cost', 'braggbench claims --cards'],
  operands: { min: 0, max: 1, name: 'the id of a claim' },
  run: async ({ parsed, terminal }) => {
    const rows = await claimTable(assetsFolder());
    if (hasFlag(parsed, 'json')) {
      terminal.printJson({ rows });
      return exitCodes.done;
    }
    if (hasFlag(parsed, 'markdown')) {
      for (const line of markdownTable(rows)) terminal.print(line);
      return exitCodes.done;
    }
    if (hasFlag(parsed, 'cards')) {
      for (const line of gpuComparisonLines(rows)) terminal.print(line);
      return exitCodes.done;
    }
    const [wanted] = parsed.operands;
    if (wanted === undefined) printAnswers(rows, terminal);
    else printClaim(rows, wanted, terminal);
    return exitCodes.done;
  },
};
