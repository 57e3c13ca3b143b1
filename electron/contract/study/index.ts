/** Studies as every process sees them. */
export { type Expression, ExpressionError, holds, parseExpression } from './expression.ts';
export { publishedStudySchema, validateStudy } from './schema.ts';
export {
  MOST_POINTS,
  type SampledAxis,
  STUDY_KIND,
  type Study,
  type StudyAxis,
  type StudyDimension,
  type StudyDocument,
  studySchema,
} from './study.ts';
