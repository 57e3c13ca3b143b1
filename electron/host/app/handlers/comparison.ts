/** Handles calls that compare runs and sessions: rows, curves and maps. */

import type { Subject } from '../../../contract/bench/benches.ts';
import type { ComparedMap } from '../../../contract/bench/comparison.ts';
import { BraggError } from '../../../contract/errors.ts';
import { compareCurves, fieldDifference, fieldMap, gridText, NO_ANSWER } from '../../model/fields/field.ts';
import { comparedRows } from '../compare/rows.ts';
import { type LoadedSubject, loadSubject, type SubjectParts } from '../compare/subjects.ts';
import type { Handlers } from '../service/service.ts';

type ComparisonHandlers = Pick<Handlers, Extract<keyof Handlers, `compare.${string}`>>;

export function comparisonHandlers(parts: SubjectParts): ComparisonHandlers {
  const loadAll = (subjects: readonly Subject[]): Promise<LoadedSubject[]> =>
    Promise.all(subjects.map((subject) => loadSubject(subject, parts)));
  return {
    'compare.rows': async ({ subjects, reference }) => {
      const gone: { subject: Subject; reason: string }[] = [];
      const found = await Promise.all(
        subjects.map((subject) =>
          loadSubject(subject, parts).catch((error: unknown) => {
            if (!(error instanceof BraggError)) throw error;
            gone.push({ subject, reason: error.message });
            return null;
          }),
        ),
      );
      const loaded = found.filter((one) => one !== null);
      // If the reference no longer exists, compare with the first subject that does.
      const against = found[reference] ?? loaded[0];
      if (against === undefined) return { rows: [], words: null, groups: [], gone };
      return { ...(await comparedRows(loaded, against)), words: against.words, gone };
    },
    'compare.curves': async ({ subjects, reference }) => {
      const fields = (await loadAll(subjects)).map(({ field }) => field);
      return { curves: await compareCurves(fields, reference) };
    },
    'compare.maps': async ({ subjects, reference, viewport }) => {
      const fields = (await loadAll(subjects)).map(({ field }) => field);
      const against = fields[reference] ?? null;
      const maps = await Promise.all(
        fields.map(async (field, i): Promise<ComparedMap> => {
          if (field === null) return { map: null, reason: NO_ANSWER, difference: null };
          const map = await fieldMap(field, viewport);
          if (i === reference || against === null) return { map, reason: null, difference: null };
          const less = await fieldDifference(field, against);
          if (less !== null) return { map, reason: null, difference: await fieldMap(less, viewport) };
          const reason = `the grids differ: ${gridText(field)} here, ${gridText(against)} in the reference`;
          return { map, reason, difference: null };
        }),
      );
      return { maps };
    },
  };
}
