/** A scenario as it is edited. */
import { z } from 'zod';

/**
 * A scenario as the user wrote it: defaults not filled in, possibly invalid. The host checks it against the scenario
 * schema on every use.
 */
export const scenarioDraftSchema = z.record(z.string(), z.unknown());
export type ScenarioDraft = Readonly<z.infer<typeof scenarioDraftSchema>>;
