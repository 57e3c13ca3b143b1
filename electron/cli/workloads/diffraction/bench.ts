/** `braggbench bench` of a diffraction scenario. */
import path from 'node:path';
import { IMAGE_SESSION_FORMAT, type ImageSession } from '../../../contract/image-bench.ts';
import { suggest } from '../../../contract/scenario/index.ts';
import { commitOf, devicesWithCeilings, gpuFacts } from '../../../host/bench/index.ts';
import type { Host } from '../../../host/index.ts';
import type { Place } from '../../../host/own/own-variants.ts';
import { problemOf } from '../../../host/scenarios/index.ts';
import { benchImages } from '../../../host/workloads/diffraction/bench.ts';
import { imageFits } from '../../../host/workloads/diffraction/sweep.ts';
import { UsageError } from '../../arguments.ts';
import { assetsFolder } from '../../assets-folder.ts';
import {
  keepAndShow,
  type Lines,
  measured,
  refuseExternal,
  roundLine,
  roundsAsked,
  seedOf,
  show,
} from '../../benching.ts';
import type { ExitCode } from '../../exit-codes.ts';
import { modesOf } from '../../modes.ts';
import { openNamed, ours } from '../../own-variants.ts';
import { ProgressBar } from '../../progress-bar.ts';
import type { VerbContext } from '../../verb.ts';
import { imageBenchReport, imageSweepReport } from './bench-report.ts';
import { readImageScenario } from './scenario.ts';

const place: Place = { workload: 'diffraction', bench: '' };

/** Those of --variants in their order, else every one of ours that this machine can run. */
async function variantIds(context: VerbContext, host: Host): Promise<readonly string[]> {
  const named = await openNamed(context, host, place);
  const all = host.addon.diffractionVariants();
  const known = all.map(({ id }) => id);
  for (const id of named ?? []) {
    if (known.includes(id)) continue;
    const near = suggest(id, known);
    const hint = near === null ? '' : ` (did you mean ${near}?)`;
    throw new UsageError(`--variants: ${JSON.stringify(id)} is not known${hint}; allowed: ${known.join(', ')}`);
  }
  return named ?? ours(all);
}

const lines: Lines<ImageSession> = { report: imageBenchReport, sweep: imageSweepReport };

export const showImageSession = (context: VerbContext, session: ImageSession): void => show(context, session, lines);

export async function benchDiffraction(context: VerbContext, host: Host): Promise<ExitCode> {
  const { parsed, terminal, signal } = context;
  refuseExternal(parsed);
  const gpu = gpuFacts(await devicesWithCeilings(host.addon, (reason) => terminal.say(reason)));
  const limits = roundsAsked(parsed);
  const session = await measured(
    context,
    async (more) => {
      const reading = await readImageScenario(context, host, more);
      const progress = new ProgressBar(terminal);
      return benchImages(host.addon, problemOf(reading), {
        scenario: reading.scenario.name || (parsed.operands[0] ?? ''),
        variants: await variantIds(context, host),
        modes: modesOf(parsed),
        seed: seedOf(parsed),
        limits,
        gpu,
        signal,
        onProgress: ({ variant, round, elapsed_s }) =>
          progress.draw(roundLine(variant, round, limits.mostRounds, elapsed_s)),
      }).finally(() => progress.clear());
    },
    imageFits,
  );
  const commit = await commitOf(path.dirname(assetsFolder()));
  return keepAndShow<ImageSession>(context, { format: IMAGE_SESSION_FORMAT, ...session, commit }, lines);
}
