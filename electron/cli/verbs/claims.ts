/** `braggbench claims`: published claims beside what the recorded sessions measured. */
import { claimedText } from '../../../renderer/base/claims.ts';
import { type ClaimRow, type Finding, findingsOfRow, readClaimTable } from '../../host/app/claim-table/index.ts';
import { hasFlag } from '../arguments.ts';
import { assetsFolder } from '../assets-folder.ts';
import { exitCodes } from '../exit-codes.ts';
import { significant } from '../numbers.ts';
import { table } from '../table.ts';
import type { Verb } from '../verb.ts';

function measured({ value, unit }: Finding): string {
  if (value === null) return '–';
  return unit === '×' ? `${significant(value, 3)}×` : `${significant(value, 3)} ${unit}`.trimEnd();
}

const cells = (finding: Finding): readonly string[] =>
  finding.reason === null
    ? [
        finding.claim,
        claimedText(finding, finding.unit),
        measured(finding),
        finding.verdict,
        finding.by ?? '',
        finding.session,
      ]
    : [finding.claim, '', '', finding.verdict, finding.reason, finding.session];

const titles = ['Claim', 'Claimed', 'Measured', 'Verdict', 'By', 'Session in assets/runs'] as const;

/** The range of what was measured for one claim, with the verdicts that occur; what some sessions leave out is not said. */
function together(findings: readonly Finding[]): readonly [measured: string, verdicts: string] {
  const measuredOnes = findings.filter(({ value }) => value !== null);
  const told = measuredOnes.length === 0 ? findings : measuredOnes;
  const verdicts = [...new Set(told.map(({ verdict }) => verdict))].join(', ');
  const [first] = told;
  if (first === undefined || measuredOnes.length === 0) return ['–', first?.reason ?? verdicts];
  const values = measuredOnes.map(({ value }) => value ?? Number.NaN);
  const [low, high] = [Math.min(...values), Math.max(...values)].map((value) => measured({ ...first, value }));
  return [low === high ? `${high}` : `${low?.replace(/\D+$/, '')}–${high}`, verdicts];
}

/** Findings grouped by claim; one that a session did not measure has no unit. */
const sameClaim = (findings: readonly Finding[]): readonly (readonly Finding[])[] => [
  ...Map.groupBy(findings, ({ claim, from, to }) => [claim, from, to].join()).values(),
];

/** A line for each claim of a row, over all that isolates it. */
function markdown(rows: readonly { readonly row: ClaimRow; readonly findings: readonly Finding[] }[]) {
  const line = (words: readonly string[]) => `| ${words.join(' | ')} |`;
  const name = (session: string) => `\`${session.replace(/^micro\/|\.json$/g, '')}\``;
  return [
    line(['', 'Claim', 'Claimed', 'Measured', 'Verdict', 'Sessions']),
    line(['--:', '---', '--:', '--:', '---', '---']),
    ...rows.flatMap(({ row, findings }) =>
      sameClaim(findings).map((same, i) => {
        const first = same.find(({ value }) => value !== null) ?? same[0];
        const range = first === undefined || first.reason !== null ? '' : claimedText(first, first.unit);
        const sessions = [...new Set(same.map(({ session }) => name(session)))].join(', ');
        return line([i === 0 ? String(row.row) : '', first?.claim ?? '', range, ...together(same), sessions]);
      }),
    ),
  ];
}

export const claims: Verb = {
  name: 'claims',
  aliases: ['ledger'],
  usage: 'claims [--json | --markdown]',
  summary: 'show published claims beside what recorded sessions measured',
  details: [
    'Lists the claims about GPU kernels that published notes make, row by row, each with what the recorded sessions of its scenarios gave. A claim is contradicted (less, more) only where the whole interval lies outside of what was claimed. It is as claimed only where the median lies inside. Else it is undecided, as where there were too few rounds for an interval. Numbers that a variant states of itself, such as a latency, have no interval.',
    'Measure a row on your own machine with braggbench bench SCENARIO; its report ends with the same comparison.',
  ],
  flags: [
    { name: 'json', help: 'Print one JSON document instead of text.' },
    { name: 'markdown', help: 'Print a table in Markdown.' },
  ],
  examples: ['braggbench claims', 'braggbench claims --markdown'],
  operands: { min: 0, max: 0, name: 'nothing' },
  run: async ({ parsed, terminal }) => {
    const assets = assetsFolder();
    const rows = await Promise.all(
      (await readClaimTable(assets)).map(async (row) => ({ row, findings: await findingsOfRow(assets, row) })),
    );
    if (hasFlag(parsed, 'json')) {
      terminal.printJson({ rows: rows.map(({ row, findings }) => ({ ...row, findings })) });
      return exitCodes.done;
    }
    if (hasFlag(parsed, 'markdown')) {
      for (const line of markdown(rows)) terminal.print(line);
      return exitCodes.done;
    }
    const bold = (text: string): string => terminal.style('bold', text);
    for (const { row, findings } of rows) {
      terminal.print(bold(`${row.row}  ${row.claim}`));
      terminal.print(`   ${row.source}; ${row.scenarios.join(', ')}`);
      const columns = titles.map((title) => ({ title }));
      for (const line of findings.length === 0
        ? ['   nothing was recorded']
        : table(columns, findings.map(cells), { styleTitle: bold, width: terminal.width })) {
        terminal.print(line);
      }
      terminal.print();
    }
    return exitCodes.done;
  },
};
