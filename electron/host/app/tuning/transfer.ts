/** Converts studies to and from the file formats of other tuners. */

import { z } from 'zod';
import { BraggError } from '../../../contract/errors.ts';
import {
  PLAN_FORMAT,
  type PlanHead,
  type PlanLine,
  POINT_FORMAT,
  type PointResult,
  STUDY_FOLDER_VERSION,
} from '../../../contract/study/index.ts';
import { parseConfigured } from '../../../contract/tuning/configured.ts';
import { StudyFolder } from '../../model/studies/folder.ts';
import { canonicalJson, pointId } from '../../model/studies/points.ts';
import type { Row } from '../../model/studies/table.ts';
import type { TunedConfiguration, TuningOutcome, TuningResults } from '../../model/tuning/files/kernel-tuner.ts';
import { variantOf } from './evaluator.ts';

/**
 * Marks of a study that was imported from another tuner: the kind of its base document, and the build in its results.
 */
const TUNING_ENDING = 'tuning';
const IMPORTED_ORIGIN = 'imported';
const OUTCOMES: readonly TuningOutcome[] = ['right', 'wrong', 'compile', 'runtime', 'timeout', 'constraints'];

const measureValue = ({ measures }: PointResult, name: string): number | string | null =>
  measures.find((one) => one.name === name)?.value ?? null;
const numberIn = (result: PointResult, name: string): number | null => {
  const value = measureValue(result, name);
  return typeof value === 'number' ? value : null;
};

function outcomeOf(result: PointResult): TuningOutcome {
  if (result.status === 'done') return measureValue(result, 'right') === 'yes' ? 'right' : 'wrong';
  const { code = '', message = '' } = result.error ?? {};
  if (result.where.build === IMPORTED_ORIGIN) return OUTCOMES.find((one) => one === message) ?? 'runtime';
  if (/did not (?:end|finish)|was not compiled/.test(message)) return 'timeout';
  // Errors with the code `invalid` come from the compiler.
  return code === 'invalid' ? 'compile' : 'runtime';
}

const configurationSchema = z.record(z.string(), z.union([z.number(), z.string(), z.boolean()]));
const importedSchema = z.object({ kind: z.literal(TUNING_ENDING), kernel: z.string(), problem: z.string() });

/**
 * Returns the configuration of a point. Imported points have it in their settings, others in the name of their variant.
 */
function configurationOf(
  head: PlanHead,
  line: PlanLine,
): Pick<TunedConfiguration, 'configuration'> & { variant: string } {
  const { data } = importedSchema.safeParse(head.bases[line.base]?.document);
  if (data !== undefined) {
    const values = line.settings.map(({ path, value }) => [String(path[0]), value]);
    return { variant: data.kernel, configuration: configurationSchema.parse(Object.fromEntries(values)) };
  }
  const name = variantOf(head, line);
  return parseConfigured(name) ?? { variant: name, configuration: {} };
}

/**
 * Converts a study to the results of a tuner. Throws BraggError `invalid` if it has several variants or other axes,
 * because those files describe a single kernel.
 */
export function tuningResultsOf(head: PlanHead, rows: readonly Row[]): TuningResults {
  const found = rows.map(({ line, result }) => ({ result, ...configurationOf(head, line) }));
  const variants = [...new Set(found.map(({ variant }) => variant))];
  if (variants.length !== 1)
    throw new BraggError(
      'invalid',
      `${variants.join(', ')}: tuning files contain a single kernel; allowed: a study of one variant`,
    );
  if (new Set(found.map(({ configuration }) => canonicalJson(configuration))).size !== found.length)
    throw new BraggError(
      'invalid',
      'some points have the same configuration; allowed: a study in which only tunables differ',
    );
  const { where } = rows[0]?.result ?? {};
  const of = importedSchema.safeParse(head.bases[0]?.document).data;
  return {
    device: where?.gpu ?? where?.cpu ?? '',
    kernel: variants[0] ?? '',
    problem: of?.problem ?? head.bases[0]?.name ?? '',
    configurations: found.map(({ result, configuration }): TunedConfiguration => {
      const outcome = outcomeOf(result);
      const samples = result.curves.find(({ name }) => name === 'samples')?.values ?? [];
      return {
        ...{ configuration, outcome, time_s: numberIn(result, 'time_s'), compile_s: numberIn(result, 'compile_s') },
        samples_s: samples.filter((one) => one !== null),
        correctness: outcome === 'right' || outcome === 'wrong' ? numberIn(result, 'correctness') : null,
        timestamp: result.finished,
      };
    }),
  };
}

function importPoint(line: PlanLine, one: TunedConfiguration, { device, kernel }: TuningResults): PointResult {
  const ran = one.outcome === 'right' || one.outcome === 'wrong';
  const numberMeasure = (name: string, unit: string, value: number | null): PointResult['measures'] =>
    value === null ? [] : [{ group: 'times', name, unit, value }];
  return {
    ...{ format: POINT_FORMAT, version: STUDY_FOLDER_VERSION, id: line.id, repeats: 1, threads: null, precision: '' },
    status: ran ? 'done' : 'failed',
    error: ran ? null : { code: one.outcome === 'compile' ? 'invalid' : 'unsupported', message: one.outcome },
    ...{ workload: '', variant: kernel, started: one.timestamp, finished: one.timestamp },
    measures: ran
      ? [
          { group: 'readouts', name: 'right', unit: '', value: one.outcome === 'right' ? 'yes' : 'no' },
          ...(one.correctness === null
            ? []
            : [{ group: 'readouts' as const, name: 'correctness', unit: '', value: one.correctness }]),
          ...numberMeasure('time_s', 's', one.time_s),
          ...numberMeasure('compile_s', 's', one.compile_s),
        ]
      : [],
    curves: [
      {
        ...{ name: 'samples', unit: 's', axis: 'sample', axis_unit: '' },
        positions: one.samples_s.map((_, i) => i),
        values: [...one.samples_s],
      },
    ],
    where: {
      ...{ version: '', build: IMPORTED_ORIGIN, commit: null, machine: 'imported', cpu: '', cores: 1, os: '' },
      ...{ gpu: device === '' ? null : device, gpu_uuid: null, driver: null, at_once: 1, job: null },
    },
  };
}

/** Creates a study from imported results. It is displayed like any other study and has no points left to solve. */
export async function importStudy(results: TuningResults, folder: string, name: string): Promise<StudyFolder> {
  const base = { kind: TUNING_ENDING, kernel: results.kernel, problem: results.problem };
  const lines = results.configurations.map(({ configuration }): PlanLine => {
    const settings = Object.entries(configuration).map(([key, value]) => ({ path: [key], value }));
    return { id: pointId({ ...base, configuration }, []), base: 0, settings };
  });
  const once = new Set(lines.map(({ id }) => id));
  if (once.size !== lines.length)
    throw new BraggError('foreign-file', `${name} contains a configuration twice; allowed: each once`);
  const study = await StudyFolder.create(
    folder,
    {
      ...{ format: PLAN_FORMAT, version: STUDY_FOLDER_VERSION, created: new Date().toISOString(), name },
      study: { kind: 'study', version: 1, name, axes: [] },
      bases: [{ name: results.kernel || name, document: base, folder: null, beside: [] }],
      ...{ points: lines.length, state_bytes: null, least_s: null },
    },
    lines,
  );
  for (const [i, line] of lines.entries()) {
    const one = results.configurations[i];
    if (one !== undefined) await study.writeResult(importPoint(line, one, results));
  }
  return study;
}
