/** The scenario whose spots are the beams of a batch on one grid: as it is, or one beam with every value of a sweep. */
import path from 'node:path';
import { BraggError } from '../../../contract/errors.ts';
import { valueAt } from '../../../contract/scenario/index.ts';
import { mostSpots } from '../../../contract/scenario/transport/spots.ts';
import type { Override, Scenarios, TransportReading } from '../scenarios/index.ts';
import { asBeam } from './batch.ts';

/** Beam parameters that may differ between beams on one grid. */
const OF_A_SPOT = ['energy_MeV', 'range_mm', 'energy_sigma_MeV', 'x_mm', 'x_sigma_mm', 'angle_sigma_mrad'] as const;
/** A spot has these in the place of the beam. */
const ENERGIES = ['energy_MeV', 'range_mm'] as const;

type Beam = Readonly<Record<string, unknown>>;

function keyOf({ path }: Override): string {
  const [beam, key, ...rest] = path;
  if (beam === 'beam' && rest.length === 0 && OF_A_SPOT.some((name) => name === key)) return String(key);
  throw new BraggError(
    'invalid',
    `${path.join('.')} needs a grid for each value; beams on one grid may differ in ${OF_A_SPOT.map((name) => `beam.${name}`).join(', ')}.`,
  );
}

function without(beam: Beam, keys: readonly string[]): Beam {
  return Object.fromEntries(Object.entries(beam).filter(([key]) => !keys.includes(key)));
}

function beamOfSpots(beam: Beam, sweep: readonly (readonly Override[])[]): Beam {
  if (beam['spots'] !== undefined) {
    throw new BraggError('invalid', 'beam.spots are the beams of this scenario; a sweep has no place beside them.');
  }
  if (sweep.length > mostSpots) {
    throw new BraggError('invalid', `${sweep.length} beams on one grid; allowed: at most ${mostSpots}.`);
  }
  const energy = Object.fromEntries(ENERGIES.flatMap((key) => (beam[key] === undefined ? [] : [[key, beam[key]]])));
  const spots = sweep.map((values) => {
    const swept = Object.fromEntries(values.map((override) => [keyOf(override), override.value]));
    return ENERGIES.some((key) => key in swept) ? swept : { ...energy, ...swept };
  });
  return { ...without(beam, ENERGIES), spots };
}

const beamIn = (document: unknown): Beam | null => {
  const beam = valueAt(document, ['beam']);
  return typeof beam === 'object' && beam !== null ? { ...beam } : null;
};

/** Key of the settings that beams on one grid must share; null if this beam cannot share a grid. */
export function familyOf(document: unknown): string | null {
  const beam = beamIn(document);
  if (beam === null || beam['spots'] !== undefined || beam['spots_file'] !== undefined) return null;
  const own = OF_A_SPOT.filter((key) => beam[key] !== undefined);
  return JSON.stringify([own, { ...Object(document), beam: without(beam, own) }]);
}

/** One document of all beams of a family, in their order, which `threads` take side by side. */
export function documentOfFamily(documents: readonly unknown[], threads: number): unknown {
  const [first] = documents;
  const spots = documents.map((document) => {
    const beam = beamIn(document) ?? {};
    return Object.fromEntries(OF_A_SPOT.flatMap((key) => (beam[key] === undefined ? [] : [[key, beam[key]]])));
  });
  const solver = { ...Object(valueAt(first, ['solver'])), threads };
  return { ...Object(first), beam: { ...without(beamIn(first) ?? {}, OF_A_SPOT), spots }, solver };
}

/** `sweep`: what each value changes; null where the scenario has spots of its own. Throws a BraggError. */
export async function readOneGrid(
  scenarios: Scenarios,
  file: string,
  overrides: readonly Override[],
  sweep: readonly (readonly Override[])[] | null,
): Promise<TransportReading> {
  const reading = asBeam(file, await scenarios.read(file, { overrides }));
  if (sweep === null || reading.document === null) return reading;
  const document = { ...reading.document, beam: beamOfSpots({ ...reading.document.beam }, sweep) };
  return asBeam(file, await scenarios.check(document, { name: file, folder: path.dirname(file) }));
}
