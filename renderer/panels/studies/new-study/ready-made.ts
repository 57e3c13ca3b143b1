/** Ready-made studies for the scenario being edited, which cover the most common questions. */
import type { Capabilities } from '../../../../electron/contract/capabilities.ts';
import { kindOfDocument, parsePath, valueAt } from '../../../../electron/contract/scenario/index.ts';
import type { ScenarioDraft } from '../../../../electron/contract/scenario/workload.ts';
import type { StudyDocument } from '../../../../electron/contract/study/index.ts';
import type { Result } from '../../../../electron/contract/wire/methods.ts';
import type { StudyAxes } from './axis-draft.ts';

type Options = Pick<StudyDocument, 'measures' | 'timing' | 'repeats' | 'reference' | 'search' | 'budget'>;

/** Values that a ready-made study fills into the form. */
export interface StudyTemplate extends Options {
  readonly id: string;
  readonly title: string;
  /** Question that the study answers. */
  readonly asks: string;
  readonly base: ScenarioDraft;
  readonly axes: StudyAxes;
}

export interface StudySubject {
  readonly draft: ScenarioDraft;
  /** Scenario with all defaults; null if it has errors. */
  readonly complete: unknown;
  readonly capabilities: Pick<Capabilities, 'variants' | 'cpu'>;
  /** Offers of the host for the scenario; null if it has not responded yet. */
  readonly offers: Result<'study.offers'> | null;
}

/** Factors on the grid step in a convergence study: double, unchanged, half and quarter. */
const FACTORS = [2, 1, 0.5, 0.25] as const;
const TIMED_OPTIONS: Options = { measures: ['readouts', 'times', 'memory'], timing: 'alone', repeats: 5 };
const ENERGIES = { from: 30, to: 230, count: 11 } as const;

function numberAt(document: unknown, path: string): number | null {
  const steps = parsePath(path);
  const value = steps === null ? undefined : valueAt(document, steps);
  return typeof value === 'number' ? value : null;
}

/** The draft without values that fit a single energy only, such as the size of the box. */
function withoutBoxSize(draft: ScenarioDraft): ScenarioDraft {
  const { geometry, grid: _, ...rest } = draft;
  if (typeof geometry !== 'object' || geometry === null) return rest;
  const { depth_mm: _depth, ...kept } = geometry as Record<string, unknown>;
  return Object.keys(kept).length === 0 ? rest : { ...rest, geometry: kept };
}

const roundValue = (value: number): number => Number(value.toPrecision(9));

/** Scales all grid steps together, and then halves each step separately. Errors are relative to the finest grid. */
function convergenceTemplate({ draft, complete }: StudySubject): StudyTemplate | null {
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
    asks: 'How fine must the grid be? All steps are doubled and halved together, then each is halved alone.',
    base: draft,
    axes: [
      {
        kind: 'zip',
        axes: found.map(({ path, step }) => ({
          kind: 'list' as const,
          path,
          values: [...FACTORS, ...found.map((alone) => (alone.path === path ? 0.5 : 1))].map((factor) =>
            roundValue(step * factor),
          ),
        })),
      },
    ],
    reference: Object.fromEntries(found.map(({ path, step }) => [path, roundValue(step * finest)])),
    measures: ['readouts', 'curves', 'ledger', 'times', 'memory'],
  };
}

function rangeTableTemplate({ draft, complete }: StudySubject): StudyTemplate | null {
  if (numberAt(complete ?? draft, 'beam.energy_MeV') === null) return null;
  return {
    id: 'range-table',
    title: 'Range table',
    asks: 'How do range, falloff and peak depend on energy? Beams from 30 to 230 MeV, each on its own grid.',
    base: withoutBoxSize(draft),
    axes: [{ kind: 'range', path: 'beam.energy_MeV', ...ENERGIES }],
    measures: ['readouts', 'ledger', 'times', 'memory'],
  };
}

/** Benchmark of a scenario whose workload has several. */
const benchOf = (draft: ScenarioDraft): string => {
  const kind = valueAt(draft, ['problem', 'kind']);
  return typeof kind === 'string' ? kind : '';
};

function variantsTemplate({ draft, complete, capabilities }: StudySubject): StudyTemplate | null {
  const kind = kindOfDocument(draft);
  const here = capabilities.variants.filter(
    ({ workload, bench, available, id }) =>
      workload === kind && available && id !== 'reference' && (bench === '' || bench === benchOf(draft)),
  );
  const requested = valueAt(complete, ['solver', 'variant']);
  if (here.length < 2 || requested === undefined) return null;
  return {
    id: 'variants',
    title: 'Every variant',
    asks: 'Which variant is fastest on this machine, and does it give the same result? Each point is solved five times, one point at a time.',
    base: draft,
    axes: [{ kind: 'list', path: 'solver.variant', values: here.map(({ id }) => id) }],
    ...TIMED_OPTIONS,
  };
}

function threadsTemplate({ draft, complete, capabilities }: StudySubject): StudyTemplate | null {
  const { logicalCores } = capabilities.cpu;
  if (logicalCores < 2 || numberAt(complete, 'solver.threads') === null) return null;
  const counts = [1, 2, 4, 8, 16, 32, 64, 128].filter((count) => count < logicalCores);
  return {
    id: 'threads',
    title: 'Threads',
    asks: 'How does the time depend on the number of threads? Each point is solved five times, one point at a time.',
    base: draft,
    axes: [{ kind: 'list', path: 'solver.threads', values: [...counts, logicalCores] }],
    ...TIMED_OPTIONS,
  };
}

const DETECTOR = 'detector.width+detector.height';
const PIXELS = [256, 512, 1024, 2048] as const;
/** Parameters that set the size of a problem; the first match is used. */
const SIZES = [
  'problem.m+problem.n+problem.k',
  'problem.n',
  'problem.nx+problem.ny',
  'problem.rows',
  'problem.batch',
] as const;

/** Problem sizes up to the one in the scenario form, by factors of four; null if the scenario has no size parameter. */
function sizeAxis(document: unknown): { readonly path: string; readonly values: readonly number[] } | null {
  const sizeOf = (path: string): number | null => {
    const all = path.split('+').map((one) => numberAt(document, one));
    return all.every((one) => one !== null) ? Math.max(...all) : null;
  };
  if (sizeOf(DETECTOR) !== null) return { path: DETECTOR, values: PIXELS };
  const path = SIZES.find((one) => sizeOf(one) !== null);
  const size = path === undefined ? null : sizeOf(path);
  if (path === undefined || size === null) return null;
  const largest = Math.max(size, 1024);
  return {
    path,
    values: [largest / 64, largest / 16, largest / 4, largest].map((one) => Math.max(1, Math.round(one))),
  };
}

function sizesTemplate({ draft, complete }: StudySubject): StudyTemplate | null {
  const axis = sizeAxis(complete);
  if (axis === null) return null;
  return {
    id: 'sizes',
    title: axis.path === DETECTOR ? 'Detector size' : 'Problem size',
    asks: `How does the time depend on the size, from ${axis.values[0]} to ${axis.values.at(-1)}? Each point is solved five times, one point at a time.`,
    base: draft,
    axes: [{ kind: 'list', path: axis.path, values: [...axis.values] }],
    ...TIMED_OPTIONS,
  };
}

/** Energies to vary (MeV), for scenarios whose energy determines the problem size. */
const CLAIM_ENERGIES = [70, 110, 150, 190] as const;

/** Compares the variants of claims over problem sizes; the study's advice then reports where each claim is valid. */
function claimsTemplate({ draft, complete, offers }: StudySubject): StudyTemplate | null {
  if (offers === null || offers.claims.length === 0) return null;
  const ids = [...new Set(offers.claims.flatMap(({ variants: of }) => of))];
  const beam = numberAt(complete ?? draft, 'beam.energy_MeV') !== null;
  const over = beam ? { path: 'beam.energy_MeV', values: CLAIM_ENERGIES } : sizeAxis(complete);
  const names = offers.claims.map(({ claim }) => claim);
  return {
    id: 'claims',
    title: 'Where each claim holds',
    asks: `${names.slice(0, 3).join(', ')}${names.length > 3 ? ` and ${names.length - 3} more` : ''}: both variants of each claim, ${over === null ? 'for this problem' : 'over sizes'}. Each point is solved five times, one point at a time.`,
    base: beam ? withoutBoxSize(draft) : draft,
    axes: [
      { kind: 'list', path: 'solver.variant', values: ids },
      ...(over === null ? [] : [{ kind: 'list' as const, path: over.path, values: [...over.values] }]),
    ],
    ...TIMED_OPTIONS,
  };
}

const TUNING_MINUTES = 10;

/** Tunes the kernel selected in the scenario form if it is tunable, otherwise the last tunable kernel in the list. */
function tuningTemplate({ draft, complete, offers }: StudySubject): StudyTemplate | null {
  const requested = valueAt(complete ?? draft, ['solver', 'variant']);
  const variant = offers?.tunable.find((one) => one === requested) ?? offers?.tunable.at(-1);
  if (variant === undefined) return null;
  return {
    id: 'tune',
    title: 'Tune this kernel',
    asks: `Which block sizes and tiles are fastest for ${variant} here? ${TUNING_MINUTES} minutes of local search; the best five are measured again.`,
    base: draft,
    axes: [{ kind: 'tunables', variants: [variant] }],
    search: { strategy: 'local' },
    budget: { minutes: TUNING_MINUTES },
  };
}

/** Ready-made studies that fit the scenario. */
export function studyTemplates(subject: StudySubject): readonly StudyTemplate[] {
  return [
    convergenceTemplate,
    rangeTableTemplate,
    variantsTemplate,
    threadsTemplate,
    sizesTemplate,
    claimsTemplate,
    tuningTemplate,
  ]
    .map((make) => make(subject))
    .filter((made) => made !== null);
}
