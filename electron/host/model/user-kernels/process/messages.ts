/**
 * Between the host and the process of a user kernel. That process knows no
 * workload: it makes one of the addon's objects and calls its methods by name.
 */
import { z } from 'zod';
import { errorCodeSchema } from '../../../../contract/errors.ts';

/** Code that is loaded before the first object is created. */
export type UserKernelCode =
  | { readonly kind: 'library'; readonly file: string }
  /** The interpreter, what runs the candidate in it, and the candidate as it was trusted. */
  | {
      readonly kind: 'python';
      readonly id: string;
      readonly python: string;
      readonly runner: string;
      readonly file: string;
    }
  | { readonly kind: 'kernels'; readonly workload: string; readonly name: string; readonly image: Uint8Array };

/** The addon's functions that a host may ask for. */
export type Factory = 'createTransport' | 'createDiffraction' | 'createTask';

export type ToChild =
  | { readonly kind: 'load'; readonly code: UserKernelCode; readonly memory_bytes: number }
  | { readonly kind: 'create'; readonly factory: Factory; readonly problem: unknown }
  /** `reports`: its first argument is a callback, whose values come back as `report`. `light`: arrays of the result stay. */
  | {
      readonly kind: 'call';
      readonly call: number;
      readonly method: string;
      readonly args: readonly unknown[];
      readonly reports: boolean;
      readonly light: boolean;
    }
  | { readonly kind: 'compile'; readonly request: Readonly<Record<string, unknown>>; readonly memory_bytes: number };

const failure = { code: errorCodeSchema, message: z.string(), log: z.string().nullable() };

export const fromChildSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('ready') }),
  z.strictObject({ kind: z.literal('loaded') }),
  z.strictObject({ kind: z.literal('created') }),
  z.strictObject({ kind: z.literal('report'), value: z.unknown() }),
  z.strictObject({ kind: z.literal('result'), call: z.number().int(), value: z.unknown() }),
  z.strictObject({ kind: z.literal('failed'), call: z.number().int().nullable(), ...failure }),
  z.strictObject({
    kind: z.literal('compiled'),
    image: z.custom<Uint8Array>((one) => one instanceof Uint8Array),
    log: z.string(),
  }),
  /** It takes more memory than it may. */
  z.strictObject({ kind: z.literal('too-large'), rss_bytes: z.number() }),
]);
export type FromChild = z.infer<typeof fromChildSchema>;
