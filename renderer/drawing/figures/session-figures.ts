/** The figures of a session: those it has something to say for, with what they show in words. */
import type { BenchReport, BenchSession } from '../../../electron/contract/bench.ts';
import { coldStartFigure } from './cold-start.ts';
import type { Figure, FigureSize } from './figure.ts';
import { seriesInk } from './figure.ts';
import { gainsFigure } from './gains.ts';
import { fastestChain, gains, measuredEntries } from './ladder.ts';
import { rooflineEntries, rooflineFigure } from './roofline.ts';
import { stripsFigure } from './strips.ts';
import { sweepFigure } from './sweep.ts';
import { waterfallFigure } from './waterfall.ts';

export interface SessionFigure {
  /** For file names. */
  readonly id: 'ladder' | 'gains' | 'roofline' | 'sweep' | 'cold-start' | 'samples';
  readonly title: string;
  readonly text: string;
  readonly make: (size: FigureSize) => Figure;
}

function sampled(report: BenchReport): SessionFigure | null {
  const entries = measuredEntries(report).filter(({ samples }) => samples.length > 0);
  const reference = entries.find(({ label }) => label === report.reference);
  if (reference === undefined || entries.length < 2) return null;
  const strips = entries.map((entry, i) => ({
    name: entry.label,
    ink: entry.verdict === 'wrong' ? ('danger' as const) : seriesInk(i),
    ratio: entry.ratio,
    samples: entry.samples.map(({ round, device_s, solve_s, flag }) => ({ round, time_s: device_s ?? solve_s, flag })),
  }));
  const given = { strips, reference_s: reference.time_s, noise_floor: report.noise.floor, own: true };
  return {
    id: 'samples',
    title: 'Samples',
    text: `Every round's time over its variant's own median; the band is how far ${reference.label} strays from itself in the same rounds. Rings are flagged samples.`,
    make: (size) => stripsFigure(given, size),
  };
}

/** Of one report; the sweep's figure where `session` has one. */
export function sessionFigures(session: BenchSession, report: BenchReport): readonly SessionFigure[] {
  const figures: (SessionFigure | null)[] = [];
  const chain = fastestChain(report);
  const [root, fastest] = [chain[0], chain.at(-1)];
  if (chain.length > 1 && root !== undefined && fastest !== undefined) {
    figures.push({
      id: 'ladder',
      title: 'Ladder',
      text: `From ${root.label} to the fastest right variant, ${fastest.label}: each bar is the time that its step took away (green) or added. At the right how many times faster, with the 95 % interval.`,
      make: (size) => waterfallFigure(chain, size),
    });
  }
  const steps = gains(report);
  if (steps.length > 0) {
    figures.push({
      id: 'gains',
      title: 'Each optimisation alone and together',
      text: 'How many times faster each variant is than the one it stands on, and than the lowest rung of its chain, with 95 % intervals. Left of 1× it is slower.',
      make: (size) => gainsFigure(steps, size),
    });
  }
  if (rooflineEntries(report).length > 0) {
    const ceilings = report.machine.gpu?.ceilings != null;
    figures.push({
      id: 'roofline',
      title: 'Roofline',
      text: `From the bytes and operations that each variant declares per cell and step, not from counters${ceilings ? '; the ceilings were measured on this GPU' : '; no ceilings were measured for this machine'}.`,
      make: (size) => rooflineFigure(report, size),
    });
  }
  const fits = session.sweep?.fits ?? [];
  if (fits.length > 0) {
    figures.push({
      id: 'sweep',
      title: `Size sweep of ${session.sweep?.path}`,
      text: 'Time of the steps with its fit (fixed cost and slope, least squares in proportion to the time), share of set-up, and cell-steps per second.',
      make: (size) => sweepFigure(fits, size),
    });
  }
  const entries = measuredEntries(report);
  if (entries.some(({ setup_parts }) => setup_parts.length > 0)) {
    figures.push({
      id: 'cold-start',
      title: 'Cold start',
      text: 'What set-up went into in the first run of the process and, as the median of the rounds, in later ones.',
      make: (size) => coldStartFigure(entries, size),
    });
  }
  figures.push(sampled(report));
  return figures.filter((figure) => figure !== null);
}
