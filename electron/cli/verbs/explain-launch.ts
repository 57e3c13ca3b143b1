/** `braggbench explain-launch`: shows how a block size affects a kernel on a GPU. */

import { readFile } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { BraggError } from '../../contract/errors.ts';
import {
  type Code,
  type CodeLanguage,
  codeLanguages,
  type DriverOccupancy,
  type KernelProfile,
  type KernelSet,
} from '../../contract/launches.ts';
import { suggestSimilarWord } from '../../contract/scenario/index.ts';
import {
  type Extent,
  explainLaunch,
  findLimits,
  type LaunchRequest,
  occupancyCurve,
} from '../../domain/launch/launch.ts';
import {
  type LaunchedKernel,
  type LaunchLimits,
  launchLimitsOf,
  publishedLimits,
  withLoadedProperties,
} from '../../domain/launch/occupancy.ts';
import { explainReduction, reductionKinds } from '../../domain/launch/reduction.ts';
import type { Host } from '../../host/index.ts';
import { flagNumber, flagValue, hasFlag, jsonFlag, type ParsedArguments, UsageError } from '../arguments.ts';
import { codeLines } from '../reports/code-report.ts';
import { type LaunchSubject, launchLines } from '../reports/launch-report.ts';
import { withHost } from '../subjects.ts';
import { formatTable } from '../table.ts';
import { obtainTrust, trustFlag } from '../user-kernels.ts';
import { type ExitCode, exitCodes, type Verb, type VerbContext } from '../verb.ts';

const defaultElements = 1_000_000;
const defaultThreads = 256;
const maxElements = 2 ** 53 - 1;

function extentFlag(parsed: ParsedArguments, name: string, otherwise: number): Extent {
  const text = flagValue(parsed, name);
  if (text === undefined) return [otherwise, 1, 1];
  const parts = text.split(/[,x×]/).map((part) => Number(part.trim() === '' ? Number.NaN : part));
  const fine = parts.length <= 3 && parts.every((one) => Number.isInteger(one) && one >= 1 && one <= maxElements);
  if (!fine) {
    const allowed = 'one to three whole numbers of at least 1, as in 1000000 or 512,512,8';
    throw new UsageError(`--${name}: ${JSON.stringify(text)} is not allowed; allowed: ${allowed}`);
  }
  const [x = 1, y = 1, z = 1] = parts;
  return [x, y, z];
}

function selectGpu(host: Host, text: string | undefined) {
  const present = host.capabilities().devices.cuda.devices.filter(({ usable }) => usable);
  const all = [...present.map(launchLimitsOf), ...publishedLimits];
  const usual = all[0]?.origin === 'driver' ? all[0] : findLimits(all, 'sm_90');
  const limits = text === undefined ? usual : (present.map(launchLimitsOf)[Number(text)] ?? findLimits(all, text));
  if (limits === undefined || limits === null) {
    const known = all.map(({ name, architecture }) => `${architecture} (${name})`).join(', ');
    throw new UsageError(`--gpu: ${JSON.stringify(text)} is not known; allowed: ${known}`);
  }
  const device = limits.origin === 'driver' ? present.find(({ name }) => name === limits.name) : undefined;
  return { limits, device: device ?? null };
}

const flags = ['registers', 'static-shared'] as const;
/**
 * Flags that describe a launch. Without a kernel name, they describe the launch of a hypothetical kernel with default
 * resources.
 */
const launchFlags = [...flags, 'elements', 'block', 'grid-stride', 'shared'] as const;

interface ChosenKernel {
  readonly kernel: LaunchedKernel;
  readonly title: string;
  readonly workload: string | null;
  readonly name: string | null;
}

function hypotheticalKernel(parsed: ParsedArguments): ChosenKernel {
  const registers = flagNumber(parsed, 'registers', { min: 1, max: 255, whole: true }) ?? 32;
  const shared_bytes = flagNumber(parsed, 'static-shared', { min: 0, max: 2 ** 20, whole: true }) ?? 0;
  return {
    kernel: { registers, shared_bytes, barriers: 1 },
    title: 'A kernel with these resources',
    workload: null,
    name: null,
  };
}

function findKernel(sets: readonly KernelSet[], name: string, architecture: string): ChosenKernel {
  const all = sets.flatMap(({ workload, kernels }) => kernels.map((kernel) => ({ workload, kernel })));
  const here = all.filter(({ kernel }) => kernel.architecture.replace(/[a-z]$/, '') === architecture);
  const found = here.find(({ kernel }) => kernel.name === name);
  if (found !== undefined) {
    return { kernel: found.kernel, title: `${name} (${found.workload})`, workload: found.workload, name };
  }
  const known = [...new Set(all.map(({ kernel }) => kernel.name))];
  if (known.includes(name))
    throw new UsageError(`${name} was not compiled for ${architecture}; select another architecture with --gpu`);
  const near = suggestSimilarWord(name, known);
  const hint = near === null ? '' : ` (did you mean ${near}?)`;
  throw new UsageError(
    `${JSON.stringify(name)} is not a known kernel${hint}; run explain-launch without a kernel to list them`,
  );
}

function listKernels({ terminal, parsed }: VerbContext, sets: readonly KernelSet[], architecture: string): ExitCode {
  if (hasFlag(parsed, 'json')) {
    terminal.printJson({ sets });
    return exitCodes.done;
  }
  for (const { workload, compiler, session, kernels } of sets) {
    const from = session === null ? 'of this build' : `as recorded in ${session}`;
    terminal.print(
      terminal.style('bold', `${workload}, ${architecture}${compiler === null ? '' : `, CUDA ${compiler}`}, ${from}`),
    );
    const rows = kernels
      .filter((kernel) => kernel.architecture.replace(/[a-z]$/, '') === architecture)
      .map((kernel) => [
        kernel.name,
        String(kernel.registers),
        String(kernel.shared_bytes),
        String(kernel.spill_store_bytes + kernel.spill_load_bytes),
        kernel.max_threads === undefined || kernel.max_threads === null ? '' : String(kernel.max_threads),
      ]);
    const right = { align: 'right' } as const;
    const columns = [
      { title: 'kernel' },
      { title: 'registers', ...right },
      { title: 'shared B', ...right },
      { title: 'spilled B', ...right },
      { title: 'most threads', ...right },
    ];
    for (const text of formatTable(columns, rows)) terminal.print(`  ${text}`);
    terminal.print();
  }
  return exitCodes.done;
}

/**
 * Occupancy according to the driver; null if this machine lacks the GPU or the query fails. Prints the reason of a
 * failure.
 */
async function queryDriverOccupancy(
  { terminal }: VerbContext,
  host: Host,
  chosen: ChosenKernel,
  device: string | null,
  request: LaunchRequest,
): Promise<DriverOccupancy | null> {
  const threads = request.block.reduce((product, extent) => product * extent, 1);
  if (device === null || chosen.workload === null || chosen.name === null || threads > 1024) return null;
  const { workload, name: kernel } = chosen;
  const params = { device, workload, kernel, threads: [threads], dynamic_bytes: request.dynamic_bytes };
  try {
    return await host.call('launch.driver', params);
  } catch (error) {
    if (!(error instanceof BraggError)) throw error;
    terminal.printNote(`The driver was not queried: ${error.message}`);
    return null;
  }
}

function parseLanguage(parsed: ParsedArguments): CodeLanguage | null {
  const text = flagValue(parsed, 'code');
  if (text === undefined) return null;
  const language = codeLanguages.find((one) => one === text);
  if (language === undefined)
    throw new UsageError(`--code: ${JSON.stringify(text)} is not allowed; allowed: ${codeLanguages.join(', ')}`);
  return language;
}

/** Finds a kernel by its name, or compiles a user kernel given as `my.cu` or `my.cu=KERNEL` without running it. */
async function findSubject(
  context: VerbContext,
  host: Host,
  sets: readonly KernelSet[],
  text: string,
  architecture: string,
) {
  const [, file, kernel = null] = /^(.+\.cu)(?:=(\w+))?$/.exec(text) ?? [];
  if (file === undefined) {
    const { workload, name } = findKernel(sets, text, architecture);
    return { kind: 'kernel', workload: workload ?? '', kernel: name ?? text } as const;
  }
  const { id, base } = await host.userKernels.open(resolve(file));
  await obtainTrust(context, host, file);
  return { kind: 'variant', variant: id, workload: base.workload, bench: base.bench, kernel } as const;
}

async function readProfiles(host: Host, file: string | undefined): Promise<readonly KernelProfile[]> {
  if (file === undefined) return [];
  const text = await readFile(file, 'utf8').catch((error: Error) => {
    throw new UsageError(`--hot: ${file} cannot be read (${error.message})`);
  });
  return (await host.call('launch.hot', { name: basename(file), text })).kernels;
}

async function showCode(
  context: VerbContext,
  host: Host,
  sets: readonly KernelSet[],
  { limits, language }: { readonly limits: LaunchLimits; readonly language: CodeLanguage },
): Promise<ExitCode> {
  const { parsed, terminal } = context;
  const hot = await readProfiles(host, flagValue(parsed, 'hot'));
  const { architecture } = limits;
  const codes: Code[] = [];
  for (const text of parsed.operands) {
    const subject = await findSubject(context, host, sets, text, architecture);
    codes.push(await host.call('launch.code', { subject, architecture, language }));
  }
  const [first, second] = codes;
  if (first === undefined)
    throw new UsageError(
      '--code needs one kernel, or two to compare; run explain-launch without a kernel to list them',
    );
  if (hasFlag(parsed, 'json')) terminal.printJson({ codes, hot });
  else {
    const look = {
      ...{ limits, hot, exact: hasFlag(parsed, 'exact'), whole: hasFlag(parsed, 'whole') },
      bold: (one: string) => terminal.style('bold', one),
      differs: (one: string) => terminal.style('yellow', one),
    };
    for (const text of codeLines(second === undefined ? [first] : [first, second], look)) terminal.print(text);
  }
  return codes.some(({ missing }) => missing !== null) ? exitCodes.failed : exitCodes.done;
}

async function runExplainLaunch(context: VerbContext): Promise<ExitCode> {
  const { parsed, terminal } = context;
  const language = parseLanguage(parsed);
  const stride = flagValue(parsed, 'grid-stride');
  const blocks =
    stride === undefined || stride === 'auto'
      ? null
      : flagNumber(parsed, 'grid-stride', { min: 1, max: 2 ** 31 - 1, whole: true });
  return withHost(async (host) => {
    const { limits, device } = selectGpu(host, flagValue(parsed, 'gpu'));
    const [operand, other] = parsed.operands;
    if (language !== null) {
      const { sets } = await host.call('launch.kernels', {});
      return showCode(context, host, sets, { limits, language });
    }
    if (other !== undefined)
      throw new UsageError('two kernels can only be compared by their code: add --code sass or --code ptx');
    const given = (names: readonly string[]): boolean => names.some((flag) => flagValue(parsed, flag) !== undefined);
    const own = given(flags);
    const listing = operand === undefined && !given(launchFlags) && !hasFlag(parsed, 'reduction');
    const { sets, reason } = await host.call('launch.kernels', {});
    // Missing kernels matter only if one was requested by name, or for the list.
    if (reason !== null && (operand !== undefined || listing)) terminal.printNote(reason);
    if (listing) return listKernels(context, sets, limits.architecture);
    if (operand !== undefined && own)
      throw new UsageError(`--${flags.join(' and --')} describe a hypothetical kernel: omit the name ${operand}`);
    const chosen = operand === undefined ? hypotheticalKernel(parsed) : findKernel(sets, operand, limits.architecture);
    const request: LaunchRequest = {
      elements: extentFlag(parsed, 'elements', defaultElements),
      block: extentFlag(parsed, 'block', chosen.kernel.max_threads ?? defaultThreads),
      mapping: stride === undefined ? 'one-per-thread' : 'grid-stride',
      blocks: blocks ?? null,
      dynamic_bytes: flagNumber(parsed, 'shared', { min: 0, max: 2 ** 20, whole: true }) ?? 0,
    };
    const said = await queryDriverOccupancy(context, host, chosen, device?.uuid ?? null, request);
    const kernel = said === null ? chosen.kernel : withLoadedProperties(chosen.kernel, said);
    const driverBlocks = said?.blocks[0] ?? null;
    const launch = explainLaunch(kernel, limits, request);
    if (hasFlag(parsed, 'json')) {
      const curve = occupancyCurve(kernel, limits, request.dynamic_bytes);
      const reductions = reductionKinds.map((kind) => explainReduction(kind, Math.min(1024, launch.threadsPerBlock)));
      terminal.printJson({
        kernel: { name: chosen.name, ...kernel },
        limits,
        launch,
        driverBlocks,
        curve,
        reductions,
      });
    } else {
      const subject: LaunchSubject = { title: chosen.title, kernel, limits, driverBlocks };
      const look = {
        bold: (text: string) => terminal.style('bold', text),
        warn: (text: string) => terminal.style('yellow', text),
        refuse: (text: string) => terminal.style('red', text),
        reductions: hasFlag(parsed, 'reduction') && launch.threadsPerBlock <= 1024,
      };
      for (const text of launchLines(subject, launch, look)) terminal.print(text);
    }
    return exitCodes.done;
  });
}

export const explainLaunchVerb: Verb = {
  name: 'explain-launch',
  usage:
    'explain-launch [KERNEL [OTHER]] [--code sass|ptx] [--elements X,Y,Z] [--block X,Y,Z] [--gpu NAME] [--grid-stride BLOCKS] [--json]',
  summary: 'show what a block size means: grid, occupancy and its limit, waves, tail, elements per thread',
  details: [
    'Analyses a kernel launch: grid and threads; how many blocks fit on a multiprocessor and what limits them; waves and their tail; which thread processes which elements, and the steps of a sum over a block.',
    "Registers and shared memory are those reported by the compiler for each architecture; limits of a GPU in this machine come from its driver, others from NVIDIA's tables. Without KERNEL and resources it lists the kernels.",
  ],
  flags: [
    { name: 'elements', value: 'X,Y,Z', help: `Size of the problem; ${defaultElements} along x by default.` },
    {
      name: 'block',
      value: 'X,Y,Z',
      help: `Threads per block; by default the kernel's launch bounds, otherwise ${defaultThreads}.`,
    },
    { name: 'gpu', value: 'NAME', help: 'Index, part of a name, or architecture, such as 0, h200 or sm_89.' },
    {
      name: 'grid-stride',
      value: 'BLOCKS',
      help: 'Use a grid-stride loop with this number of blocks; auto: as many as are resident at once.',
    },
    { name: 'shared', value: 'BYTES', help: 'Dynamic shared memory at launch, 0 by default.' },
    {
      name: 'code',
      value: 'sass|ptx',
      help: 'Instead of the launch: machine code or PTX of the kernel with registers, spills, shared memory and occupancy; with two kernels, their differences. KERNEL may be ./my.cu or ./my.cu=NAME. SASS needs nvdisasm.',
    },
    { name: 'exact', help: 'With --code and two kernels: names of registers and labels count as differences.' },
    { name: 'whole', help: 'With --code and two kernels: all lines, not only those around differences.' },
    {
      name: 'hot',
      value: 'NCU.csv',
      help: 'With --code sass: show the share of samples at each instruction, from ncu --import REPORT --page source --csv --print-source sass.',
    },
    trustFlag,
    { name: 'reduction', help: 'Also show the steps of a sum over a block: divergent, strided, sequential, shuffles.' },
    { name: 'registers', value: 'N', help: 'Instead of a kernel: registers per thread, 32 by default.' },
    { name: 'static-shared', value: 'BYTES', help: 'Instead of a kernel: shared memory per block, 0 by default.' },
    jsonFlag,
  ],
  examples: [
    'braggbench explain-launch',
    'braggbench explain-launch dense_fill_f32 --elements 36000000 --block 256 --gpu sm_90',
    'braggbench explain-launch micro_reduce_interleaved micro_reduce_sequential --code sass',
    'braggbench explain-launch ./my.cu --code ptx --gpu sm_90',
    'braggbench explain-launch --registers 96 --block 1024 --gpu "rtx 4090" --reduction',
  ],
  operands: { min: 0, max: 2, name: 'kernels' },
  run: runExplainLaunch,
};
