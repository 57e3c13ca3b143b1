/** A study of very many solved points, in the form of its folder. */
import { createHash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import {
  PLAN_FORMAT,
  type PlanLine,
  type PointResult,
  STUDY_FOLDER_VERSION,
} from '../electron/contract/study/index.ts';
import { StudyFolder } from '../electron/host/model/studies/folder.ts';
import { solvedPoint } from './electron/host/model/studies/advice/solved.ts';

export const WIDE_VARIANTS = ['plain', 'tiled', 'blocked', 'fused'] as const;
/** Number of results that are written at the same time. */
const MAX_CONCURRENT_WRITES = 64;

/** Result of one point. Ids are hashes, so that results spread evenly over their folders. */
export function wideRow(i: number) {
  const n = Math.floor(i / WIDE_VARIANTS.length);
  return {
    n,
    id: createHash('sha256').update(`${i}`).digest('hex').slice(0, 16),
    time_s: (1 + (i % 7)) * 1e-3 * (1 + n / 1000),
    r80_mm: 40 + (i % 3) * 1e-3,
  };
}

export async function writeWideStudy(folder: string, rows: number): Promise<void> {
  await mkdir(folder, { recursive: true });
  const lines: PlanLine[] = [];
  const results: PointResult[] = [];
  for (let i = 0; i < rows; i += 1) {
    const { n, id, time_s, r80_mm } = wideRow(i);
    const { line, result } = solvedPoint({
      at: { 'solver.variant': WIDE_VARIANTS[i % WIDE_VARIANTS.length], 'problem.n': n },
      ...{ time_s, within: time_s / 100, readouts: { r80_mm, right: 'yes' } },
    });
    lines.push({ ...line, id });
    results.push({ ...result, id });
  }
  const created = await StudyFolder.create(
    folder,
    {
      ...{ format: PLAN_FORMAT, version: STUDY_FOLDER_VERSION, created: '2026-01-01T00:00:00Z', name: 'wide' },
      ...{ study: { kind: 'study', version: 1 }, bases: [{ name: 'base', document: {}, folder: null, beside: [] }] },
      ...{ points: rows, state_bytes: null, least_s: null },
    },
    lines,
  );
  const next = results.values();
  await Promise.all(
    Array.from({ length: MAX_CONCURRENT_WRITES }, async () => {
      for (const result of next) await created.writeResult(result);
    }),
  );
}

/** Points of a study of ten thousand beams, each of which needs a few milliseconds on one thread. */
export const WIDE_POINTS = 10_000;

export const wideBeams = {
  kind: 'study',
  version: 1,
  base: [
    {
      scenario: {
        ...{ kind: 'transport', version: 1, beam: {} },
        grid: {
          ...{ dx_mm: 2, dz_mm: 0.5, dtheta_mrad: 80, theta_max_mrad: 320 },
          energy: { kind: 'uniform', step_MeV: 0.5 },
        },
        solver: { stepping: 'depth', variant: 'depth', threads: 1 },
      },
    },
  ],
  axes: [{ kind: 'range', path: 'beam.energy_MeV', from: 8, to: 12, count: WIDE_POINTS }],
  measures: ['readouts', 'times'],
} as const;
