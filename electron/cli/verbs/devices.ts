/** `braggbench devices`: what this machine can compute on, and why not on the rest. */
import { formatBytes } from '../../contract/units.ts';
import { loadAddon } from '../../host/index.ts';
import { devicesWithCeilings } from '../../host/model/bench/index.ts';
import { hasFlag, jsonFlag } from '../arguments.ts';
import { exitCodes } from '../exit-codes.ts';
import { pairs } from '../table.ts';
import type { Verb } from '../verb.ts';

/** A field of a device as `name value`; nested objects in one line. */
function field(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.entries(value)
    .map(([name, inner]) => `${name} ${field(inner)}`)
    .join(', ');
}

export const devices: Verb = {
  name: 'devices',
  usage: 'devices [--json]',
  summary: 'list CPU and GPUs, and what is missing',
  details: [
    'Says what this machine computes on. For everything that is missing (a GPU, a driver, a library) it gives the reason. What a GPU does at best (copy bandwidth, arithmetic, launches) is measured the first time and kept.',
  ],
  flags: [jsonFlag],
  examples: [],
  operands: { min: 0, max: 0, name: 'nothing' },
  run: async ({ parsed, terminal }) => {
    const addon = loadAddon();
    const machine = addon.machine();
    const report = await devicesWithCeilings(addon, (reason) => terminal.say(reason));
    if (hasFlag(parsed, 'json')) {
      terminal.printJson({ cpu: machine, ...report });
      return exitCodes.done;
    }
    const bold = (text: string): string => terminal.style('bold', text);
    terminal.print(bold('CPU'));
    const cpu = [
      ['Name', machine.cpu],
      ['Logical cores', String(machine.logicalCores)],
      ['Instructions', machine.isa],
      ['Memory', formatBytes(machine.memoryBytes)],
      ['System', machine.os],
    ] as const;
    for (const line of pairs(cpu)) terminal.print(line);
    for (const device of report.cuda.devices) {
      terminal.print();
      terminal.print(bold(`GPU ${device.index}: ${device.name}`));
      const rest = Object.entries(device).filter(([name]) => name !== 'name' && name !== 'index');
      for (const line of pairs(rest.map(([name, value]) => [name, field(value)] as const))) terminal.print(line);
    }
    terminal.print();
    terminal.print(bold('GPU support'));
    const { cuda, ...libraries } = report;
    const parts = Object.entries({ cuda, ...libraries }).map(([name, { available, reason }]) => {
      const version = name === 'cuda' && cuda.driver !== null ? `driver ${cuda.driver}` : 'there';
      return [name, available ? version : `missing: ${reason ?? 'no reason known'}`] as const;
    });
    for (const line of pairs(parts)) terminal.print(line);
    return exitCodes.done;
  },
};
