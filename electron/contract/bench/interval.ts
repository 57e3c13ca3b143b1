/** From the lowest to the highest, both included. */
import { z } from 'zod';

export const intervalSchema = z.strictObject({ low: z.number(), high: z.number() });
export type Interval = Readonly<z.infer<typeof intervalSchema>>;
