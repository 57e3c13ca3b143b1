/** Thread of one benchmark: its timing is not held up by the host's pages, nor are they by its statistics. */
import { parentPort } from 'node:worker_threads';
import type { BenchReport } from '../../contract/bench.ts';
import { toWireError } from '../../contract/errors.ts';
import { loadAddon, type NativeAddon } from '../addon.ts';
import { kernelFolders } from '../bench/ceilings.ts';
import { benchmark, devicesWithCeilings, gpuFacts, readClaims, recordedFacts } from '../bench/index.ts';
import { chooseBaselines, readRegistry } from '../external/registry.ts';
import { externalRuns, rivals } from '../external/rivals.ts';
import { OwnVariants } from '../own/own-variants.ts';
import { isToRelay, RelayedChildren } from '../own/process/relay.ts';
import type { BenchOutcome, BenchTask, Doses, FromBench, ToBench } from './task.ts';

/** Redrawing a progress line faster than this shows nothing more. */
const TELL_EVERY_MS = 100;

const stop = new AbortController();

function tell(message: FromBench): void {
  parentPort?.postMessage(message);
}

const children = new RelayedChildren(tell);

/** The engine with the task's own variants, which the host has made sure are trusted. */
function ownOf({ own, ownLimit_s }: BenchTask): OwnVariants {
  const trusted = new Set(own.map(({ sha256 }) => sha256));
  const variants = new OwnVariants({
    addon: loadAddon(),
    folders: kernelFolders(),
    isTrusted: (sha256) => trusted.has(sha256),
    startChild: children.start,
    limit_s: ownLimit_s,
  });
  for (const one of own) variants.adopt(one);
  return variants;
}

async function perform(task: BenchTask): Promise<BenchOutcome> {
  const own = ownOf(task);
  try {
    return await measureAll(task, own.addon);
  } finally {
    own.close();
  }
}

async function measureAll(task: BenchTask, addon: NativeAddon): Promise<BenchOutcome> {
  const devices = await devicesWithCeilings(addon, () => undefined);
  const recorded = { document: task.document, ...(await recordedFacts(task.assetsFolder, devices)) };
  const claims = await readClaims(task.assetsFolder);
  const registry = task.external.length === 0 ? null : await readRegistry(task.assetsFolder);
  const baselines = registry === null ? [] : chooseBaselines(registry, task.external);
  const reports: BenchReport[] = [];
  const doses: Doses[] = [];
  for (const [index, problem] of task.problems.entries()) {
    if (stop.signal.aborted && index > 0) break;
    const found = new Map<string, Float64Array>();
    let told = { round: -1, at: Number.NEGATIVE_INFINITY };
    const report = await benchmark(addon, problem, {
      scenario: task.scenario,
      variants: task.variants,
      modes: task.modes,
      seed: task.seed,
      limits: task.limits,
      gpu: gpuFacts(devices),
      claims,
      recorded,
      ...(registry !== null && {
        rivals: rivals({
          addon,
          folder: registry.folder,
          baselines,
          scenario: task.scenarios[index],
          ...externalRuns,
          signal: stop.signal,
        }),
      }),
      onDose: (label, dose) => found.set(label, dose),
      onProgress: (progress) => {
        const now = performance.now();
        if (progress.round === told.round && now - told.at < TELL_EVERY_MS) return;
        told = { round: progress.round, at: now };
        tell({ kind: 'progress', progress, report: index });
      },
      signal: stop.signal,
    });
    reports.push(report);
    doses.push(found);
  }
  return { reports, doses };
}

parentPort?.on('message', (message: ToBench) => {
  if (isToRelay(message)) children.take(message);
  else if (message.kind === 'cancel') stop.abort();
  else {
    perform(message.task).then(
      (outcome) => tell({ kind: 'done', outcome }),
      (error: unknown) => tell({ kind: 'failed', error: toWireError(error) }),
    );
  }
});
