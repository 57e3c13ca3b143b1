/**
 * Finds the highest copy rate of a GPU: measured on this machine, or in a recorded session on a GPU with the same name.
 */
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { ceilingsSchema, type DeviceReport } from '../../../contract/capabilities.ts';

/** Fields of a session that contain its GPU's copy rate. Other fields are not validated. */
const sessionSchema = z.object({
  reports: z.array(
    z.object({
      machine: z.object({ gpu: z.object({ name: z.string(), ceilings: ceilingsSchema.nullable() }).nullable() }),
    }),
  ),
});

async function recordedCopyRates(folder: string): Promise<ReadonlyMap<string, number>> {
  const found = new Map<string, number>();
  const names = await readdir(folder).catch(() => []);
  for (const name of names.filter((each) => each.endsWith('.json'))) {
    try {
      const session = sessionSchema.parse(JSON.parse(await readFile(path.join(folder, name), 'utf8')));
      for (const { machine } of session.reports) {
        const rate = machine.gpu?.ceilings?.copy_bytes_per_s;
        if (machine.gpu !== null && rate !== undefined) found.set(machine.gpu.name, rate);
      }
    } catch {
      // Files of other versions may have no ceilings and are skipped.
    }
  }
  return found;
}

/** Copy rate by the GPU's name, in bytes read plus bytes written per second; null if it was not measured. */
export function copyCeilings(
  devices: () => DeviceReport,
  recordedFolder: string,
): (device: string) => Promise<number | null> {
  let recorded: Promise<ReadonlyMap<string, number>> | null = null;
  return async (device) => {
    const own = devices().cuda.devices.find(({ name, ceilings }) => name === device && ceilings !== null);
    if (own?.ceilings) return own.ceilings.copy_bytes_per_s;
    recorded ??= recordedCopyRates(recordedFolder);
    return (await recorded).get(device) ?? null;
  };
}
