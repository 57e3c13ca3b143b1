/** `braggbench variants`: the implementations that can be compared. */
import type { Variant } from '../../contract/capabilities.ts';
import { loadAddon } from '../../host/index.ts';
import { hasFlag } from '../arguments.ts';
import { exitCodes } from '../exit-codes.ts';
import { short } from '../numbers.ts';
import { table } from '../table.ts';
import type { Verb } from '../verb.ts';

function row(variant: Variant): readonly string[] {
  const { id, device, precisions, steppings, buildsOn, bytesPerCellStep, flopsPerCellStep, changes } = variant;
  return [
    id,
    device,
    precisions.join(' '),
    steppings.join(' '),
    short(bytesPerCellStep, 3),
    short(flopsPerCellStep, 3),
    buildsOn ?? '–',
    changes,
  ];
}

/** Variants that cannot run here, together for each reason. */
function absences(all: readonly Variant[]): readonly string[] {
  const byReason = Map.groupBy(
    all.filter(({ available }) => !available),
    ({ reason }) => reason ?? 'no reason known',
  );
  return [...byReason].map(
    ([reason, missing]) => `Not on this machine: ${missing.map(({ id }) => id).join(', ')}. ${reason}`,
  );
}

export const variants: Verb = {
  name: 'variants',
  usage: 'variants [--json]',
  summary: 'list the implementations and what each changes',
  details: [
    'Lists every variant: where it runs, what it offers, the bytes and FLOPs per cell and step that it declares, the variant it builds on and what it changes.',
  ],
  flags: [{ name: 'json', help: 'Print one JSON document instead of text.' }],
  examples: [],
  operands: { min: 0, max: 0, name: 'nothing' },
  run: async ({ parsed, terminal }) => {
    const all = loadAddon().variants();
    if (hasFlag(parsed, 'json')) terminal.printJson({ variants: all });
    else {
      const columns = [
        { title: 'Variant' },
        { title: 'Device' },
        { title: 'Precision' },
        { title: 'Stepping' },
        { title: 'B', align: 'right' },
        { title: 'FLOP', align: 'right' },
        { title: 'Builds on' },
        { title: 'What it changes' },
      ] as const;
      const lines = table(columns, all.map(row), {
        styleTitle: (text) => terminal.style('bold', text),
        width: terminal.width,
      });
      for (const line of lines) terminal.print(line);
      for (const line of absences(all)) terminal.print(`\n${line}`);
    }
    return exitCodes.done;
  },
};
