/** How a beam is given, and its spots as the editor adds and changes them. No React. */
import { type Spot, valueAt } from '../../../electron/contract/scenario/index.ts';

export const beamWays = ['energy', 'range', 'spots', 'file'] as const;
export type BeamWay = (typeof beamWays)[number];

export const beamWayTitles: Readonly<Record<BeamWay, string>> = {
  energy: 'Its energy',
  range: 'Its range in water',
  spots: 'A list of spots',
  file: 'A file of spots…',
};

type Draft = Readonly<Record<string, unknown>>;

/** Which of them the document has; the first that is there, where it has several. */
export function beamWayOf(beam: unknown): BeamWay {
  const spots = valueAt(beam, ['spots']);
  if (valueAt(beam, ['energy_MeV']) !== undefined) return 'energy';
  if (valueAt(beam, ['range_mm']) !== undefined) return 'range';
  if (spots === undefined) return 'energy';
  return Array.isArray(spots) ? 'spots' : 'file';
}

const round = (value: number, digits: number): number => Number(value.toPrecision(digits));

/** The same beam as nearly as it can be, given the other way. `energy_MeV` and `range_mm` are those in force. */
export function beamGiven(
  beam: Draft,
  way: BeamWay,
  inForce: { readonly energy_MeV: number; readonly range_mm: number },
): Draft {
  const { energy_MeV: _energy, range_mm: _range, range_is, spots: _spots, ...rest } = beam;
  if (way === 'energy') return { energy_MeV: round(inForce.energy_MeV, 5), ...rest };
  if (way === 'range') {
    return { range_mm: round(inForce.range_mm, 5), ...(range_is === undefined ? {} : { range_is }), ...rest };
  }
  if (way === 'file') return { spots: { file: '' }, ...rest };
  return { spots: [{ energy_MeV: round(inForce.energy_MeV, 5) }], ...rest };
}

/** A further spot: as the last one, a little slower. */
export function nextSpot(spots: readonly unknown[]): Draft {
  const last = spots.at(-1);
  if (typeof last !== 'object' || last === null) return { energy_MeV: 70 };
  const energy = valueAt(last, ['energy_MeV']);
  return { ...last, ...(typeof energy === 'number' ? { energy_MeV: round(0.97 * energy, 4) } : {}) };
}

/** Resolved spots, as the host has completed them. */
export function spotsInForce(scenario: unknown): readonly Spot[] {
  const spots = valueAt(scenario, ['beam', 'spots']);
  return Array.isArray(spots) ? (spots as readonly Spot[]) : [];
}
