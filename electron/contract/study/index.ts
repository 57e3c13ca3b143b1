import { allowedInExpressions, ExpressionError, parseExpression } from '../../domain/values/expression.ts';
import { explainIssues } from '../scenario/explain.ts';
import { type FieldIssue, fieldIssue } from '../scenario/field-issue.ts';
import { generateJsonSchema, type JsonSchema } from '../scenario/schema.ts';
import { type Study, studySchema } from './study.ts';

/** The published file, study-1.schema.json. */
export function publishedStudySchema(): JsonSchema {
  const { $schema, ...body } = generateJsonSchema(studySchema);
  return {
    $schema: $schema ?? 'https://json-schema.org/draft/2020-12/schema',
    $id: 'study-1.schema.json',
    title: 'Braggbench study',
    description: 'Base scenarios and axes of values: every combination is a point.',
    ...body,
  };
}

function conditionIssues({ conditions }: Study): readonly FieldIssue[] {
  return conditions.flatMap((text, i) => {
    try {
      parseExpression(text);
      return [];
    } catch (error) {
      if (!(error instanceof ExpressionError)) throw error;
      const says = `is not a valid condition: at character ${error.at + 1}, ${error.message}`;
      return [fieldIssue(['conditions', i], text, says, allowedInExpressions)];
    }
  });
}

const VARIANT = 'solver.variant';

/** Distinct paths of the fields that the axes set. */
function axisPaths(dimensions: Study['axes']): readonly string[] {
  return dimensions.flatMap((dimension) => {
    if (dimension.kind === 'tunables') return [VARIANT];
    const axes = 'axes' in dimension ? dimension.axes : [dimension];
    return axes.flatMap(({ path }) => path.split('+').map((one) => one.trim()));
  });
}

function referenceIssues({ reference = {}, axes }: Study): readonly FieldIssue[] {
  const known = axisPaths(axes);
  return Object.keys(reference)
    .filter((path) => !known.includes(path))
    .map((path) =>
      fieldIssue(['reference'], path, 'is not set by any axis', known.join(', ') || 'the path of an axis'),
    );
}

/** Rejects grids with timing or repeats, because beams on one grid are solved together in a single run. */
function gridIssues({ grids, timing, repeats }: Study): readonly FieldIssue[] {
  if (grids === 'own') return [];
  return [
    ...(timing === 'alone'
      ? [fieldIssue(['timing'], timing, 'requires that beams are solved one by one', 'shared, because grids is shared')]
      : []),
    ...(repeats > 1
      ? [fieldIssue(['repeats'], repeats, 'requires that beams are solved one by one', '1, because grids is shared')]
      : []),
  ];
}

/**
 * Rejects energy measurements with concurrent points. Energy counters measure the complete device, so they cannot
 * separate points.
 */
function energyIssues({ measures, timing, search }: Study): readonly FieldIssue[] {
  if (!measures.includes('energy') || timing === 'alone' || search !== undefined) return [];
  const says = 'cannot be measured for points that run at the same time';
  return [fieldIssue(['measures'], 'energy', says, 'energy with timing: alone, one point at a time')];
}

/** Rejects searches over axes that change the problem, because times of different problems are not comparable. */
function searchIssues({ search, axes, base }: Study): readonly FieldIssue[] {
  if (search === undefined) return [];
  const other = axisPaths(axes).find((path) => path !== VARIANT);
  return [
    ...(base.length > 1 ? [fieldIssue(['base'], base.length, 'are too many base scenarios for a search', 'one')] : []),
    ...(other === undefined
      ? []
      : [fieldIssue(['axes'], other, 'changes the problem', `only axes of ${VARIANT} and tunables, with a search`)]),
  ];
}

/** Validates `value`, which may be any JSON. The returned study is null if there are errors. */
export function validateStudy(value: unknown): {
  readonly study: Study | null;
  readonly faults: readonly FieldIssue[];
} {
  const parsed = studySchema.safeParse(value);
  if (!parsed.success) return { study: null, faults: explainIssues(publishedStudySchema(), value, parsed.error) };
  const faults = [conditionIssues, referenceIssues, gridIssues, energyIssues, searchIssues].flatMap((of) =>
    of(parsed.data),
  );
  return { study: faults.length === 0 ? parsed.data : null, faults };
}

/** Parts of the study contract that all processes may import. */
export { type Expression, ExpressionError, isTrue, parseExpression } from '../../domain/values/expression.ts';
export {
  type Heartbeat,
  heartbeatSchema,
  type Measure,
  type MeasureGroup,
  measureGroups,
  PLAN_FORMAT,
  type PlanHead,
  type PlanLine,
  POINT_FORMAT,
  type PointResult,
  planHeadSchema,
  planLineSchema,
  pointResultSchema,
  type SavedCurve,
  type SolverMachine,
  STUDY_FOLDER_VERSION,
} from './result.ts';
export {
  MAX_POINTS,
  type SampledAxis,
  type Study,
  type StudyAxis,
  type StudyDimension,
  type StudyDocument,
  studySchema,
} from './study.ts';
