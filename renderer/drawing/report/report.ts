/** A comparison as one self-contained HTML file: figures, tables, environment, scenario and command. */
import { isUnproven, type SessionGpu } from '../../../electron/contract/bench/bench-session.ts';
import type {
  ComparedCurve,
  ComparedGroup,
  ComparedMap,
  ComparedRow,
} from '../../../electron/contract/bench/comparison.ts';
import type { Session, SessionReport, SessionTerms } from '../../../electron/contract/bench/session.ts';
import { withDocumentPolicy } from '../../../electron/contract/wire/page.ts';
import {
  claimedText,
  claimTitle,
  claimVerdictText,
  pairText,
  sortByPriority,
} from '../../../electron/domain/claim-texts.ts';
import { factorText, intervalsText, noiseText } from '../../../electron/domain/measured.ts';
import { compactCount, NO_VALUE, significant } from '../../../electron/domain/numbers.ts';
import { provenanceText, reportProvenance } from '../../../electron/domain/provenance.ts';
import { groupsText, nameOf, type SessionTable, sessionTables } from '../../../electron/domain/session-table.ts';
import { buildSweepTable } from '../../../electron/domain/sweep-table.ts';
import { chartFigure } from '../charts/chart-figure.ts';
import { curvesChart } from '../charts/curves.ts';
import { sessionCharts } from '../charts/session-charts.ts';
import { escapeXml, figureSvg, seriesInk } from '../figures/figure.ts';
import { mapFigure, type Palette } from './map-figure.ts';
import {
  type Cell,
  code,
  definitionList,
  figure,
  type Html,
  heading,
  paragraph,
  scrollContainer,
  style,
  table,
} from './markup.ts';

export interface ReportSession {
  readonly name: string;
  readonly session: Session;
}

export interface ReportScenario {
  readonly name: string;
  /** Text that saving the scenario would write to its file. */
  readonly text: string;
}

export interface ReportInput {
  readonly title: string;
  /** Time of creation in ISO 8601. */
  readonly created: string;
  readonly version: string;
  readonly rows: readonly ComparedRow[];
  /** Groups of rows whose times can be compared. */
  readonly groups: readonly ComparedGroup[];
  /** Terms of the workload; null if there are no rows. */
  readonly words: SessionTerms | null;
  /** One curve per row. */
  readonly curves: readonly ComparedCurve[];
  readonly maps: readonly ComparedMap[];
  readonly sessions: readonly ReportSession[];
  /** Scenarios of the runs. */
  readonly scenarios: readonly ReportScenario[];
  /** Command lines, without the program name. */
  readonly commands: readonly string[];
  readonly palettes: { readonly field: Palette; readonly difference: Palette };
}

const size = { width: 860, label: 11 } as const;
const HALF_WIDTH = { width: 420, label: 10 } as const;

const rightAlignedCell = (text: string): Cell => ({ text, right: true });
/** Lower end of the logarithmic scale of images, as a share of the largest pixel. */
const MIN_SPOT_SHARE = 1e-6;
const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
const svgOf = (made: Parameters<typeof figureSvg>[0]): string => figureSvg(made, { background: false });

function groupTable({ title, columns, rows }: SessionTable): Html {
  const head = columns.map(({ title: name, align }): Cell | string =>
    align === 'right' ? rightAlignedCell(name) : name,
  );
  const body = rows.map((cells) =>
    cells.map(({ text, align, tone }): Cell => ({ text, right: align === 'right', ...(tone !== null && { tone }) })),
  );
  return [...(title === '' ? [] : [heading(3, title)]), scrollContainer(title || 'Comparison', table(head, body))].join(
    '\n',
  );
}

function comparisonSection(input: ReportInput): Html {
  const { rows, words, groups } = input;
  const unproven = rows.flatMap((row) => (isUnproven(row.verdict) ? [`${nameOf(row, rows)} (${row.verdict})`] : []));
  const notes = rows.filter(({ note }) => note !== null).map((row) => `${nameOf(row, rows)}: ${row.note}.`);
  const places = [...new Set(rows.map(({ origin, provenance }) => `${origin}: ${provenanceText(provenance)}`))];
  return [
    heading(2, 'Comparison'),
    paragraph(
      `Medians of the time ${words?.timeTip ?? 'that is measured'}, by the device’s clock on a GPU and by the host’s on the CPU; ratios of times with 95 % intervals. Faster and slower appear only if the whole interval is outside the noise floor.`,
    ),
    ...(unproven.length === 0 ? [] : [paragraph(`Not counted as correct: ${unproven.join(', ')}.`, 'wrong')]),
    ...sessionTables(rows, words, groups).map(groupTable),
    ...(groups.length < 2 ? [] : [paragraph(groupsText, 'faint')]),
    ...notes.map((text) => paragraph(text, 'faint')),
    ...places.map((text) => paragraph(text, 'faint')),
  ].join('\n');
}

/** Results of the rows: curves if their workload has them, and maps. */
function resultsSection({ rows, curves, maps, palettes }: ReportInput): Html {
  const named = rows.flatMap((row, i) => {
    const { curve = null, residual = null } = curves[i] ?? {};
    const dash = residual === null ? [] : [7, 3];
    return curve === null ? [] : [{ name: nameOf(row, rows), ink: seriesInk(i), dash, curve, residual }];
  });
  const shown = maps.flatMap(({ map, difference }, i) => {
    const row = rows[i];
    return map === null || row === undefined ? [] : [{ name: nameOf(row, rows), map, difference }];
  });
  const [{ map: first } = { map: null }] = shown;
  if (named.length === 0 && first === null) return '';
  const peak = Math.max(0, ...shown.map(({ map }) => map.max)) || 1;
  const reach =
    Math.max(0, ...shown.map(({ difference: d }) => (d === null ? 0 : Math.max(Math.abs(d.min), Math.abs(d.max))))) ||
    1;
  const quantity = capitalized(first?.quantity ?? named[0]?.curve.quantity ?? '');
  // Spots span many decades, and a linear scale would show only the brightest one.
  const least = first?.vertical.unit === 'px' ? MIN_SPOT_SHARE : null;
  const tiles = shown.flatMap(({ name, map, difference }) => {
    const own = { title: name, quantity, palette: palettes.field, low: least === null ? 0 : peak * least, high: peak };
    const less = { title: `${name}, minus the reference`, quantity: 'Difference', palette: palettes.difference };
    return [
      svgOf(mapFigure(map, { ...own, logarithmic: least !== null }, HALF_WIDTH)),
      difference === null
        ? '<div></div>'
        : svgOf(mapFigure(difference, { ...less, low: -reach, high: reach, logarithmic: false }, HALF_WIDTH)),
    ];
  });
  return [
    heading(2, quantity),
    ...(named.length === 0
      ? []
      : [
          figure(
            svgOf(chartFigure(curvesChart(named), size)),
            `${capitalized(named[0]?.curve.quantity ?? '')}; below, each minus the reference.`,
          ),
        ]),
    ...(tiles.length === 0
      ? []
      : [
          `<div class="maps">${tiles.join('\n')}</div>`,
          paragraph(
            `One colour range for all${least === null ? '' : ', logarithmic over six decades'}, and one symmetric range for all differences.`,
            'faint',
          ),
        ]),
  ].join('\n');
}

/** Table rows about one GPU, labelled `what`. */
function gpuFacts({ name, driver, ceilings }: SessionGpu, what: string): readonly (readonly [string, string])[] {
  const told = [what, `${name}, driver ${driver ?? 'not recorded'}`] as const;
  if (ceilings === null) return [told];
  const { copy_bytes_per_s: copy, fp32_flops_per_s: fp32, fp64_flops_per_s: fp64 } = ceilings;
  const rates = `copy ${compactCount(copy)}B/s read and written, FP32 ${compactCount(fp32)}FLOP/s, FP64 ${compactCount(fp64)}FLOP/s`;
  return [told, [what === 'GPU' ? 'Measured ceilings' : `Measured ceilings of ${what}`, rates]];
}

function environmentList({ machine, program, noise, rounds, stopped, judged, seed, facts }: SessionReport): Html {
  const { cpu, logical_cores, isa, os, gpu, gpus = [] } = machine;
  return definitionList([
    ['CPU', `${cpu}, ${logical_cores} logical cores, ${isa}`],
    ['System', os],
    ...(gpu === null ? [['GPU', 'none'] as const] : gpuFacts(gpu, 'GPU')),
    ...gpus.flatMap((one) => gpuFacts(one, `GPU ${one.index}`)),
    ['Program', `braggbench ${[program.version, program.compiler, program.build].filter(Boolean).join(', ')}`],
    ['Commit', program.commit ?? 'not recorded'],
    ['Rounds', `${rounds}, interleaved in shuffled order, seed ${seed}; ended: ${stopped}`],
    ['Intervals', intervalsText(judged)],
    ['Noise', noiseText(noise)],
    ...facts,
  ]);
}

function claimsSection({ claims: all }: SessionReport): Html {
  if (all.length === 0) return '';
  const rows = sortByPriority(all).flatMap((told): (readonly (Cell | string)[])[] => {
    const { pairs: measured, values, reason, source } = told;
    const claim = claimTitle(told);
    const range = rightAlignedCell(claimedText(told));
    if (reason !== null) return [[claim, range, rightAlignedCell(NO_VALUE), 'not isolated', reason, source]];
    const numbers = values.map(({ variant, what, value, unit, verdict: word }): readonly (Cell | string)[] => [
      claim,
      rightAlignedCell(claimedText(told, unit)),
      rightAlignedCell(value === null ? NO_VALUE : `${significant(value, 3)} ${unit}`),
      { text: word, tone: word },
      `${variant}: ${what}`,
      source,
    ]);
    const gains = measured.map((pair): readonly (Cell | string)[] => [
      claim,
      range,
      rightAlignedCell(pair.gain === null ? NO_VALUE : factorText(pair.gain)),
      { text: claimVerdictText(pair), tone: pair.wrong === undefined ? pair.verdict : 'wrong' },
      `${pairText(pair)}: ${pair.what}`,
      source,
    ]);
    return [...gains, ...numbers];
  });
  const head = ['Claim', rightAlignedCell('Claimed'), rightAlignedCell('Measured'), 'Verdict', 'By', 'Source'];
  return [heading(3, 'Claimed and measured'), scrollContainer('Claims', table(head, rows))].join('\n');
}

function refusedParagraphs({ entries, external }: SessionReport): readonly Html[] {
  return [
    ...entries.flatMap((entry) => (entry.status === 'refused' ? [`${entry.label}: not run, ${entry.reason}`] : [])),
    ...external.flatMap(({ title, reason }) => (reason === null ? [] : [`${title}: not run, ${reason}`])),
  ].map((text) => paragraph(text, 'faint'));
}

function sweepTable(session: Session): Html {
  const swept = buildSweepTable(session);
  if (swept === null) return '';
  const head = swept.columns.map((title, i) => (i === 0 ? title : rightAlignedCell(title)));
  const rows = swept.rows.map((cells) => cells.map((text, i) => (i === 0 ? text : rightAlignedCell(text))));
  const below = [...swept.lines, swept.note].map((text) => paragraph(text, 'faint'));
  return [heading(3, swept.title), table(head, rows), ...below].join('\n');
}

function sessionSection({ name, session }: ReportSession): Html {
  // Figures that show a single size use the last report of a sweep.
  const report = session.reports.at(-1);
  if (report === undefined) return '';
  const provenance = provenanceText(reportProvenance(report, session.created));
  const { charts: made, missing } = sessionCharts(session, report);
  const figures = made.map(({ title, text, chart }) =>
    [heading(3, title), paragraph(text), figure(svgOf(chartFigure(chart, size)), provenance)].join('\n'),
  );
  const at = session.sweep?.values[session.reports.length - 1];
  return [
    heading(2, `Session ${name}`),
    paragraph(`${report.scenario}${at === undefined ? '' : `, ${session.sweep?.path} = ${at}`}`),
    environmentList(report),
    ...refusedParagraphs(report),
    ...figures,
    ...missing.map((text) => paragraph(text, 'faint')),
    sweepTable(session),
    claimsSection(report),
    heading(3, 'Scenario'),
    report.document === undefined
      ? paragraph(`This session does not contain its scenario, whose name was ${report.scenario}.`)
      : code(JSON.stringify(report.document, null, 2)),
  ].join('\n');
}

function differences({ rows }: ReportInput): Html {
  const all = rows.flatMap((row) =>
    row.differences.map(({ what, reference, here }) => [nameOf(row, rows), what, reference, here]),
  );
  if (all.length === 0) return '';
  return [heading(2, 'Differences from the reference'), table(['Row', 'Property', 'Reference', 'This row'], all)].join(
    '\n',
  );
}

function scenariosSection({ scenarios }: ReportInput): Html {
  if (scenarios.length === 0) return '';
  return [heading(2, 'Scenarios'), ...scenarios.flatMap(({ name, text }) => [heading(3, name), code(text)])].join('\n');
}

export function reportHtml(input: ReportInput): string {
  const { title, created, version, sessions, commands } = input;
  const made = created.slice(0, 16).replace('T', ' ');
  const html = [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<meta name="generator" content="braggbench ${escapeXml(version)}">`,
    `<title>${escapeXml(title)}</title>`,
    `<style>${style}</style>`,
    '</head>',
    '<body>',
    '<main>',
    `<h1>${escapeXml(title)}</h1>`,
    paragraph(`Made with braggbench ${version}, ${made} UTC.`, 'faint'),
    input.rows.length === 0 ? '' : comparisonSection(input),
    resultsSection(input),
    differences(input),
    ...sessions.map(sessionSection),
    scenariosSection(input),
    heading(2, 'To reproduce this report'),
    code(commands.map((line) => `braggbench ${line}`).join('\n')),
    '</main>',
    '</body>',
    '</html>',
    '',
  ]
    .filter((part, i, all) => part !== '' || i === all.length - 1)
    .join('\n');
  return withDocumentPolicy(html);
}
