/** Under what a session was measured: what makes the same machine's times other ones the next day. */
import { z } from 'zod';
import { intervalSchema } from './interval.ts';

/** Lowest and highest reading of all samples; null where the device does not tell. */
const readSchema = intervalSchema.nullable();

export const environmentSchema = z.strictObject({
  /** Mean number of cores used by other programs during the session; null if the session was too short to measure. */
  other_load_cores: z.number().nonnegative().nullable(),
  /** CPU frequency governor of Linux, such as `performance`; null if the system does not report it. */
  governor: z.string().nullable(),
  /** Whether files of the checkout differed from the commit; null where there is no checkout. */
  dirty: z.boolean().nullable(),
  /** By name: Node.js, and NVIDIA's libraries as they state it. */
  versions: z.record(z.string(), z.string()),
  /** NVML's readings before and after the samples; null on the CPU and without NVML. */
  gpu: z
    .strictObject({
      /** Whether ECC memory is enabled; null if it was not queried. */
      ecc: z.boolean().nullable(),
      /** The driver stays loaded while nobody uses the GPU; null where it does not say, absent in older sessions. */
      persistence: z.boolean().nullable().optional(),
      sm_MHz: readSchema,
      memory_MHz: readSchema,
      power_W: readSchema,
      power_limit_W: readSchema,
      temperature_C: readSchema,
    })
    .nullable(),
});
export type Environment = Readonly<z.infer<typeof environmentSchema>>;

/** More than this many cores at work for others is worth a word: timed threads had to wait for them. */
const quiet_cores = 0.5;

function rangeText(range: z.infer<typeof readSchema>, unit: string): readonly string[] {
  if (range === null) return [];
  const [low, high] = [range.low, range.high].map((value) => String(Math.round(value)));
  return [`${low === high ? low : `${low} to ${high}`} ${unit}`];
}

function gpuText(gpu: NonNullable<Environment['gpu']>): string {
  const { ecc, persistence = null, sm_MHz, memory_MHz, power_W, power_limit_W, temperature_C } = gpu;
  const limit = rangeText(power_limit_W, 'W');
  return [
    ...rangeText(sm_MHz, 'MHz'),
    ...rangeText(memory_MHz, 'MHz of memory'),
    ...rangeText(power_W, 'W').map((power) => power + limit.map((at) => `, limit ${at}`).join('')),
    ...rangeText(temperature_C, '°C'),
    ...(ecc === null ? [] : [ecc ? 'ECC on' : 'ECC off']),
    ...(persistence === null ? [] : [persistence ? 'persistence mode on' : 'persistence mode off']),
  ].join(' · ');
}

function loadText(load: number, cores: number): string {
  const text = `${load.toFixed(1)} of ${cores} cores`;
  return load > quiet_cores ? `${text}; times are inflated` : text;
}

/** For people, name and value: what is known of it. */
export function environmentFacts(environment: Environment | undefined, cores: number): [string, string][] {
  if (environment === undefined) return [];
  const { other_load_cores, governor, dirty, versions, gpu } = environment;
  const libraries = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  return [
    ...(gpu === null ? [] : [['GPU while measured', gpuText(gpu)] as [string, string]]),
    ...(other_load_cores === null ? [] : [['Other programs', loadText(other_load_cores, cores)] as [string, string]]),
    ...(governor === null ? [] : [['Clock of the CPU', governor] as [string, string]]),
    ...(dirty === true ? [['Sources', 'changed since the commit'] as [string, string]] : []),
    ...(libraries.length === 0 ? [] : [['Libraries', libraries.join(', ')] as [string, string]]),
  ];
}
