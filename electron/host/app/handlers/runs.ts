/** Calls and streams about runs of every workload. */
import { BraggError } from '../../../contract/errors.ts';
import { exportsOf } from '../../../contract/exports.ts';
import type { ScenarioDraft } from '../../../contract/scenario/draft.ts';
import { sizeOf } from '../../io/aside/size.ts';
import type { FileAccess } from '../../io/files/access.ts';
import { hostWorkloads } from '../../workloads/index.ts';
import type { Scenarios } from '../../workloads/scenarios/index.ts';
import { scenarioDifferencesInTurns } from '../compare/compare.ts';
import { exportRun, type RunPacker } from '../run-files/packer.ts';
import type { Runs } from '../runs/runs.ts';
import type { Handlers, Sources } from '../service/service.ts';
import { placeOf as placeOfScenario, type UserKernels } from '../user-kernels/user-kernels.ts';
import { placeOf } from './scenarios.ts';

/** Calls about figures that the page exports. */
export function figureHandlers({ packer }: { readonly packer: RunPacker }): Pick<Handlers, 'figure.pack'> {
  return { 'figure.pack': async (figure) => ({ bytes: await packer.figure(figure) }) };
}

interface RunParts {
  readonly runs: Runs;
  readonly userKernels: UserKernels;
  readonly scenarios: Scenarios;
  readonly files: FileAccess;
  readonly packer: RunPacker;
}

/** A run of so much is made into a table within milliseconds. */
const SMALL_BYTES = 2 ** 20;

type Names = 'start' | 'cancel' | 'list' | 'forget' | 'scenario' | 'save' | 'open' | 'export';
type RunHandlers = Pick<Handlers, `run.${Names}`>;

/** Changes by the user, as they appear in the name of a run; none if the scenario's own name was changed. */
async function changesOf(saved: ScenarioDraft, draft: ScenarioDraft) {
  if (saved['name'] !== draft['name']) return [];
  const differences = await scenarioDifferencesInTurns(saved, draft);
  return differences.map(({ what, here }) => ({ at: what, value: here.replace(/^"(.*)"$/, '$1') }));
}

export function runHandlers({ runs, userKernels, scenarios, files, packer }: RunParts): RunHandlers {
  return {
    'run.start': async ({ scenario, file, name, saved, trace }) => {
      const reading = await scenarios.check(scenario, await placeOf(files, file));
      const { scenario: complete } = reading;
      if (complete !== null) await userKernels.prepare([complete.solver.variant], placeOfScenario(complete));
      // A scenario with errors is refused by its issues.
      const changes = saved === null || complete === null ? [] : await changesOf(saved, scenario);
      return runs.start({ reading, name, trace, changes });
    },
    'run.cancel': ({ run }) => runs.cancel(run),
    'run.list': () => ({ runs: runs.list() }),
    'run.forget': async ({ run }) => {
      await runs.forget(run);
      return {};
    },
    'run.scenario': ({ run }) => ({ scenario: { ...runs.scenario(run) } }),

    'run.save': async ({ run, file, ifExists }) => {
      const begun_ms = performance.now();
      const named = await files.write(file, await packer.write(await runs.data(run)), ifExists);
      await runs.saved(run, named, (performance.now() - begun_ms) / 1000);
      return named;
    },
    'run.open': async ({ source }) => {
      if (source.kind === 'bytes') return runs.adopt(await packer.read(source.bytes, source.name), null);
      const named = files.nameOf(source.file);
      return runs.adopt(await packer.read(await files.read(source.file), named.name), named);
    },
    'run.export': async ({ run, what }) => {
      const data = await runs.data(run);
      const known = exportsOf(data.workload).map(({ id }) => id);
      if (!known.includes(what)) {
        throw new BraggError('unsupported', `A run of ${data.workload} has no ${what}; there are ${known.join(', ')}.`);
      }
      // Tables and images are as large as the run. Run files are packed on a worker thread anyway.
      if (what !== 'run' && sizeOf(data) > SMALL_BYTES) return exportRun({ run: data, what });
      return hostWorkloads[data.workload].exported(data, what, packer);
    },
  };
}

export function runSources(runs: Runs): Pick<Sources, 'runs' | 'run.progress'> {
  return {
    runs: (_params, sink) => runs.watch(sink),
    'run.progress': ({ run }, sink) => runs.watchProgress(run, sink),
  };
}
