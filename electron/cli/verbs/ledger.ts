/** `braggbench ledger`: published claims beside what the recorded sessions measured. */
import { type Finding, findingsOfRow, type LedgerRow, readLedger } from '../../host/ledger/index.ts';
import { hasFlag } from '../arguments.ts';
import { assetsFolder } from '../assets-folder.ts';
import { exitCodes } from '../exit-codes.ts';
import { short, significant } from '../numbers.ts';
import { table } from '../table.ts';
import type { Verb } from '../verb.ts';

/** As a sentence without number is kept: anything above one. */
const ANY = 1000;

function claimed({ from, to, unit }: Finding): string {
  if (unit === '×') return to >= ANY ? 'faster' : from === to ? `${from}×` : `${from}–${to}×`;
  return `${to >= ANY && from < 100 ? `above ${from}` : from === to ? from : `${from}–${to}`} ${unit}`.trimEnd();
}

function measured({ value, unit }: Finding): string {
  if (value === null) return '–';
  return unit === '×' ? `${significant(value, 3)}×` : `${short(value, 4)} ${unit}`.trimEnd();
}

const cells = (finding: Finding): readonly string[] =>
  finding.reason === null
    ? [finding.claim, claimed(finding), measured(finding), finding.verdict, finding.by ?? '', finding.session]
    : [finding.claim, '', '', finding.verdict, finding.reason, finding.session];

const titles = ['Claim', 'Claimed', 'Measured', 'Verdict', 'By', 'Session in assets/runs'] as const;

function markdown(rows: readonly { readonly row: LedgerRow; readonly findings: readonly Finding[] }[]) {
  const line = (words: readonly string[]) => `| ${words.join(' | ')} |`;
  return [
    line(['', ...titles]),
    line(['--:', ...titles.map((title) => (title === 'Claimed' || title === 'Measured' ? '--:' : '---'))]),
    ...rows.flatMap(({ row, findings }) =>
      findings.map((finding, i) => {
        const [claim = '', low = '', value = '', verdict = '', by = '', session = ''] = cells(finding);
        return line([i === 0 ? String(row.row) : '', claim, low, value, verdict, by, `\`${session}\``]);
      }),
    ),
  ];
}

export const ledger: Verb = {
  name: 'ledger',
  usage: 'ledger [--json | --markdown]',
  summary: 'show published claims beside what recorded sessions measured',
  details: [
    'Lists the claims about GPU kernels that published notes make, row by row, each with what the recorded sessions of its scenarios gave. A claim is contradicted (less, more) only where the whole interval lies outside of what was claimed.',
    'Measure a row on your own machine with braggbench bench SCENARIO; its report ends with the same comparison.',
  ],
  flags: [
    { name: 'json', help: 'Print one JSON document instead of text.' },
    { name: 'markdown', help: 'Print a table in Markdown.' },
  ],
  examples: ['braggbench ledger', 'braggbench ledger --markdown'],
  operands: { min: 0, max: 0, name: 'nothing' },
  run: async ({ parsed, terminal }) => {
    const assets = assetsFolder();
    const rows = await Promise.all(
      (await readLedger(assets)).map(async (row) => ({ row, findings: await findingsOfRow(assets, row) })),
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
