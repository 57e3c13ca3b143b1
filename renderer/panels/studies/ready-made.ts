/** Studies of the scenario in the form that people ask for most. */
import type { Capabilities } from '../../../electron/contract/capabilities.ts';
import type { ScenarioDraft } from '../../../electron/contract/scenario/draft.ts';
import { kindOfDocument, parsePath, valueAt } from '../../../electron/contract/scenario/index.ts';
import type { StudyDocument } from '../../../electron/contract/study/index.ts';
import type { StudyAxes } from './axis-draft.ts';

type Options = Pick<StudyDocument, 'measures' | 'timing' | 'repeats' | 'reference'>;

/** What a ready-made study puts into the form. */
export interface ReadyMade extends Options {
  readonly id: string;
  readonly title: string;
  /** The question that it answers. */
  readonly asks: string;
  readonly base: ScenarioDraft;
  readonly axes: StudyAxes;
}

export interface StudySubject {
  readonly draft: ScenarioDraft;
  /** With every value; null where it has errors. */
  readonly complete: unknown;
  readonly capabilities: Pick<Capabilities, 'variants' | 'cpu'>;
}

/** Twice the step, the step, half of it and a quarter. */
const FACTORS = [2, 1, 0.5, 0.25] as const;
const TIMED: Options = { measures: ['readouts', 'times', 'memory'], timing: 'alone', repeats: 5 };
const ENERGIES = { from: 30, to: 230, count: 11 } as const;

function numberAt(document: unknown, path: string): number | null {
  const steps = parsePath(path);
  const value = steps === null ? undefined : valueAt(document, steps);
  return typeof value === 'number' ? value : null;
}

/** Without values that fit one energy only. */
function boxFree(draft: ScenarioDraft): ScenarioDraft {
  const { geometry, grid: _, ...rest } = draft;
  if (typeof geometry !== 'object' || geometry === null) return rest;
  const { depth_mm: _depth, ...kept } = geometry as Record<string, unknown>;
  return Object.keys(kept).length === 0 ? rest : { ...rest, geometry: kept };
}

const rounded = (value: number): number => Number(value.toPrecision(9));

/** All steps of the grid together, and the finest as what errors are told against. */
function convergence({ draft, complete }: StudySubject): ReadyMade | null {
  const paths = ['grid.dz_mm', 'grid.dx_mm', 'grid.dtheta_mrad', 'grid.energy.step_mm', 'grid.energy.step_MeV'];
  const found = paths.flatMap((path) => {
    const step = numberAt(complete, path);
    return step === null ? [] : [{ path, step }];
  });
  const [first] = found;
  if (first === undefined || found.length < 2) return null;
  const finest = FACTORS.at(-1) ?? 1;
  return {
    id: 'convergence',
    title: 'Convergence',
    asks: 'How fine must the grid be? All its steps are doubled and halved together; errors are told against the finest.',
    base: draft,
    axes: [
      {
        kind: 'zip',
        axes: found.map(({ path, step }) => ({
          kind: 'list' as const,
          path,
          values: FACTORS.map((factor) => rounded(step * factor)),
        })),
      },
    ],
    reference: Object.fromEntries(found.map(({ path, step }) => [path, rounded(step * finest)])),
    measures: ['readouts', 'curves', 'ledger', 'times', 'memory'],
  };
}

function rangeTable({ draft, complete }: StudySubject): ReadyMade | null {
  if (numberAt(complete ?? draft, 'beam.energy_MeV') === null) return null;
  return {
    id: 'range-table',
    title: 'Range table',
    asks: 'How do range, falloff and peak go with energy? From 30 to 230 MeV, each on its own grid.',
    base: boxFree(draft),
    axes: [{ kind: 'range', path: 'beam.energy_MeV', ...ENERGIES }],
    measures: ['readouts', 'ledger', 'times', 'memory'],
  };
}

/** The bench of a scenario that measures one of several. */
const benchOf = (draft: ScenarioDraft): string => {
  const kind = valueAt(draft, ['problem', 'kind']);
  return typeof kind === 'string' ? kind : '';
};

function variants({ draft, complete, capabilities }: StudySubject): ReadyMade | null {
  const kind = kindOfDocument(draft);
  const here = capabilities.variants.filter(
    ({ workload, bench, available, id }) =>
      workload === kind && available && id !== 'reference' && (bench === '' || bench === benchOf(draft)),
  );
  const asked = valueAt(complete, ['solver', 'variant']);
  if (here.length < 2 || asked === undefined) return null;
  return {
    id: 'variants',
    title: 'Every variant',
    asks: 'Which variant is fastest on this machine, and does it give the same answer? Each alone, five times.',
    base: draft,
    axes: [{ kind: 'list', path: 'solver.variant', values: here.map(({ id }) => id) }],
    ...TIMED,
  };
}

function threads({ draft, complete, capabilities }: StudySubject): ReadyMade | null {
  const { logicalCores } = capabilities.cpu;
  if (logicalCores < 2 || numberAt(complete, 'solver.threads') === null) return null;
  const counts = [1, 2, 4, 8, 16, 32, 64, 128].filter((count) => count < logicalCores);
  return {
    id: 'threads',
    title: 'Threads',
    asks: 'How does the time go with the number of threads? Each alone, five times.',
    base: draft,
    axes: [{ kind: 'list', path: 'solver.threads', values: [...counts, logicalCores] }],
    ...TIMED,
  };
}

const SIZES = [256, 512, 1024, 2048] as const;

function detectors({ draft, complete }: StudySubject): ReadyMade | null {
  if (numberAt(complete ?? draft, 'detector.width') === null) return null;
  return {
    id: 'sizes',
    title: 'Detector size',
    asks: 'How does the time go with the number of pixels? From 256² to 2048², each alone, five times.',
    base: draft,
    axes: [{ kind: 'list', path: 'detector.width+detector.height', values: [...SIZES] }],
    ...TIMED,
  };
}

function sizes({ draft, complete }: StudySubject): ReadyMade | null {
  const n = numberAt(complete, 'problem.n');
  if (n === null) return null;
  const largest = Math.max(n, 1024);
  const values = [largest / 64, largest / 16, largest / 4, largest].map((size) => Math.max(1, Math.round(size)));
  return {
    id: 'sizes',
    title: 'Problem size',
    asks: 'How does the time go with the size? Up to the size in the form, by factors of four.',
    base: draft,
    axes: [{ kind: 'list', path: 'problem.n', values }],
    ...TIMED,
  };
}

/** Those that fit the scenario. */
export function readyMade(subject: StudySubject): readonly ReadyMade[] {
  return [convergence, rangeTable, variants, threads, detectors, sizes]
    .map((make) => make(subject))
    .filter((made) => made !== null);
}
