/** A run file as a run of transport. */
import { readRun as readAny } from '../../../electron/host/app/run-files/read.ts';
import { openedAs } from '../../../electron/host/workloads/index.ts';
import type { RunData } from '../../../electron/host/workloads/transport/run-data.ts';

export async function readRun(bytes: Uint8Array, name: string): Promise<RunData> {
  return openedAs('transport', await readAny(bytes, name), name);
}
