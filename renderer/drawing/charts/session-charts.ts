/**
 * Charts that the data of a session allow, with text descriptions, and reasons for missing charts. The factorial chart
 * shows the speed-up of each optimisation alone and combined, and how far combinations deviate from the product.
 */
import { usedGpus } from '../../../electron/contract/bench/bench-session.ts';
import type { Factorial } from '../../../electron/contract/bench/factorial.ts';
import {
  isIncorrect,
  type MeasuredSessionEntry,
  type Session,
  type SessionReport,
} from '../../../electron/contract/bench/session.ts';
import { factorialRows, factorialText } from '../../../electron/domain/factorial-texts.ts';
import { factorText, measuredTime } from '../../../electron/domain/measured.ts';
import { curveArray, identifier } from '../export/figure.ts';
import { logLimits } from '../figures/axes.ts';
import { ratioArrays, rowAxis, seriesInk } from '../figures/figure.ts';
import { shortNumber } from '../scale.ts';
import { type Chart, rowsAxis, type Series } from './chart.ts';
import { claimChart, sweptClaims } from './claim-curve.ts';
import { fastestChain, gainsChart, gainsOf, measuredEntries, waterfallChart } from './ladder.ts';
import { rooflineChart, rooflineEntries } from './roofline.ts';
import { stripsChart } from './strips.ts';
import { sweepChart } from './sweep.ts';

/** Height of a row, in label heights. */
const FACTORIAL_ROW = 3;
const kinds = [
  { isInteraction: false, name: 'times faster', ink: 'series-1', form: 'round' },
  { isInteraction: true, name: 'times the product of the separate gains', ink: 'series-2', form: 'square' },
] as const;

function factorialChart(factorial: Factorial): Chart {
  const rows = factorialRows(factorial);
  const ends = rows.flatMap(({ ratio: { value, interval } }) => [
    value,
    interval?.low ?? value,
    interval?.high ?? value,
  ]);
  const [from, to] = logLimits([...ends, 1], 1.15);
  return {
    title: factorial.title,
    panes: [
      {
        x: { title: 'Times', unit: '', kind: 'log', from, to, format: (value) => `${shortNumber(value)}×` },
        y: rowsAxis(rows.map(({ name, verdict }) => ({ name, under: verdict }))),
        series: kinds.map(({ isInteraction, name, ink, form }): Series => {
          const own = rows.flatMap((row, at) => (row.isInteraction === isInteraction ? [{ ...row, at }] : []));
          return {
            ...{ kind: 'dots', name, ink, form, radius: 0.36 },
            tips: own.map((row) => `${row.name}: ${factorText(row.ratio)}, ${row.verdict}`),
            ...{ x: own.map(({ ratio }) => ratio.value), y: own.map(({ at }) => at) },
            intervals: { along: 'x', ends: own.map(({ ratio }) => ratio.interval) },
          };
        }),
        marks: [{ kind: 'line', axis: 'x', at: 1, ink: 'text', width: 1.25 }],
        tall: rows.length * FACTORIAL_ROW,
      },
    ],
    hover: 'point',
    arrays: [
      rowAxis(rows.length),
      ...ratioArrays(
        'times',
        'times faster, or times the product of the separate gains',
        'row',
        rows.map(({ ratio }) => ratio),
      ),
    ],
    notes: { rows: rows.map(({ name, verdict }) => `${name}: ${verdict}`).join('; ') },
  };
}

// The cold-start chart: set-up time of the first and of later runs, divided into parts.

/** Height of a row in label heights, and bar height as a share of the row. */
const [ROW, BAR] = [2.6, 0.55];
/** Factor by which the axis extends beyond the longest bar, for its time label. */
const ROOM = 1.14;

/** Set-up time outside the named parts. */
const REST = 'other';

type SetupParts = MeasuredSessionEntry['setup_parts'];

function setupPartsOf({ setup_parts, first_setup_s, setup_s }: MeasuredSessionEntry): SetupParts {
  const rest = (whole: number | null, key: 'first_s' | 'warm_s'): number | null =>
    whole === null
      ? null
      : Math.max(
          0,
          setup_parts.reduce((left, part) => left - (part[key] ?? 0), whole),
        );
  const first_s = rest(first_setup_s ?? setup_s, 'first_s');
  // If later set-ups were not divided into parts, all of their time is shown as other time.
  const warm_s = first_setup_s === null ? null : rest(setup_s, 'warm_s');
  return [...setup_parts, { name: REST, first_s, warm_s }];
}

const partTimes = [
  { key: 'first_s', name: 'first' },
  { key: 'warm_s', name: 'later' },
] as const;

function coldStartChart(given: readonly MeasuredSessionEntry[]): Chart {
  const entries = given.map((entry) => ({ label: entry.label, setup_parts: setupPartsOf(entry) }));
  const knowsLater = entries.some(({ setup_parts }) => setup_parts.some(({ warm_s }) => warm_s !== null));
  const kinds = knowsLater ? partTimes : partTimes.slice(0, 1);
  const names = [...new Set(entries.flatMap(({ setup_parts }) => setup_parts.map(({ name }) => name)))];
  const bars = entries.flatMap(({ label, setup_parts }) =>
    kinds.map(({ key, name }, k) => {
      const parts = names.map((part) => setup_parts.find((one) => one.name === part)?.[key] ?? 0);
      const sums = [0];
      for (const part of parts) sums.push((sums.at(-1) ?? 0) + part);
      return { label, name, named: k === 0, parts, sums, whole: sums.at(-1) ?? 0 };
    }),
  );
  const longest = Math.max(1e-9, ...bars.map(({ whole }) => whole));
  const [unit, per] = longest < 1e-3 ? ['µs', 1e6] : longest < 1 ? ['ms', 1e3] : ['s', 1];
  const series = names.map((part, i): Series => {
    return {
      ...{ kind: 'bars', name: part, ink: seriesInk(i), thick: BAR },
      from: bars.map(({ sums }) => (sums[i] ?? 0) * per),
      x: bars.map(({ sums }) => (sums[i + 1] ?? 0) * per),
      y: bars.map((_, row) => row),
      tips: bars.map(({ label, name, parts }) => `${label}, ${name} run: ${part} ${measuredTime(parts[i] ?? 0)}`),
    };
  });
  return {
    title: 'Parts of the set-up, in the first run and in later runs',
    panes: [
      {
        x: { title: 'Set-up', unit, kind: 'linear', from: 0, to: longest * per * ROOM },
        y: rowsAxis(bars.map(({ label, name, named }) => ({ name: named ? label : '', under: name }))),
        series,
        marks: bars.map(({ whole }, row) => ({
          ...({ kind: 'text', ink: 'text-muted', anchor: 'start', shift: [0.5, 0] } as const),
          ...{ at: [whole * per, row] as const, text: measuredTime(whole) },
        })),
        tall: bars.length * ROW,
      },
    ],
    hover: 'point',
    arrays: [
      rowAxis(entries.length),
      ...names.flatMap((name) =>
        kinds.map(({ key, name: which }) => {
          const values = entries.map(({ setup_parts }) => setup_parts.find((part) => part.name === name)?.[key] ?? 0);
          return curveArray(`${identifier(name)}_${key}`, 's', `${name}, ${which} run`, 'row', values);
        }),
      ),
    ],
    notes: { rows: entries.map((entry) => entry.label).join(', ') },
  };
}

interface SessionChart {
  /** Identifier for file names. */
  readonly id: string;
  readonly title: string;
  readonly text: string;
  /** Whether the chart shows the whole sweep instead of one report. */
  readonly ofSweep: boolean;
  readonly chart: Chart;
}

/** A chart, or a sentence that replaces it. */
type ChartOrReason = SessionChart | { readonly missing: string } | null;

function ladder(report: SessionReport): ChartOrReason {
  const chain = fastestChain(report);
  const [root, fastest] = [chain[0], chain.at(-1)];
  if (chain.length < 2 || root === undefined || fastest === undefined) {
    return { missing: 'No ladder: no correct variant in this session is based on another variant in it.' };
  }
  return {
    id: 'ladder',
    title: 'Ladder',
    text: `From ${root.label} to the fastest correct variant based on another, ${fastest.label}: each bar is the time that a step removed (green) or added. At the right is the speedup, with the 95 % interval.`,
    ofSweep: false,
    chart: waterfallChart(chain),
  };
}

function singleGainsChart(report: SessionReport): ChartOrReason {
  const steps = gainsOf(report);
  if (steps.length === 0) return null;
  return {
    id: 'gains',
    title: 'Each rung of the ladder',
    text: 'Speedup of each variant compared with the rung below, and with the lowest rung of its chain, with 95 % intervals. Left of 1× it is slower.',
    ofSweep: false,
    chart: gainsChart(steps),
  };
}

function factorialCharts({ factorials: all = [] }: SessionReport): readonly ChartOrReason[] {
  return all.map((one) => ({
    id: `factorial-${one.id}`,
    title: one.title,
    text: factorialText(one),
    ofSweep: false,
    chart: factorialChart(one),
  }));
}

const joinLabels = (entries: readonly { readonly label: string }[]): string =>
  entries.map(({ label }) => label).join(', ');

function roofline(report: SessionReport): ChartOrReason {
  const drawn = rooflineEntries(report);
  if (drawn.length === 0) {
    return { missing: 'No roofline: the variants in this session declare no bytes and operations.' };
  }
  const used = usedGpus(report.machine, drawn);
  const ceilings = used.some((gpu) => gpu.ceilings !== null);
  const counted = drawn.some(({ quantities }) => quantities.some(({ id }) => id === 'ncu_dram_bytes'));
  const { device } = drawn[0] ?? {};
  const without = measuredEntries(report).filter((one) => one.device === device && !drawn.some((two) => two === one));
  const left = without.length === 0 ? '' : ` Omitted, because they declare none: ${joinLabels(without)}.`;
  return {
    id: 'roofline',
    title: 'Roofline',
    text: `Based on the bytes and operations that each variant declares${counted ? '; small dots use the DRAM bytes that ncu counted' : ', not on counters'}${ceilings ? `; the ceilings were measured on ${used.length > 1 ? 'these GPUs' : 'this GPU'}` : '; no ceilings were measured for this machine'}.${left}`,
    ofSweep: false,
    chart: rooflineChart(report),
  };
}

function sweep({ sweep: swept, words }: Session): ChartOrReason {
  const fits = swept?.fits ?? [];
  if (fits.length === 0) return { missing: 'No size sweep: this session measured one size.' };
  const rate = words.rate === null ? '' : `, and ${words.rate.toLowerCase()} per second`;
  return {
    id: 'sweep',
    title: `Size sweep of ${swept?.path}`,
    text: `Time ${words.timeTip} with its fit (fixed cost and slope, relative least squares), share of set-up${rate}.`,
    ofSweep: true,
    chart: sweepChart(fits, words),
  };
}

function coldStart(report: SessionReport): ChartOrReason {
  const entries = measuredEntries(report).filter(({ setup_parts }) => setup_parts.length > 0);
  if (entries.length === 0) return { missing: 'No cold start: the parts of the set-up were not measured.' };
  return {
    id: 'cold-start',
    title: 'Cold start',
    text: 'Parts of the set-up in the first run of the process and, if measured, in later ones.',
    ofSweep: false,
    chart: coldStartChart(entries),
  };
}

function samples(report: SessionReport, { words }: Session): ChartOrReason {
  const entries = measuredEntries(report).filter((entry) => entry.samples.length > 0);
  const reference = entries.find(({ label }) => label === report.reference);
  if (reference === undefined || entries.length < 2) return null;
  const strips = entries.map((entry: MeasuredSessionEntry, i) => ({
    name: entry.label,
    ink: isIncorrect(entry.verdict) ? ('danger' as const) : seriesInk(i),
    ratio: entry.ratio,
    reference_s: reference.time_s,
    samples: entry.samples,
  }));
  const given = { strips, noise: report.noise, own: true };
  return {
    id: 'samples',
    title: 'Samples',
    text: `Time of every round ${words.timeTip}, divided by the median of its variant; the band is ${reference.label} compared with itself in the same rounds (A/A). Rings are flagged samples.`,
    ofSweep: false,
    chart: stripsChart(given),
  };
}

function claimCharts(session: Session): readonly ChartOrReason[] {
  if (session.sweep === null) return [];
  return sweptClaims(session).map((claim) => ({
    id: `claim-${claim.id}`,
    title: claim.claim,
    text: `The band is the claim; the lines are measurements with 95 % intervals. ${claim.source}.`,
    ofSweep: true,
    chart: claimChart(session, claim),
  }));
}

export interface SessionCharts {
  readonly charts: readonly SessionChart[];
  /** A sentence for each chart that this session cannot have. */
  readonly missing: readonly string[];
}

/** Charts of one report, and charts of the whole sweep if `session` has one. */
export function sessionCharts(session: Session, report: SessionReport): SessionCharts {
  const all = [
    ladder(report),
    singleGainsChart(report),
    ...factorialCharts(report),
    roofline(report),
    sweep(session),
    ...claimCharts(session),
    coldStart(report),
    samples(report, session),
  ].filter((one) => one !== null);
  return {
    charts: all.filter((one): one is SessionChart => 'chart' in one),
    missing: all.flatMap((one) => ('missing' in one ? [one.missing] : [])),
  };
}
