/** Result of reading a transport scenario. */
import type { TransportDocument, TransportScenario } from '../../../../contract/scenario/index.ts';
import type { TransportProblem } from '../../../io/addon/addon.ts';
import type { Read } from '../../scenarios/read.ts';
import type { PlacedCt } from './ct/placed-ct.ts';
import type { GridEstimate } from './estimate.ts';

/** A transport scenario, or a text that is no scenario at all. */
export interface Reading extends Read {
  /** The draft in the newest version; null if it has errors. */
  readonly document: TransportDocument | null;
  /** With every default, as far as possible if there are errors. Null if there is no usable energy. */
  readonly scenario: TransportScenario | null;
  readonly estimate: GridEstimate | null;
  /** CSDA range along the beam's axis from the entrance, through the regions on it; mm. */
  readonly range_mm: number | null;
  /** CSDA range in water of density 1; mm. */
  readonly waterRange_mm: number | null;
  /** Title of the stopping power table of water in use. */
  readonly table: string | null;
  /** The CT that it names, in its box. */
  readonly ct: PlacedCt | null;
  /** The problem for the engine; null when there are errors. */
  readonly problem: (() => TransportProblem) | null;
}

export interface TransportReading extends Reading {
  readonly kind: 'transport';
}

const nothing = {
  document: null,
  scenario: null,
  estimate: null,
  range_mm: null,
  waterRange_mm: null,
  table: null,
  ct: null,
  problem: null,
};

const isTransport = (reading: { readonly kind: string | null }): reading is TransportReading =>
  reading.kind === 'transport';

/** For those who take transport only: a reading of another kind holds nothing, and an error that says so. */
export function asTransport(
  reading: TransportReading | (Read & { readonly kind: string | null }),
  file: string | null,
): Reading {
  const { draft, issues, kind, locate } = reading;
  if (kind === null) return { draft, issues, locate, ...nothing };
  if (isTransport(reading)) return reading;
  const message = `${JSON.stringify(kind)} is another workload; allowed here: transport`;
  const at = { severity: 'error', file, path: 'kind', line: null, column: null } as const;
  return {
    draft: null,
    issues: [{ ...at, message, value: kind, allowed: 'transport' }, ...issues],
    locate,
    ...nothing,
  };
}
