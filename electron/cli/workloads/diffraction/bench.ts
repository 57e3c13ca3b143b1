/** `braggbench bench` of a diffraction scenario. */
import { IMAGE_SESSION_FORMAT, type ImageSession } from '../../../contract/bench/image-bench.ts';
import type { BenchKind } from '../../../host/app/user-kernels/user-kernels.ts';
import type { Host } from '../../../host/index.ts';
import { benchImages } from '../../../host/workloads/diffraction/bench.ts';
import { imageSurroundings } from '../../../host/workloads/diffraction/surroundings.ts';
import { imageFits } from '../../../host/workloads/diffraction/sweep.ts';
import { problemOf } from '../../../host/workloads/scenarios/index.ts';
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
import { ProgressBar } from '../../progress-bar.ts';
import { openNamed, ours } from '../../user-kernels.ts';
import type { VerbContext } from '../../verb.ts';
import { imageBenchReport, imageSweepReport } from './bench-report.ts';
import { readImageScenario } from './scenario.ts';

const place: BenchKind = { workload: 'diffraction', bench: '' };

const lines: Lines<ImageSession> = { report: imageBenchReport, sweep: imageSweepReport };

export const showImageSession = (context: VerbContext, session: ImageSession): void => show(context, session, lines);

export async function benchDiffraction(context: VerbContext, host: Host): Promise<ExitCode> {
  const { parsed, terminal, signal } = context;
  refuseExternal(parsed);
  const { commit, gpus, claims, recorded } = await imageSurroundings(host.addon, assetsFolder(), (reason) =>
    terminal.say(`No ceilings: ${reason}`),
  );
  const limits = roundsAsked(parsed);
  const session = await measured(
    context,
    async (more) => {
      const reading = await readImageScenario(context, host, more);
      const progress = new ProgressBar(terminal);
      return benchImages(host.addon, problemOf(reading), {
        scenario: reading.scenario.name || (parsed.operands[0] ?? ''),
        variants: (await openNamed(context, host, place)) ?? ours(host.addon.diffractionVariants()),
        modes: modesOf(parsed),
        seed: seedOf(parsed),
        limits,
        ...{ gpus, claims, signal },
        recorded: { document: { ...reading.document }, ...recorded },
        onProgress: ({ variant, round, elapsed_s }) =>
          progress.draw(roundLine(variant, round, limits.mostRounds, elapsed_s)),
      }).finally(() => progress.clear());
    },
    imageFits,
  );
  return keepAndShow<ImageSession>(context, { format: IMAGE_SESSION_FORMAT, ...session, commit }, lines);
}
