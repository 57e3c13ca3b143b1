/** Builds the report entry from a candidate's samples. */

import { gpuOf, type Quantity, type Ratio } from '../../../contract/bench/bench-session.ts';
import {
  type Accuracy,
  correctnessOf,
  LEAST_TIME,
  type MeasuredSessionEntry,
  type SessionReport,
  type Timed,
} from '../../../contract/bench/session.ts';
import { halfInterval } from '../verdicts/levels.ts';
import { type Basis, compareTimes, type Flagged, instancesOf, type Ranked, type Series } from './comparison.ts';
import { ENERGY_QUANTITY } from './conditions/energy.ts';
import { beforeRounds, type Contestant, type EntryHead, type RawSample, rawSample, type Taken } from './contestant.ts';
import type { Determinism } from './parity.ts';
import { type LeastTime, leastTime, type Processor, roofline } from './roofline.ts';
import { median } from './statistics.ts';

/** Data that a session gathers about one candidate. */
export interface Gathered {
  readonly head: EntryHead;
  readonly contestant: Contestant;
  readonly first: Taken;
  readonly determinism: Determinism;
  /** With what audits found so far. */
  accuracy: () => readonly Accuracy[];
  readonly warm: Series<RawSample>;
  /** Cold and replayed series, if requested. */
  readonly others: readonly Series<RawSample>[];
  /** Joules of a run; null where it was not measured. */
  energy_J: number | null;
}

interface EntryFacts {
  readonly basis: Basis<RawSample>;
  /** The same by the time of end-to-end runs; null if these are not timed. */
  readonly whole: Basis<RawSample> | null;
  /** With the ceilings of each GPU that entries ran on. */
  readonly machine: SessionReport['machine'];
  readonly processor: Processor;
}

export function ranked({ head, first, warm, others }: Gathered): Ranked<RawSample> {
  return { label: head.label, buildsOn: head.builds_on, first: rawSample(first, beforeRounds), warm, others };
}

/** Sample as stored in files, without its reported quantities. */
export function keptSample({ raw, flag }: Flagged<RawSample>): Timed {
  const { clocks, parts: _, told: __, wall_s, ...sample } = raw;
  return { ...sample, ...(wall_s === null ? {} : { wall_s }), sm_MHz: clocks.after?.sm_MHz ?? null, flag };
}

function middle(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : median(known);
}

function partsOf(first: Taken, samples: readonly RawSample[]): MeasuredSessionEntry['setup_parts'] {
  const later = samples.filter(({ setup_s }) => setup_s !== null);
  return [...first.parts].map(([name, first_s]) => ({
    name,
    first_s,
    warm_s: later.length === 0 ? null : median(later.map(({ parts }) => parts.get(name) ?? 0)),
  }));
}

/** Over itself a reference has no interval. */
const unlessItself = (ratio: Ratio, isReference: boolean): Ratio =>
  isReference ? { value: 1, interval: null } : ratio;

const energyQuantity = (value: number): Quantity => ({
  ...{ id: ENERGY_QUANTITY, title: 'Energy of a run', value, unit: 'J' },
});

/** A quantity with the interval of its instances, and its reported values by sample if these differ. */
interface Telling {
  readonly quantity: Quantity;
  readonly apart: ReadonlyMap<RawSample, number> | null;
}

function tellings(contestant: Contestant, time_s: number, samples: readonly RawSample[]): readonly Telling[] {
  const said = samples.map((sample) => sample.told ?? contestant.quantities(sample.time_s));
  const told = samples.every((sample) => sample.told !== undefined);
  return contestant.quantities(time_s).map((quantity) => {
    const values = said.map((all) => all.find(({ id }) => id === quantity.id)?.value ?? Number.NaN);
    const of = new Map(samples.map((sample, i) => [sample, values[i] ?? Number.NaN]));
    // A quantity derived from the time has to match the time that is shown.
    const value = told && values.length > 0 ? median(values) : quantity.value;
    if (value === null || values.length === 0 || values.some(Number.isNaN)) {
      return { quantity: { ...quantity, interval: null }, apart: null };
    }
    const half = halfInterval(
      instancesOf(samples, (sample) => of.get(sample) ?? Number.NaN),
      0.05,
    );
    const interval = half === null ? null : { low: value - half, high: value + half };
    return { quantity: { ...quantity, value, interval }, apart: told && new Set(values).size > 1 ? of : null };
  });
}

/** Reported values of a sample that differ between samples. */
function toldApart(sample: RawSample, all: readonly Telling[]): Pick<Timed, 'told'> {
  const own = all.flatMap(({ quantity: { id }, apart }): [string, number][] => {
    const value = apart?.get(sample);
    return value === undefined ? [] : [[id, value]];
  });
  return own.length === 0 ? {} : { told: Object.fromEntries(own) };
}

/** A time below what the machine needs is a check that fails. */
function possible(time_s: number, least: LeastTime | null): Accuracy[] {
  if (least === null || !(time_s < least.time_s)) return [];
  const tip = `${time_s.toPrecision(3)} s is less than this machine needs: ${least.sum}`;
  return [{ id: LEAST_TIME, title: 'Least time', tip, unit: 's', value: time_s, bound: least.time_s, holds: false }];
}

export function measuredEntry(
  gathered: Gathered,
  { basis, whole, machine, processor }: EntryFacts,
): MeasuredSessionEntry {
  const { head, contestant, first, determinism, energy_J } = gathered;
  const own = basis.all.find(({ label }) => label === head.label) ?? ranked(gathered);
  const { raw, verdict, modes, samples, ratio, ...times } = compareTimes(own, basis);
  const { work, repeats, note, compared: _, ...known } = contestant.known();
  const isReference = verdict === 'reference';
  const judgedWhole = whole === null ? null : compareTimes(own, whole);
  const told = tellings(contestant, times.time_s, gathered.warm.samples);
  const ceilings = head.device === 'cuda' ? (gpuOf(machine, head.gpu)?.ceilings ?? null) : null;
  const least = leastTime(work, known.state_bytes, head.device === 'cuda' ? ceilings : processor);
  const accuracy = [...gathered.accuracy(), ...possible(times.time_s, least)];
  const correctness = correctnessOf(accuracy);
  return {
    ...head,
    note: head.note ?? note,
    status: 'measured',
    ...known,
    ...times,
    ratio: unlessItself(ratio, isReference),
    verdict: correctness === 'correct' ? verdict : correctness,
    ...(judgedWhole !== null && {
      whole: {
        ratio: unlessItself(judgedWhole.ratio, isReference),
        verdict: judgedWhole.verdict,
      },
    }),
    first: { time_s: first.time_s, wall_s: first.wall_s },
    first_setup_s: first.setup_s,
    setup_s: middle(raw.map(({ setup_s }) => setup_s)) ?? first.setup_s ?? 0,
    setup_parts: partsOf(first, raw),
    wall_s: middle(raw.map(({ wall_s }) => wall_s)),
    roofline: roofline(work, times.time_s, ceilings),
    accuracy,
    determinism: repeats ?? determinism.report(),
    quantities: [...told.map(({ quantity }) => quantity), ...(energy_J === null ? [] : [energyQuantity(energy_J)])],
    modes: modes.map(({ samples: all, spread: _, ...mode }) => ({ ...mode, samples: all.map(keptSample) })),
    samples: samples.map((sample) => ({ ...keptSample(sample), ...toldApart(sample.raw, told) })),
  };
}
