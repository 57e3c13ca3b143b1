/** Text report on a run. */
import { type RunSummary, reactionTreatment } from '../../contract/run.ts';
import {
  type EnergyBalance,
  faceTitles,
  ledgerColumns,
  type NumberBalance,
  reactionTitles,
} from '../../contract/scenario/transport/ledger-columns.ts';
import { summaryReadoutTexts, valueWithUnit } from '../../domain/dose/readouts.ts';
import { measuredTime } from '../../domain/measured.ts';
import { compactCount, millimetres, plainDigits, plainError } from '../../domain/numbers.ts';
import { countText, formatBytes, shareInDecimals } from '../../domain/values/units.ts';
import { formatPairs, formatTable } from '../table.ts';

type Style = (style: 'bold' | 'dim' | 'green' | 'yellow' | 'red', text: string) => string;

interface RunFacts {
  readonly summary: RunSummary;
  /** CSDA range along the beam axis through all regions on it, mm; null without a beam. */
  readonly range_mm: number | null;
  /** Whether the beam axis passes only through water. */
  readonly inWater: boolean;
  /** Depth z at which the beam enters, mm, and its angle to the z axis. */
  readonly entrance_mm: number;
  readonly angle_deg: number;
  /** Whether `auto` selected the moments variant, because only readouts are requested. */
  readonly byMoments: boolean;
  /** Title of the stopping-power table. */
  readonly table: string;
  /** Path of the saved run; null if it was not saved. */
  readonly file: string | null;
}

/** Value at `depth`, interpolated linearly between planes; null outside of them. */
function valueAtDepth(depths: Float64Array, values: Float64Array, depth: number): number | null {
  const after = depths.findIndex((z) => z >= depth);
  const before = Math.max(0, after - 1);
  const [z0, z1, v0, v1] = [depths[before], depths[after], values[before], values[after]];
  if (z0 === undefined || z1 === undefined || v0 === undefined || v1 === undefined || depth < z0) return null;
  const value = z1 === z0 ? v1 : v0 + ((v1 - v0) * (depth - z0)) / (z1 - z0);
  return Number.isFinite(value) ? value : null;
}

/**
 * Depth at which widths are reported, as a fraction of R80. Enough protons are left there, and beyond the range a width
 * has no meaning.
 */
const WIDTH_DEPTH_FRACTION = 0.9;

/** Range spread of the grid that is reported, mm. Smaller values are negligible compared with straggling. */
const MIN_NOTED_SPREAD_MM = 0.005;

/** Rows about the dose on the axis, Gy per 10⁹ protons, or the reason why it is missing. */
function axisDoseRows(gray: RunSummary['gray']): readonly (readonly [string, string])[] {
  if ('reason' in gray) return [['On axis', `no dose in Gy: ${gray.reason}`]];
  const { highest_Gy, at_mm, entrance_Gy } = gray;
  const most = `${plainDigits(highest_Gy, 4)} Gy per 10⁹ protons at ${millimetres(at_mm)}`;
  return [['On axis', `${most}, ${plainDigits(entrance_Gy, 4)} at the entrance`]];
}

function readoutRows({
  summary,
  range_mm,
  inWater,
  entrance_mm,
  angle_deg,
  table: title,
}: RunFacts): readonly (readonly [string, string])[] {
  const { metrics } = summary;
  const r80 = metrics.r80_mm;
  const forward = Math.cos((angle_deg * Math.PI) / 180);
  const depth = r80 === null ? null : entrance_mm + WIDTH_DEPTH_FRACTION * r80 * forward;
  const sigma = depth === null ? null : valueAtDepth(metrics.sigma_x.depth_mm, metrics.sigma_x.sigma_x_mm, depth);
  const theta =
    depth === null ? null : valueAtDepth(metrics.theta_rms.depth_mm, metrics.theta_rms.theta_rms_mrad, depth);
  const at = depth === null ? '' : ` at z = ${depth.toFixed(1)} mm`;
  return [
    ...summaryReadoutTexts(metrics).map((one) => [one.title, valueWithUnit(one)] as const),
    ...(range_mm === null
      ? []
      : [
          [
            'CSDA range',
            `${millimetres(range_mm)} ${inWater ? 'in water,' : 'along the axis, water by'} ${title}`,
          ] as const,
        ]),
    ...(summary.extra_straggling_mm < MIN_NOTED_SPREAD_MM
      ? []
      : [['Grid adds', `${millimetres(summary.extra_straggling_mm)} of range spread (σ)`] as const]),
    ...axisDoseRows(summary.gray),
    [`σx${at}`, millimetres(sigma)],
    [`σθ${at}`, theta === null ? '–' : `${theta.toFixed(1)} mrad`],
    ['Mean range', millimetres(metrics.mean_range_mm)],
  ];
}

/** Formats the readouts. A partial run lacks some of them, whose rows are omitted. */
function readoutLines(facts: RunFacts): readonly string[] {
  const rows = readoutRows(facts);
  const { metrics, notes } = facts.summary;
  const noted = [...(notes.length === 0 ? [] : ['']), ...notes.map(({ text }) => `  ${text}`)];
  if (metrics.r80_mm !== null) return [...formatPairs(rows), ...noted];
  const known = rows.filter(([, value]) => value !== '–');
  return ['  No range: this dose has no Bragg peak.', ...(known.length === 0 ? [] : formatPairs(known)), ...noted];
}

const positionNames = { entrance: 'entrance', half: 'half of R80', peak: 'peak', r80: 'R80' } as const;

interface ReadoutPosition {
  readonly at: keyof typeof positionNames;
  readonly depth_mm: number;
}

/** Table of values at four depths: entrance, half of R80, peak and R80. */
function positionTable<Name extends string>(
  title: string,
  places: readonly (ReadoutPosition & Readonly<Record<NoInfer<Name>, number | null>>)[],
  columns: Readonly<Record<Name, string>>,
  style: Style,
): readonly string[] {
  const names = Object.keys(columns) as Name[];
  const right = (text: string) => ({ title: text, align: 'right' }) as const;
  const rows = places.map((place) => [
    positionNames[place.at],
    millimetres(place.depth_mm),
    ...names.map((name) => place[name]?.toFixed(3) ?? '–'),
  ]);
  const titles = [{ title }, right('depth'), ...names.map((name) => right(columns[name]))];
  return ['', ...formatTable(titles, rows, { styleTitle: (text) => style('bold', text) }).map((line) => `  ${line}`)];
}

const letColumns = {
  lett_primary: 'LETt primary',
  letd_primary: 'LETd primary',
  lett: 'LETt',
  letd: 'LETd',
} as const;
const rbeColumns = { constant: '1.1', mcnamara: 'McNamara', wedenberg: 'Wedenberg', carabe: 'Carabe' } as const;

/** Tables of LET and RBE at the depths named by `positionNames`. */
function letLines({ summary }: RunFacts, style: Style): readonly string[] {
  const { let: averages, rbe } = summary;
  return [
    ...(averages === undefined ? [] : positionTable('LET in water, keV/µm', averages, letColumns, style)),
    ...(rbe === undefined
      ? []
      : positionTable(
          `RBE, α/β ${rbe.alpha_beta_Gy} Gy, ${rbe.fraction_Gy} Gy per fraction`,
          rbe.places,
          rbeColumns,
          style,
        )),
  ];
}

/** Order of the ledger rows; the parts of a total follow it. */
const rowOrder = [
  ...['in', 'deposited', 'deposited_local', 'deposited_protons', 'deposited_deuterons', 'stopped'],
  ...['escaped_x', 'escaped_x_low', 'escaped_x_high', 'escaped_z', 'escaped_z_low', 'escaped_z_high'],
  ...['escaped_theta', 'escaped_theta_low', 'escaped_theta_high', 'nuclear', 'in_flight', 'skipped'],
] as const satisfies readonly (keyof EnergyBalance)[];
type RowName = (typeof rowOrder)[number];

const partTitles: Readonly<Record<string, string>> = { ...faceTitles, ...reactionTitles };
const rowTitle = (name: RowName): string =>
  name in ledgerColumns ? ledgerColumns[name as keyof typeof ledgerColumns].title : `  ${partTitles[name]}`;

/** Ledger rows that are shown even if they are 0. */
const alwaysShown: readonly RowName[] = ['in', 'deposited', 'stopped', 'in_flight'];

function ledgerRows(number: NumberBalance, energy: EnergyBalance): readonly (readonly string[])[] {
  const protons: Partial<EnergyBalance> = number;
  return rowOrder
    .filter((name) => energy[name] !== undefined)
    .filter((name) => alwaysShown.includes(name) || energy[name] !== 0 || (protons[name] ?? 0) !== 0)
    .map((name) => {
      const amount = energy[name] ?? 0;
      const count = name.startsWith('deposited') ? '' : plainDigits(protons[name] ?? 0, 5);
      const share = energy.in === 0 ? '' : shareInDecimals(amount / energy.in, 2);
      return [rowTitle(name), count, plainDigits(amount, 5), share];
    });
}

const statusWords: Readonly<Record<RunFacts['summary']['status'], (style: Style) => string>> = {
  done: (style) => style('green', 'done'),
  cancelled: (style) => style('yellow', 'interrupted, partial result'),
  failed: (style) => style('red', 'failed; result up to the failure'),
};

/** First line of the report: status, time and memory. */
function statusLine({ summary }: RunFacts, style: Style): string {
  const { status, steps, wall_s, setup_s, solve_s, products_s, cell_steps } = summary;
  const word = statusWords[status](style);
  const rate = solve_s > 0 ? `, ${compactCount(cell_steps / solve_s)} cell-steps/s` : '';
  const products = products_s === undefined ? '' : `, reaction products ${measuredTime(products_s)}`;
  return `${word}: ${steps} steps in ${measuredTime(wall_s)} (set-up ${measuredTime(setup_s)}, solve ${measuredTime(solve_s)}${rate}${products})`;
}

export function runReport(facts: RunFacts, style: Style): readonly string[] {
  const { summary } = facts;
  const { ne, ntheta, nz, nx } = summary.grid;
  const { number, energy } = summary.ledger;
  return [
    style('bold', summary.scenario),
    `${summary.variant}, ${summary.precision}, ${countText(summary.threads, 'thread')}, ${summary.isa}; ` +
      `${ne} × ${ntheta} × ${nz} × ${nx} cells (energy, angle, depth, across)`,
    statusLine(facts, style),
    ...(facts.byMoments
      ? [style('dim', 'auto chose moments: matter is layered, and --out does not request the phase space')]
      : []),
    ...(reactionTreatment(summary) === 'off'
      ? [
          style(
            'dim',
            'primary protons only; --set physics.nuclear=icru63 includes nuclear reactions and their products',
          ),
        ]
      : []),
    '',
    ...readoutLines(facts),
    ...letLines(facts, style),
    '',
    ...formatTable(
      [
        { title: 'Ledger' },
        { title: 'protons', align: 'right' },
        { title: 'MeV', align: 'right' },
        { title: 'of energy', align: 'right' },
      ],
      ledgerRows(number, energy),
      { styleTitle: (title) => style('bold', title) },
    ).map((line) => `  ${line}`),
    `  ${style('dim', `relative error ${plainError(number.rel_error)} in number, ${plainError(energy.rel_error)} in energy; smallest ψ divided by the largest ${plainError(summary.min_psi_over_max)}; peak memory ${formatBytes(summary.peak_rss_MB * 1e6)}`)}`,
    ...(facts.file === null ? [] : ['', `Saved as ${facts.file}`]),
  ];
}
