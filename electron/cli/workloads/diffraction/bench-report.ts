/** A benchmark of images for a person. */
import { fixedText, intervalsText } from '../../../../renderer/base/measured.ts';
import { reportProvenance } from '../../../../renderer/base/provenance.ts';
import type { Provenance } from '../../../contract/bench/comparison.ts';
import type { ImageBenchEntry, ImageBenchReport, ImageSession } from '../../../contract/bench/image-bench.ts';
import { claimsReport, flaggedReport, toldClaims } from '../../bench-parts.ts';
import { endedText } from '../../ended.ts';
import { duration, metric, significant, smallError, speedup } from '../../numbers.ts';
import { measuredOn, measuredUnder } from '../../reports/measured-on.ts';
import { table } from '../../table.ts';

/** What a report needs of its session. */
type Kept = Pick<ImageSession, 'created' | 'commit'>;

export type Style = (style: 'bold' | 'dim' | 'green' | 'red' | 'yellow', text: string) => string;

const maybe = (value: number | null, text: (value: number) => string): string => (value === null ? '' : text(value));

const errorText = (value: number | null): string => (value === null ? 'NaN' : smallError(value));

function columns(modes: boolean) {
  return [
    { title: 'Variant' },
    ...(modes ? [{ title: 'Mode' }] : []),
    { title: 'First', align: 'right' },
    { title: 'Set-up', align: 'right' },
    { title: 'Compute', align: 'right' },
    { title: 'To host', align: 'right' },
    { title: 'ns/term·core', align: 'right' },
    { title: 'Speed-up', align: 'right' },
    { title: 'Roof', align: 'right' },
    { title: 'relL2', align: 'right' },
    { title: 'max/max', align: 'right' },
    { title: 'Bright', align: 'right' },
    { title: 'Sum', align: 'right' },
    { title: '' },
  ] as const;
}

function roofText(roofline: ImageBenchEntry['roofline']): string {
  if (roofline === null || roofline.share === null || roofline.bound === null) return '';
  return `${(100 * roofline.share).toFixed(0)} % ${roofline.bound}`;
}

function row(entry: ImageBenchEntry, modes: boolean, style: Style): readonly string[] {
  const { label = entry.variant, mode, refused, error, first_s, setup_s, median_s, image_s, ns_per_term } = entry;
  const { ratio, correct, flagged = 0 } = entry;
  const name = modes ? [label, mode] : [label];
  if (refused !== null) return [...name, '', '', '', '', '', '', '', '', '', '', '', refused];
  const off = error === null ? ['', '', '', ''] : [error.rel_l2, error.max, error.bright, error.sum].map(errorText);
  return [
    ...name,
    maybe(first_s, duration),
    maybe(setup_s, duration),
    maybe(median_s, duration),
    maybe(image_s, duration),
    maybe(ns_per_term, (value) => significant(value, 3)),
    ratio === null ? '' : speedup(ratio),
    roofText(entry.roofline),
    ...off,
    (correct === true ? style('green', 'correct') : style('red', 'wrong')) +
      (flagged === 0 ? '' : style('yellow', ` (${flagged} flagged)`)),
  ];
}

/** The parts of the first CUDA variant's set-up: what a cold start takes. */
function coldStart({ entries }: ImageBenchReport): readonly string[] {
  const first = entries.find(({ device, refused }) => device === 'cuda' && refused === null);
  if (first === undefined) return [];
  const parts = first.first_setup.map(({ name, seconds }) => `${name} ${duration(seconds)}`);
  return [`First set-up on the GPU (${first.variant}): ${parts.join(', ')}`];
}

function flaggedLines({ entries }: ImageBenchReport): readonly string[] {
  return flaggedReport(
    entries.map(({ label, variant, flagged = 0, ratio_unflagged = null, clocks = [] }) => ({
      label: label ?? variant,
      flagged,
      ratio_unflagged,
      samples: clocks,
    })),
  );
}

function provenance({ machine, program, entries }: ImageBenchReport, { created, commit }: Kept): Provenance {
  const measured = entries.map(({ refused, device, gpu, clocks = [] }) =>
    refused === null
      ? ({ status: 'measured', device, gpu, samples: clocks } as const)
      : ({ status: 'refused' } as const),
  );
  return reportProvenance(
    { machine, program: { version: program?.version ?? null, commit }, entries: measured },
    created,
  );
}

export function imageBenchReport(report: ImageBenchReport, style: Style, session: Kept): readonly string[] {
  const { machine, width, height, terms, reference, entries } = report;
  const modes = new Set(entries.map(({ mode }) => mode)).size > 1;
  const rows = entries.map((entry) => row(entry, modes, style));
  return [
    style('bold', report.scenario),
    `${width} × ${height} pixels, ${metric(terms)} lattice terms`,
    measuredOn(provenance(report, session), machine),
    ...measuredUnder(report.environment, machine.logicalCores),
    ...table(columns(modes), rows, { styleTitle: (text) => style('bold', text) }),
    ...flaggedLines(report),
    ...coldStart(report),
    ...claimsReport(toldClaims(report.claims ?? []), (text) => style('bold', text)),
    '',
    endedText({ ...report, floor: report.noise_floor }),
    style(
      'dim',
      `Compute by the GPU's events or, on the CPU, the host's clock; to host: until the image is in memory; roof: share of the measured ceiling that the declared work meets first. Above 1× is faster than ${reference ?? 'nothing'}: ratios with ${intervalsText(report.judged)}.`,
    ),
  ];
}

const lineText = ({ fixed_s, slope_s_per_pixel }: { fixed_s: number; slope_s_per_pixel: number }): string =>
  `${fixedText(fixed_s)} and ${duration(slope_s_per_pixel * 1e6)} per million pixels`;

export function imageSweepReport(sweep: NonNullable<ImageSession['sweep']>, style: Style): readonly string[] {
  const titles = [
    { title: 'Variant' },
    { title: sweep.path, align: 'right' },
    { title: 'Compute', align: 'right' },
    { title: 'To host', align: 'right' },
    { title: 'With set-up', align: 'right' },
    { title: 'Its share', align: 'right' },
  ] as const;
  const rows = sweep.fits.flatMap(({ variant, mode, points }) =>
    points.map(({ value, kernel_s, image_s, wall_s, setup_share }, i) => [
      i === 0 ? `${variant}${mode === 'warm' ? '' : `, ${mode}`}` : '',
      significant(value, 4),
      duration(kernel_s),
      duration(image_s),
      duration(wall_s),
      `${(100 * setup_share).toFixed(0)} %`,
    ]),
  );
  return [
    '',
    style('bold', `Sweep of ${sweep.path}`),
    ...table(titles, rows, { styleTitle: (text) => style('bold', text) }),
    '',
    ...sweep.fits.flatMap(({ variant, kernel, wall }) =>
      kernel === null || wall === null
        ? []
        : [`${variant}: compute ${lineText(kernel)}; with set-up ${lineText(wall)}`],
    ),
    style('dim', 'Fixed cost and slope by least squares on the times, in proportion to them.'),
  ];
}
