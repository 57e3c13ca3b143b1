/** `braggbench variants`: lists the variants that can be compared. */
import { scenarioKinds } from '../../contract/scenario/index.ts';
import { kernelFolders } from '../../host/api/benches.ts';
import { UserKernels } from '../../host/api/kernels.ts';
import { loadAddon } from '../../host/index.ts';
import { hasFlag, jsonFlag } from '../arguments.ts';
import { formatTable, wrap } from '../table.ts';
import { exitCodes, type Verb } from '../verb.ts';
import { allWorkloads } from '../workloads/index.ts';
import type { VariantList } from '../workloads/workload.ts';

/** Lines about variants that cannot run on this machine, grouped by reason. */
function unavailableVariantLines(all: VariantList['all']): readonly string[] {
  const byReason = Map.groupBy(
    all.filter(({ available }) => !available),
    ({ reason }) => reason ?? 'no reason known',
  );
  return [...byReason].map(
    ([reason, missing]) => `Not on this machine: ${missing.map(({ id }) => id).join(', ')}. ${reason}`,
  );
}

/** Adds the user kernels of a folder to the engine's lists of variants, without running them. */
async function withUserKernels(folder: string) {
  const userKernels = new UserKernels({ addon: loadAddon(), folders: kernelFolders(), isTrusted: () => false });
  const { troubles } = await userKernels.openAll(folder);
  return { addon: userKernels.addon, troubles };
}

export const variants: Verb = {
  name: 'variants',
  usage: 'variants [--json]',
  summary: 'list the implementations and what each changes',
  details: [
    'Lists every variant of every workload: where it runs, what it offers, which variant it is based on and what it changes. Bytes and FLOPs are those that it declares per cell and step, or for a diffraction image per lattice factor. User kernels in the working directory are included.',
  ],
  flags: [jsonFlag],
  examples: [],
  operands: { min: 0, max: 0, name: 'nothing' },
  run: async ({ parsed, terminal }) => {
    const { addon, troubles } = await withUserKernels(process.cwd());
    for (const { message } of troubles) terminal.printNote(`${terminal.styleNote('yellow', 'warning')} ${message}`);
    const lists = allWorkloads.map(({ kind, workload }) => ({ kind, list: workload.variants(addon) }));
    if (hasFlag(parsed, 'json')) {
      terminal.printJson({ variants: lists.flatMap(({ list }) => list.all) });
      return exitCodes.done;
    }
    const bold = (text: string): string => terminal.style('bold', text);
    for (const [i, { kind, list }] of lists.entries()) {
      if (i > 0) terminal.print();
      terminal.print(bold(scenarioKinds[kind].title));
      for (const line of formatTable(list.columns, list.rows, { styleTitle: bold, width: terminal.pageWidth }))
        terminal.print(line);
      for (const text of unavailableVariantLines(list.all))
        for (const line of ['', ...wrap(text, terminal.pageWidth)]) terminal.print(line);
    }
    return exitCodes.done;
  },
};
