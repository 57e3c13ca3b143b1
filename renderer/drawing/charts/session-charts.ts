/** The charts of a session: those it has something to say for, with what they show in words, and what there is none of. */
import { gpusUsed } from '../../../electron/contract/bench/bench-session.ts';
import {
  isIncorrect,
  type MeasuredSessionEntry,
  type Session,
  type SessionReport,
} from '../../../electron/contract/bench/session.ts';
import { factorialText } from '../../base/factorial.ts';
import { seriesInk } from '../figures/figure.ts';
import type { Chart } from './chart.ts';
import { claimChart, sweptClaims } from './claim-curve.ts';
import { coldStartChart } from './cold-start.ts';
import { factorialChart } from './factorial.ts';
import { gainsChart } from './gains.ts';
import { fastestChain, gains, measuredEntries } from './ladder.ts';
import { rooflineChart, rooflineEntries } from './roofline.ts';
import { stripsChart } from './strips.ts';
import { sweepChart } from './sweep.ts';
import { waterfallChart } from './waterfall.ts';

interface SessionChart {
  /** For file names. */
  readonly id: string;
  readonly title: string;
  readonly text: string;
  /** Whether it shows the whole sweep, not one report. */
  readonly ofSweep: boolean;
  readonly chart: Chart;
}

/** A chart, or the sentence that stands in its place. */
type Made = SessionChart | { readonly missing: string } | null;

function ladder(report: SessionReport): Made {
  const chain = fastestChain(report);
  const [root, fastest] = [chain[0], chain.at(-1)];
  if (chain.length < 2 || root === undefined || fastest === undefined) {
    return { missing: 'No ladder: no right variant of this session builds on another one that was measured with it.' };
  }
  return {
    id: 'ladder',
    title: 'Ladder',
    text: `From ${root.label} to the fastest correct variant that builds on another, ${fastest.label}: each bar is the time that its step took away (green) or added. At the right how many times faster, with the 95 % interval.`,
    ofSweep: false,
    chart: waterfallChart(chain),
  };
}

function alone(report: SessionReport): Made {
  const steps = gains(report);
  if (steps.length === 0) return null;
  return {
    id: 'gains',
    title: 'Each rung of the ladder',
    text: 'How many times faster each variant is than the one it stands on, and than the lowest rung of its chain, with 95 % intervals. Left of 1× it is slower.',
    ofSweep: false,
    chart: gainsChart(steps),
  };
}

function factorials({ factorials: all = [] }: SessionReport): readonly Made[] {
  return all.map((one) => ({
    id: `factorial-${one.id}`,
    title: one.title,
    text: factorialText(one),
    ofSweep: false,
    chart: factorialChart(one),
  }));
}

const listed = (entries: readonly { readonly label: string }[]): string => entries.map(({ label }) => label).join(', ');

function roofline(report: SessionReport): Made {
  const drawn = rooflineEntries(report);
  if (drawn.length === 0) {
    return { missing: 'No roofline: the variants of this session declare no bytes and operations of their work.' };
  }
  const used = gpusUsed(report.machine, drawn);
  const ceilings = used.some((gpu) => gpu.ceilings !== null);
  const counted = drawn.some(({ quantities }) => quantities.some(({ id }) => id === 'ncu_dram_bytes'));
  const { device } = drawn[0] ?? {};
  const without = measuredEntries(report).filter((one) => one.device === device && !drawn.some((two) => two === one));
  const left = without.length === 0 ? '' : ` Without, because they declare none: ${listed(without)}.`;
  return {
    id: 'roofline',
    title: 'Roofline',
    text: `From the bytes and operations that each variant declares of its work${counted ? '; small dots have the bytes of DRAM that ncu counted' : ', not from counters'}${ceilings ? `; the ceilings were measured on ${used.length > 1 ? 'these GPUs' : 'this GPU'}` : '; no ceilings were measured for this machine'}.${left}`,
    ofSweep: false,
    chart: rooflineChart(report),
  };
}

function sweep({ sweep: swept, words }: Session): Made {
  const fits = swept?.fits ?? [];
  if (fits.length === 0) return { missing: 'No size sweep: this session measured one size.' };
  const rate = words.rate === null ? '' : `, and ${words.rate.toLowerCase()} per second`;
  return {
    id: 'sweep',
    title: `Size sweep of ${swept?.path}`,
    text: `Time ${words.timeTip} with its fit (fixed cost and slope, least squares in proportion to the time), share of set-up${rate}.`,
    ofSweep: true,
    chart: sweepChart(fits, words),
  };
}

function coldStart(report: SessionReport): Made {
  const entries = measuredEntries(report).filter(({ setup_parts }) => setup_parts.length > 0);
  if (entries.length === 0) return { missing: 'No cold start: set-up was not broken into its parts.' };
  return {
    id: 'cold-start',
    title: 'Cold start',
    text: 'What set-up went into in the first run of the process and, where it was measured, in later ones.',
    ofSweep: false,
    chart: coldStartChart(entries),
  };
}

function samples(report: SessionReport, { words }: Session): Made {
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
    text: `Every round's time ${words.timeTip} over its variant's own median; the band is ${reference.label} against itself in the same rounds (A/A). Rings are flagged samples.`,
    ofSweep: false,
    chart: stripsChart(given),
  };
}

function claimCharts(session: Session): readonly Made[] {
  if (session.sweep === null) return [];
  return sweptClaims(session).map((claim) => ({
    id: `claim-${claim.id}`,
    title: claim.claim,
    text: `What was claimed is the band; what was measured, with 95 % intervals, the lines. ${claim.source}.`,
    ofSweep: true,
    chart: claimChart(session, claim),
  }));
}

export interface SessionCharts {
  readonly charts: readonly SessionChart[];
  /** A sentence for each chart that this session cannot have. */
  readonly missing: readonly string[];
}

/** Charts of one report; those of the whole sweep where `session` has one. */
export function sessionCharts(session: Session, report: SessionReport): SessionCharts {
  const all = [
    ladder(report),
    alone(report),
    ...factorials(report),
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
