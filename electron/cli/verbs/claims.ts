/** `braggbench claims`: published claims beside what the recorded sessions measured. */
import { cardCounts, cardsWords, onSeveralCards } from '../../../renderer/base/claim-cards.ts';
import { claimedText } from '../../../renderer/base/claims.ts';
import type { ClaimFinding, ClaimTableRow, TableClaim } from '../../contract/bench/claim-table.ts';
import { claimTable } from '../../host/app/claim-table/index.ts';
import { hasFlag, jsonFlag } from '../arguments.ts';
import { assetsFolder } from '../assets-folder.ts';
import { exitCodes } from '../exit-codes.ts';
import { significant } from '../numbers.ts';
import { table } from '../table.ts';
import type { Verb } from '../verb.ts';

function measured(value: number | null, unit: string): string {
  if (value === null) return '–';
  return unit === '×' ? `${significant(value, 3)}×` : `${significant(value, 3)} ${unit}`.trimEnd();
}

const titles = ['Claimed', 'Measured', '95 % interval', 'Verdict', 'By', 'Session in assets/runs'] as const;

const isMeasured = ({ value }: ClaimFinding): boolean => value !== null;

function cells(claim: TableClaim, { value, interval, unit, verdict, by, file, at }: ClaimFinding): readonly string[] {
  const ends = interval === null ? '–' : `${significant(interval.low, 3)}–${significant(interval.high, 3)}`;
  const where = at === null ? file : `${file} at ${at}`;
  return [claimedText(claim, unit), measured(value, unit), ends, verdict, by, where];
}

/** What a claim is about, beside its words. */
function aboutText(claim: TableClaim): readonly string[] {
  const { about, remark, reason } = claim;
  const cards = cardsWords(claim);
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

/** The range of what was measured for one claim. */
function range({ findings }: TableClaim): string {
  const found = findings.filter(isMeasured);
  const values = found.map(({ value }) => value ?? Number.NaN);
  if (values.length === 0) return '–';
  const [low, high] = [Math.min(...values), Math.max(...values)].map((value) => measured(value, found[0]?.unit ?? ''));
  return low === high ? `${high}` : `${low?.replace(/\D+$/, '')}–${high}`;
}

/** A line for each claim, over all that isolates it. */
function markdown(rows: readonly ClaimTableRow[]): readonly string[] {
  const line = (words: readonly string[]) => `| ${words.join(' | ')} |`;
  const name = (file: string) => `\`${file.replace(/^micro\/|\.json$/g, '')}\``;
  return [
    line(['', 'Claim', 'Claimed', 'Measured', 'Verdict', 'Sessions']),
    line(['--:', '---', '--:', '--:', '---', '---']),
    ...rows.flatMap(({ row, claims }) =>
      claims.map((claim, i) => {
        const found = claim.findings.filter(isMeasured);
        const sessions = [...new Set(found.map(({ file }) => name(file)))].join(', ');
        const claimed = claim.reason === null ? claimedText(claim, claim.unit) : '';
        const verdict = claim.reason ?? claim.verdict;
        return line([i === 0 ? String(row) : '', claim.claim, claimed, range(claim), verdict, sessions]);
      }),
    ),
  ];
}

/** What of one machine's verdicts holds on another, and how much rests on one machine alone. */
function byCards(rows: readonly ClaimTableRow[]): readonly string[] {
  const line = (words: readonly string[]) => `| ${words.join(' | ')} |`;
  const several = onSeveralCards(rows);
  const machines = [
    ...new Set(rows.flatMap(({ claims }) => claims.flatMap(({ cards }) => cards)).map((one) => one.machine)),
  ].sort();
  const said = ({ value, unit, verdict }: ClaimFinding): string => `${measured(value, unit)}, ${verdict}`;
  return [
    line(['Claim', 'By', 'Scenario', ...machines, 'Holds']),
    line(['---', '---', '---', ...machines.map(() => '---'), '---']),
    ...several.map(({ claim, by, scenario, found, holds }) => {
      const on = machines.map((machine) => found.find((one) => one.machine === machine));
      return line([claim, by, scenario, ...on.map((one) => (one === undefined ? '–' : said(one))), holds]);
    }),
    '',
    line(['Claims recorded on', 'Claims']),
    line(['---', '--:']),
    ...[...cardCounts(rows)].sort().map(([text, count]) => line([text, String(count)])),
  ];
}

export const claims: Verb = {
  name: 'claims',
  aliases: ['ledger'],
  usage: 'claims [--json | --markdown | --cards]',
  summary: 'show published claims beside what recorded sessions measured',
  details: [
    'Lists the claims about GPU kernels that published notes make, row by row. Each says what it is about, and what the recorded sessions give for the pair of variants that isolates it. Only a whole interval decides: inside what was claimed it is as claimed, outside less or more, else undecided. One number holds within its tolerance, 20 % unless the claim has its own. Faster means more than 1 % beyond. Fewer than five repetitions judge nothing. Cycles and other numbers that a variant tells of itself are told for each sample, with an interval of their own; older sessions told them once, which judges nothing.',
    'A claim about CuPy, PyTorch, the C program or a consumer GPU is judged by nothing else. Measured numbers stand beside it, and it says what it needs. Sweeps give a verdict for each part of their range.',
    'Measure a row on your own machine with braggbench bench SCENARIO; its report ends with the same comparison.',
  ],
  flags: [
    jsonFlag,
    { name: 'markdown', help: 'Print a table in Markdown.' },
    {
      name: 'cards',
      help: 'Print, in Markdown, what several GPUs measured of one problem, and how many claims rest on one GPU.',
    },
  ],
  examples: ['braggbench claims', 'braggbench claims --markdown', 'braggbench claims --cards'],
  operands: { min: 0, max: 0, name: 'nothing' },
  run: async ({ parsed, terminal }) => {
    const rows = await claimTable(assetsFolder());
    if (hasFlag(parsed, 'json')) {
      terminal.printJson({ rows });
      return exitCodes.done;
    }
    if (hasFlag(parsed, 'markdown')) {
      for (const line of markdown(rows)) terminal.print(line);
      return exitCodes.done;
    }
    if (hasFlag(parsed, 'cards')) {
      for (const line of byCards(rows)) terminal.print(line);
      return exitCodes.done;
    }
    const bold = (text: string): string => terminal.style('bold', text);
    const columns = titles.map((title) => ({ title }));
    for (const { row, title, source, scenarios, claims: own } of rows) {
      terminal.print(bold(`${row}  ${title}`));
      terminal.print(`   ${source}; ${scenarios.join(', ')}`);
      for (const claim of own) {
        terminal.print(`   ${bold(claim.claim)}: ${claim.verdict}`);
        for (const text of aboutText(claim)) terminal.print(`   ${text}`);
        const found = claim.findings.filter(isMeasured);
        if (found.length === 0) continue;
        const lines = found.map((finding) => cells(claim, finding));
        for (const line of table(columns, lines, { styleTitle: bold, width: terminal.width })) terminal.print(line);
      }
      terminal.print();
    }
    return exitCodes.done;
  },
};
