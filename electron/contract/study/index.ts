/** Studies as every process sees them. */
export { type Expression, ExpressionError, holds, parseExpression } from './expression.ts';
export {
  type Beat,
  beatSchema,
  type KeptCurve,
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
  STUDY_FOLDER_VERSION,
  type Where,
} from './result.ts';
export { publishedStudySchema, validateStudy } from './schema.ts';
export {
  MOST_POINTS,
  type SampledAxis,
  type Study,
  type StudyAxis,
  type StudyDimension,
  type StudyDocument,
  studySchema,
} from './study.ts';
