/**
 * Forecasts the duration of a study on this machine: solves a few points and scales the others by their minimum times.
 */
import { hostname } from 'node:os';
import type { StudyForecast } from '../../../contract/study/calls.ts';
import { documentOf, withShare } from './documents.ts';
import { crewOf, groupsOf, type PointGroup, type Share } from './local/groups.ts';
import type { CheckedPoint, PlannedBase, PlannedStudy } from './plan.ts';
import type { SolvingHost } from './solving-host.ts';

/** A point that takes longer is given up: it says that the study takes more than so much. */
const LONGEST_PROBE_S = 3;
/** Variants of a study that are probed; a plan is looked at at once. */
const MOST_PROBED = 6;

type Timed = CheckedPoint & { readonly least_s: number; readonly needs: string };

interface Rate {
  /** Seconds here for a second of the least time. */
  readonly factor: number;
  readonly whole: boolean;
}

function timedOf(checked: readonly CheckedPoint[]): readonly Timed[] {
  return checked.flatMap((one) => {
    const { need } = one;
    if (need?.least_s == null || need.least_s <= 0) return [];
    return [{ ...one, least_s: need.least_s, needs: `${need.variant} ${need.precision}` }];
  });
}

/** Seconds from the scenario to its result; null where it fails or takes too long. */
async function solve_s(
  host: SolvingHost,
  document: unknown,
  base: PlannedBase,
  signal: AbortSignal,
): Promise<number | null> {
  const reading = await host.scenarios.check(document, base);
  const begun_ms = performance.now();
  const { id } = await host.runs.start({ reading, name: base.name, pictures: false, unlisted: true });
  const cancel = (): void => void host.runs.cancel(id);
  const patience = setTimeout(cancel, LONGEST_PROBE_S * 1000);
  signal.addEventListener('abort', cancel, { once: true });
  try {
    const { state } = await host.runs.ended(id);
    return state === 'done' ? (performance.now() - begun_ms) / 1000 : null;
  } finally {
    clearTimeout(patience);
    signal.removeEventListener('abort', cancel);
    await host.runs.forget(id);
  }
}

/** The smallest point first; then one in the middle, where set-up is less of it, if that is soon done. */
async function rateOf(
  points: readonly Timed[],
  solve: (point: Timed) => Promise<number | null>,
): Promise<Rate & { readonly probed: number }> {
  const sorted = points.toSorted((a, b) => a.least_s - b.least_s);
  const [smallest] = sorted;
  const middle = sorted[sorted.length >> 1];
  if (smallest === undefined || middle === undefined) throw new Error('no point to probe');
  const first_s = await solve(smallest);
  if (first_s === null) return { factor: Math.max(1, LONGEST_PROBE_S / smallest.least_s), whole: false, probed: 1 };
  const factor = first_s / smallest.least_s;
  if (middle === smallest || factor * middle.least_s > LONGEST_PROBE_S) return { factor, whole: true, probed: 1 };
  const second_s = await solve(middle);
  return { factor: second_s === null ? factor : second_s / middle.least_s, whole: true, probed: 2 };
}

const mean = (values: readonly number[]): number => values.reduce((sum, each) => sum + each, 0) / values.length;

/** Points that go on at the same time and do not share a device. */
function lanesOf(group: PointGroup, share: Share, state_bytes: number | null): number {
  const { processes, slots, memory_bytes } = crewOf(group, share, state_bytes);
  if (group.device === 'cuda') return processes.length;
  const fitting =
    state_bytes === null || state_bytes <= 0 ? slots : Math.max(1, Math.floor(memory_bytes / state_bytes));
  return processes.length * Math.min(slots, fitting);
}

/** Null if no point can be run. */
export async function forecastOf(
  host: SolvingHost,
  planned: PlannedStudy,
  share: Share,
  signal: AbortSignal,
): Promise<StudyForecast | null> {
  const { checked, bases, points, state_bytes, study } = planned;
  if (checked.every(({ refusal }) => refusal !== null)) return null;
  const groups = groupsOf({ bases, study }, points, host.addon, share);
  const groupOf = new Map(groups.flatMap((group) => group.lines.map(({ id }) => [id, group] as const)));
  const timed = timedOf(checked);
  const rates = new Map<string, Rate>();
  let probed = 0;
  for (const needs of [...new Set(timed.map((one) => one.needs))].slice(0, MOST_PROBED)) {
    if (signal.aborted) break;
    const rate = await rateOf(
      timed.filter((one) => one.needs === needs),
      ({ point }) => {
        const base = bases[point.base];
        const group = groupOf.get(point.id);
        if (base === undefined || group === undefined) return Promise.resolve(null);
        const { threads } = crewOf(group, share, state_bytes);
        return solve_s(host, withShare(documentOf(base.document, point.settings), threads), base, signal);
      },
    );
    rates.set(needs, rate);
    probed += rate.probed;
  }
  const expected = groups.map((group) => {
    const times = timed.flatMap((one) => {
      const rate = rates.get(one.needs);
      return rate === undefined || groupOf.get(one.point.id) !== group ? [] : [one.least_s * rate.factor];
    });
    return times.length === 0
      ? null
      : (mean(times) * group.lines.length * study.repeats) / lanesOf(group, share, state_bytes);
  });
  const { cpu } = host.capabilities();
  const at_once = groups.reduce((most, group) => Math.max(most, lanesOf(group, share, state_bytes)), 1);
  return {
    at_once,
    memory_bytes: state_bytes === null ? null : at_once * state_bytes,
    machine: hostname(),
    cpu: cpu.name,
    cores: share.cores,
    gpus: share.gpus.length,
    probed,
    expected_s: expected.some((each) => each === null)
      ? null
      : expected.reduce<number>((sum, each) => sum + (each ?? 0), 0),
    isLeast: [...rates.values()].some(({ whole }) => !whole),
  };
}
