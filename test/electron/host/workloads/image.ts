/** Diffraction images through the real addon, without the command line. */
import type { DiffractionProblem } from '../../../../electron/host/io/addon/task.ts';
import type { ImageRunData } from '../../../../electron/host/workloads/diffraction/image-data.ts';
import { DiffractionWorkloadRun } from '../../../../electron/host/workloads/diffraction/running.ts';
import { problemOf } from '../../../../electron/host/workloads/scenarios/scenarios.ts';
import { addon, assetsFolder, scenarios } from '../model/scenarios/open.ts';
import { smallImage } from './small-image.ts';

export async function renderDocument(document: object, folder: string | null = null): Promise<ImageRunData> {
  const text = JSON.stringify(document);
  const reading = await scenarios.any.parse(text, { name: 'image.json', folder });
  if (reading.kind !== 'diffraction') throw new Error('not a diffraction scenario');
  const { version, build, compiler } = addon.buildInfo();
  const { cpu, logicalCores, memoryBytes: memory_bytes, os } = addon.machine();
  const context = {
    program: { version, build, compiler, commit: null },
    machine: { id: null, cpu, logicalCores, memory_bytes, os, device: null },
    name: reading.scenario.name,
    created: '2026-01-02T03:04:05.000Z',
    finished: '2026-01-02T03:04:06.000Z',
    scenario: { ...reading.document },
    completeScenario: { ...reading.scenario },
    wall_s: 0.01,
  };
  const run = new DiffractionWorkloadRun(addon, problemOf(reading), false);
  const ignore = (): void => undefined;
  return run.start({ reportProgress: ignore, context: () => context, saveCheckpoint: null, warn: ignore });
}

export async function renderShipped(name: string): Promise<ImageRunData> {
  const reading = await scenarios.any.read(`${assetsFolder}/scenarios/diffraction/${name}.json`);
  return renderDocument({ ...reading.draft });
}

/** The problem of `smallImage` in the engine's form. */
export async function smallProblem(): Promise<DiffractionProblem> {
  const reading = await scenarios.any.parse(JSON.stringify(smallImage), { name: 'small.json', folder: null });
  if (reading.kind !== 'diffraction') throw new Error('not a diffraction scenario');
  return problemOf(reading);
}
