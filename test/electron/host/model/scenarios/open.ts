/** Scenarios over the real addon and the shipped materials. */
import { join } from 'node:path';
import { formatIssue } from '../../../../../electron/contract/scenario/index.ts';
import type { WorkloadName } from '../../../../../electron/contract/workload.ts';
import { extraStraggling, loadAddon, offersOf } from '../../../../../electron/host/io/addon/addon.ts';
import { hostWorkloads } from '../../../../../electron/host/workloads/index.ts';
import { openScenarios, type Reading } from '../../../../../electron/host/workloads/scenarios/index.ts';
import { TransportScenarios } from '../../transport-scenarios.ts';

export const assetsFolder = join(import.meta.dirname, '../../../../../assets');
export const addon = loadAddon(join(import.meta.dirname, '../../../../../dist/native/braggbench.node'));

/** Named here, so that messages in tests do not change with every new variant. */
const variants = ['reference', 'window', 'depth'] as const;

export const namedVariants = (workload: WorkloadName) =>
  workload === 'transport' ? variants.map((id) => ({ id, bench: '' })) : hostWorkloads[workload].variants(addon);

export const scenarios = new TransportScenarios(
  await openScenarios({
    assetsFolder,
    rangeTable: addon.rangeTable,
    variants: namedVariants,
    workloads: hostWorkloads,
    extraStraggling: extraStraggling(addon),
    offers: offersOf(addon),
    memoryLimit_bytes: 2 ** 30,
  }),
);

/** `severity? file:line:column: path: message` of every issue; errors without their severity. */
export function lines(reading: Reading): readonly string[] {
  return reading.issues.map((issue) => (issue.severity === 'warning' ? 'warning ' : '') + formatIssue(issue));
}

/** Reads YAML text as the file `s.yaml` in no folder. */
export function readYaml(text: string): Promise<Reading> {
  return scenarios.parse(text, { name: 's.yaml', folder: null });
}

/** A document of the three required values and `parts`, as the page's form would hand it over. */
export function check(parts: object, energy_MeV = 70): Promise<Reading> {
  return scenarios.check(
    { kind: 'transport', version: 1, beam: { energy_MeV }, ...parts },
    { name: 's', folder: null },
  );
}
