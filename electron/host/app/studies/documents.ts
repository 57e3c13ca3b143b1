/** The documents that a study's points solve, and the files that these name. */
import { createHash } from 'node:crypto';
import path from 'node:path';
import { validateScenario, valueAt } from '../../../contract/scenario/index.ts';
import type { PlanLine } from '../../../contract/study/index.ts';
import { readPlain } from '../../io/files/plain-file.ts';
import { applyOverrides } from '../../model/scenarios/overrides.ts';
import { hostWorkloads } from '../../workloads/index.ts';

/** The document that is solved at a point. */
export function documentOf(base: unknown, settings: PlanLine['settings']): unknown {
  return applyOverrides(
    base,
    settings.map((setting) => ({ ...setting, swept: true })),
  ).document;
}

/** A run that asks for every core gets its share of them, and no other answer. Null: all. */
export function withShare(document: unknown, threads: number | null): unknown {
  const asked = valueAt(document, ['solver', 'threads']);
  if (threads === null || (asked !== undefined && asked !== 0)) return document;
  return documentOf(document, [{ path: ['solver', 'threads'], value: threads }]);
}

/** Digests of the files that a scenario names: a table that was changed makes other points. */
export async function besides(document: unknown, folder: string | null): Promise<readonly string[]> {
  const { filled } = validateScenario(document);
  if (filled === null || folder === null) return [];
  const files = hostWorkloads[filled.kind].scenario.files(filled);
  return Promise.all(
    files.map(async (file) => {
      // Anything but a regular file, such as a pipe, counts as missing.
      const bytes = await readPlain(path.resolve(folder, file)).catch(() => null);
      return `${file} ${bytes === null ? 'missing' : createHash('sha256').update(bytes).digest('hex')}`;
    }),
  );
}
