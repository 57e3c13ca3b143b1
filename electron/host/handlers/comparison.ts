/** Calls that put results beside each other. */
import type { Subject } from '../../contract/benches.ts';
import type { ComparedMap } from '../../contract/comparison.ts';
import { BraggError } from '../../contract/errors.ts';
import { comparedCurves, noDose } from '../compare/curves.ts';
import { difference, doseMap, gridText } from '../compare/dose-field.ts';
import { comparedRows, floorOf } from '../compare/rows.ts';
import { type Loaded, loadSubject, type SubjectParts } from '../compare/subjects.ts';
import type { Handlers } from '../service/service.ts';

type ComparisonHandlers = Pick<Handlers, Extract<keyof Handlers, `compare.${string}`>>;

export function comparisonHandlers(parts: SubjectParts): ComparisonHandlers {
  const all = (subjects: readonly Subject[]): Promise<Loaded[]> =>
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
      // Without its reference a comparison goes on with the first that is there.
      const against = found[reference] ?? loaded[0];
      if (against === undefined) return { rows: [], noise_floor: null, gone };
      return { rows: comparedRows(loaded, against), noise_floor: floorOf(against), gone };
    },
    'compare.curves': async ({ subjects, reference }) => {
      const fields = (await all(subjects)).map(({ dose }) => dose);
      return { curves: comparedCurves(fields, reference) };
    },
    'compare.maps': async ({ subjects, reference, viewport }) => {
      const fields = (await all(subjects)).map(({ dose }) => dose);
      const against = fields[reference] ?? null;
      return {
        maps: fields.map((field, i): ComparedMap => {
          if (field === null) return { map: null, reason: noDose, difference: null };
          const map = doseMap(field, viewport);
          if (i === reference || against === null) return { map, reason: null, difference: null };
          const less = difference(field, against);
          if (less !== null) return { map, reason: null, difference: doseMap(less, viewport) };
          const reason = `the grids differ: ${gridText(field)} here, ${gridText(against)} of the reference`;
          return { map, reason, difference: null };
        }),
      };
    },
  };
}
