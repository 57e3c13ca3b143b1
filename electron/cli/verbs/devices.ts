/** `braggbench devices`: lists the devices of this machine, with reasons for those that cannot be used. */
import { formatBytes, formatNumber } from '../../domain/values/units.ts';
import { devicesWithCeilings } from '../../host/api/benches.ts';
import { kernelFoldersOf } from '../../host/api/scenarios.ts';
import { errorFromNative, loadAddon, type NativeAddon } from '../../host/index.ts';
import { hasFlag, jsonFlag } from '../arguments.ts';
import { formatPairs } from '../table.ts';
import type { Terminal } from '../terminal.ts';
import { exitCodes, type Verb } from '../verb.ts';

/** Formats a field of a device as `name value`, with nested objects on one line. */
function formatField(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.entries(value)
    .map(([name, inner]) => `${name} ${formatField(inner)}`)
    .join(', ');
}

/** Compiles the kernels of all workloads in advance, so that first runs do not have to wait. */
async function compileAhead(addon: NativeAddon, terminal: Terminal): Promise<void> {
  for (const workload of kernelFoldersOf(addon, () => true)) {
    const begun_ms = performance.now();
    const warmed = await addon.warmKernels({ workload }).catch((error: unknown) => {
      throw errorFromNative(error);
    });
    const seconds = formatNumber((performance.now() - begun_ms) / 1000);
    terminal.printNote(
      warmed === null
        ? `${workload}: compiled when the program was built`
        : `${workload}: ${warmed.compiled} of ${warmed.pieces} pieces compiled in ${seconds} s, ${warmed.from_cache} from the cache`,
    );
  }
}

type Devices = Awaited<ReturnType<typeof devicesWithCeilings>>;

/** Lines about the driver and libraries, with reasons for missing ones. */
export function driverAndLibraryLines({ cuda, ...libraries }: Devices, width: number): readonly string[] {
  const parts = Object.entries({ cuda, ...libraries }).map(([name, { available, reason }]) => {
    const version = name === 'cuda' && cuda.driver !== null ? `driver ${cuda.driver}` : 'available';
    return { name, missing: !available, text: available ? version : `missing: ${reason ?? 'no reason known'}` };
  });
  // Without a driver, libraries cannot be used, so only --json lists the reasons why they are missing.
  const useless = cuda.available ? [] : parts.filter(({ name, missing }) => missing && name !== 'cuda');
  const lines = [
    ...parts.filter((part) => !useless.includes(part)).map(({ name, text }) => [name, text] as const),
    ...(useless.length === 0 ? [] : [['also missing', useless.map(({ name }) => name).join(', ')] as const]),
  ];
  return formatPairs(lines, width);
}

export const devices: Verb = {
  name: 'devices',
  usage: 'devices [--warm] [--json]',
  summary: 'list CPU and GPUs, and what is missing',
  details: [
    'Shows the hardware of this machine that Braggbench can use. If something is missing (a GPU, a driver, a library), it gives the reason. The limits of a GPU (copy bandwidth, arithmetic, launches) are measured the first time and saved.',
    'Without nvcc a GPU variant is compiled when a run first needs it. --warm compiles all of them now.',
  ],
  flags: [jsonFlag, { name: 'warm', help: 'Compile every GPU kernel now, and save it.' }],
  examples: ['devices --warm'],
  operands: { min: 0, max: 0, name: 'nothing' },
  run: async ({ parsed, terminal }) => {
    const addon = loadAddon();
    if (hasFlag(parsed, 'warm')) await compileAhead(addon, terminal);
    const machine = addon.machine();
    const report = await devicesWithCeilings(addon, (reason) => terminal.printNote(reason));
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
    for (const line of formatPairs(cpu)) terminal.print(line);
    for (const device of report.cuda.devices) {
      terminal.print();
      terminal.print(bold(`GPU ${device.index}: ${device.name}`));
      const rest = Object.entries(device).filter(([name]) => name !== 'name' && name !== 'index');
      for (const line of formatPairs(rest.map(([name, value]) => [name, formatField(value)] as const)))
        terminal.print(line);
    }
    terminal.print();
    terminal.print(bold('GPU support'));
    for (const line of driverAndLibraryLines(report, terminal.pageWidth)) terminal.print(line);
    return exitCodes.done;
  },
};
