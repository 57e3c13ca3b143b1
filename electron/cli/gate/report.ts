/** Output of `gate`: a table for the terminal, a Markdown summary, and JUnit XML for build servers. */
import { factorText, measuredTime } from '../../domain/measured.ts';
import { percent } from '../../domain/numbers.ts';
import { formatTable } from '../table.ts';
import { failingVerdicts, type GateVerdict, hasFailed, type JudgedVariant } from './verdict.ts';

export interface GateReport {
  readonly scenario: string;
  /** Commit or session files that the variants are compared with. */
  readonly baseline: string;
  /** Allowed slowdown as a fraction: 0.02 is 2 %. */
  readonly allowed: number;
  readonly variants: readonly JudgedVariant[];
  /** Sentences on machine and program version, and on their differences. */
  readonly facts: readonly string[];
  readonly elapsed_s: number;
}

type Style = (style: 'bold' | 'red' | 'yellow' | 'green', text: string) => string;

const verdictOrder: readonly GateVerdict[] = [
  'slower',
  'wrong',
  'impossible',
  'not checked',
  'not measured',
  'undecided',
  'not slower',
];

function gateSentence({ variants, allowed }: GateReport): string {
  const counts = verdictOrder.flatMap((word) => {
    const count = variants.filter(({ verdict }) => verdict === word).length;
    return count === 0 ? [] : [`${count} ${word}`];
  });
  return `${hasFailed(variants) ? 'Failed' : 'Passed'}: ${counts.join(', ')}. Slower means: in two sessions the whole 95 % interval is more than ${percent(allowed)} above the baseline, and above the difference of identical code on this runner.`;
}

const titles = ['Variant', 'Before', 'After', 'After / before', 'Second session', 'Equal code', 'Verdict'] as const;

function rowCells(
  { variant, sessions, floor, verdict, reason }: JudgedVariant,
  styled: (verdict: GateVerdict) => string,
): string[] {
  const [first, second] = sessions;
  return [
    variant,
    measuredTime(first?.before_s),
    measuredTime(first?.after_s),
    first === undefined ? '–' : factorText(first.ratio),
    second === undefined ? '–' : factorText(second.ratio),
    floor === null ? '–' : `±${percent(floor)}`,
    `${styled(verdict)}${reason === null ? '' : `: ${reason}`}`,
  ];
}

const verdictColor = (verdict: GateVerdict): 'red' | 'yellow' | 'green' =>
  failingVerdicts.has(verdict) ? 'red' : verdict === 'undecided' ? 'yellow' : 'green';

export function gateTable(report: GateReport, style: Style): readonly string[] {
  const rows = report.variants.map((one) => rowCells(one, (verdict) => style(verdictColor(verdict), verdict)));
  const columns = titles.map(
    (title, i) => ({ title, align: i > 0 && i < titles.length - 1 ? 'right' : 'left' }) as const,
  );
  const tone = hasFailed(report.variants) ? 'red' : 'green';
  return [
    ...formatTable(columns, rows, { styleTitle: (text) => style('bold', text) }),
    '',
    style(tone, gateSentence(report)),
    ...report.facts,
  ];
}

/** Escapes external text for a cell of a Markdown table, so that it adds neither markup nor cells nor lines. */
const escapeCell = (text: string): string =>
  text
    .replace(/[\\`*_[\]<>|~]/g, (mark) => (mark === '<' ? '&lt;' : mark === '>' ? '&gt;' : `\\${mark}`))
    .replace(/\s+/g, ' ');

export function gateMarkdown(report: GateReport): string {
  const row = (parts: readonly string[]): string => `| ${parts.map(escapeCell).join(' | ')} |`;
  return [
    `### braggbench gate: ${escapeCell(report.scenario)} against ${escapeCell(report.baseline)}`,
    '',
    row(titles),
    `| --- | ${'---: | '.repeat(titles.length - 2)}--- |`,
    ...report.variants.map((one) => row(rowCells(one, (verdict) => verdict))),
    '',
    gateSentence(report),
    '',
    ...report.facts.map((fact) => `- ${escapeCell(fact)}`),
    '',
  ].join('\n');
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

/** Escapes text for XML 1.0, and replaces control characters and lone surrogates. */
const escapeXml = (text: string): string =>
  text
    .toWellFormed()
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that XML 1.0 forbids.
    .replace(/[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/g, '\uFFFD')
    .replace(/[&<>"']/g, (mark) => entities[mark] ?? mark)
    .replace(/[\t\n\r]/g, (mark) => `&#${mark.charCodeAt(0)};`);

/** Formats the result as JUnit XML for build servers. Each variant is a test case; an undecided variant is skipped. */
export function gateJunit(report: GateReport): string {
  const { variants, scenario, elapsed_s } = report;
  const count = (of: (verdict: GateVerdict) => boolean): number => variants.filter(({ verdict }) => of(verdict)).length;
  const counts = `tests="${variants.length}" failures="${count((one) => failingVerdicts.has(one))}" errors="0" skipped="${count((one) => one === 'undecided')}"`;
  const cases = variants.map((one) => {
    const { variant, verdict, reason, sessions } = one;
    const ratios = sessions.map(({ ratio }) => factorText(ratio)).join(', ');
    const words = escapeXml(
      [
        `${verdict}${reason === null ? '' : `: ${reason}`}`,
        ...(ratios === '' ? [] : [`after / before ${ratios}`]),
      ].join('; '),
    );
    const result = failingVerdicts.has(verdict)
      ? `<failure type="${verdict}" message="${words}"/>`
      : verdict === 'undecided'
        ? `<skipped message="${words}"/>`
        : `<system-out>${words}</system-out>`;
    return `    <testcase classname="${escapeXml(scenario)}" name="${escapeXml(variant)}">${result}</testcase>`;
  });
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="braggbench gate" ${counts}>`,
    `  <testsuite name="${escapeXml(`${scenario} against ${report.baseline}`)}" ${counts} time="${elapsed_s.toFixed(3)}">`,
    ...cases,
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}
