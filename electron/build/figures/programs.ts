/** Tables generated from the output of the command line, which solves scenarios or lists what it supports. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { runProgram } from '../../cli/program.ts';
import { Terminal } from '../../cli/terminal.ts';
import { code, markdownTable, percent, root } from './sessions.ts';

const run = promisify(execFile);

const cachedOutput = new Map<string, Promise<string>>();

/** Runs the command line and returns its standard output. Equal arguments are run only once. */
function runCommandLine(...words: readonly string[]): Promise<string> {
  const key = words.join('\0');
  const made = cachedOutput.get(key) ?? jsonAnswer(words);
  cachedOutput.set(key, made);
  return made;
}

async function jsonAnswer(words: readonly string[]): Promise<string> {
  const said = { out: '', error: '' };
  const into = (name: keyof typeof said) => ({
    write: (text: string) => {
      said[name] += text;
    },
  });
  const terminal = new Terminal(into('out'), into('error'), { ...process.env, NO_COLOR: '1' });
  const code = await runProgram(words, terminal, new AbortController().signal);
  if (code !== 0) throw new Error(`braggbench ${words.join(' ')} exited with code ${code}: ${said.error}`);
  return said.out;
}

const relativeErrorSchema = z.object({ rel_error: z.number() });
const solvedSchema = z.object({
  scenario: z.string(),
  metrics: z.object({
    r80_mm: z.number().nullable(),
    w80_20_mm: z.number().nullable(),
    peak_to_entrance: z.number().nullable(),
    mean_range_mm: z.number().nullable(),
  }),
  ledger: z.object({ number: relativeErrorSchema, energy: relativeErrorSchema }),
  csda_range_mm: z.number().nullable().optional(),
});

const fixedDecimals = (value: number | null | undefined, places: number): string =>
  value == null ? '–' : value.toFixed(places);

function beamRow(title: string, result: z.infer<typeof solvedSchema>): readonly string[] {
  const { metrics, ledger, csda_range_mm } = result;
  return [
    title,
    fixedDecimals(metrics.r80_mm, 2),
    fixedDecimals(metrics.mean_range_mm, 2),
    fixedDecimals(csda_range_mm, 2),
    fixedDecimals(metrics.w80_20_mm, 2),
    fixedDecimals(metrics.peak_to_entrance, 2),
    `1e${Math.ceil(Math.log10(Math.max(ledger.number.rel_error, ledger.energy.rel_error)))}`,
  ];
}

const titles = [
  '>R80, mm',
  '>Mean range, mm',
  '>CSDA range, mm',
  '>W80–20, mm',
  '>Peak to entrance',
  '>Ledger closes to',
];

/** Energies in MeV. */
const beams = [70, 100, 150, 200, 250] as const;

/** Table of beams in water on the automatic grid. Each scenario consists of an energy only. */
export async function waterBeams(energies: readonly number[] = beams): Promise<string> {
  const folder = mkdtempSync(path.join(tmpdir(), 'braggbench-figures-'));
  try {
    const rows: (readonly string[])[] = [];
    for (const energy_MeV of energies) {
      const file = path.join(folder, `${energy_MeV}.json`);
      writeFileSync(file, JSON.stringify({ kind: 'transport', version: 2, beam: { energy_MeV } }));
      rows.push(
        beamRow(`${energy_MeV} MeV`, solvedSchema.parse(JSON.parse(await runCommandLine('run', file, '--json')))),
      );
    }
    return markdownTable(['Beam in water', ...titles], rows);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Built-in scenarios that describe beams and are not intended for timing. */
const shipped = [
  'water-70MeV',
  'water-150MeV',
  'water-200MeV',
  'tilted-45deg-70MeV',
  'bone-slab-150MeV',
  'bone-edge-150MeV',
] as const;

export async function shippedScenarios(names: readonly string[] = shipped): Promise<string> {
  const rows: (readonly string[])[] = [];
  for (const name of names)
    rows.push(beamRow(code(name), solvedSchema.parse(JSON.parse(await runCommandLine('run', name, '--json')))));
  return markdownTable(['Scenario', ...titles], rows);
}

/** Text with R80 of a scenario and its CSDA range along the beam axis. */
export async function rangeText(name: string): Promise<string> {
  const { metrics, csda_range_mm } = solvedSchema.parse(JSON.parse(await runCommandLine('run', name, '--json')));
  return `${fixedDecimals(metrics.r80_mm, 2)} mm of ${fixedDecimals(csda_range_mm, 2)} mm`;
}

const built = z.object({
  layers: z.array(z.unknown()),
  plateau: z.object({ r90_mm: z.number(), m95_mm: z.number(), flatness: z.number() }),
  firstFlatness: z.number(),
});

/** Requested peaks: range and modulation in mm, and further settings. */
export const peaks = [
  [100, 40, ''],
  [150, 50, 'beam.energy_sigma_MeV=0.8'],
  [60, 45, ''],
] as const;

type Peak = readonly [asked: (typeof peaks)[number], found: z.infer<typeof built>];

/** Table of spread-out Bragg peaks: requested range and modulation, and the results of a run with all layers. */
export function peaksTable(found: readonly Peak[]): string {
  const flat = (share: number): string => `±${percent(share)}`;
  const rows = found.map(([[range, modulation, set], { layers, plateau, firstFlatness }]) => {
    const { r90_mm, m95_mm, flatness } = plateau;
    const what = code(`--range ${range} --modulation ${modulation}${set === '' ? '' : ` --set ${set}`}`);
    return [
      what,
      fixedDecimals(r90_mm, 2),
      fixedDecimals(m95_mm, 2),
      flat(flatness),
      flat(firstFlatness),
      String(layers.length),
    ];
  });
  return markdownTable(
    ['`braggbench sobp`', '>R90, mm', '>M95, mm', '>Flatness', '>by Jette and Chen', '>Layers'],
    rows,
  );
}

export async function spreadOutPeaks(): Promise<string> {
  const found: Peak[] = [];
  for (const requested of peaks) {
    const [range, modulation, set] = requested;
    const words = ['--range', `${range}`, '--modulation', `${modulation}`, ...(set === '' ? [] : ['--set', set])];
    found.push([requested, built.parse(JSON.parse(await runCommandLine('sobp', ...words, '--json')))]);
  }
  return peaksTable(found);
}

/** Runs a physics test in C++ and parses the table rows that it prints. `npm test` builds the test program. */
async function physicsTestRows(gate: string): Promise<readonly (readonly string[])[]> {
  const { stdout } = await run(path.join(root, 'dist/native/braggbench_tests'), [gate], {
    env: { ...process.env, BRAGGBENCH_SHOW_GATES: '1' },
  });
  return stdout
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.includes('nan'))
    .map((line) => line.slice(2, -2).split(' | '));
}

/** Table that compares depth doses with a Monte Carlo code. */
export async function reactionsAgainstMonteCarlo(): Promise<string> {
  const titles = ['MeV', 'R80, mm', 'W80–20', 'Plateau', 'Peak to entrance', 'Deposited'];
  const passes = ['γ 1 %/1 mm', 'Absolute', 'γ 2 %/1 mm'];
  return markdownTable(
    [...titles, ...passes].map((title) => `>${title}`),
    await physicsTestRows('nuclear reactions: depth'),
  );
}

/** Table of a plan's range in solid water, computed with several mean excitation energies and by Monte Carlo codes. */
export async function planRangeTable(): Promise<string> {
  return markdownTable(['By', '>R80 beyond the isocentre, mm'], await physicsTestRows("the plan's range offset"));
}

/** Largest depth for which LET is listed, mm. Beyond it, hardly any protons are left. */
const LAST_LET_MM = 164;

/** Table that compares LET in keV/µm with a Monte Carlo code, with differences in per cent. */
export async function letAgainstMonteCarlo(): Promise<string> {
  const averages = ['LETt primary', 'LETd primary', 'LETt all', 'LETd all'];
  const rows = (await physicsTestRows('LET of primaries in a plan')).filter(([depth]) => Number(depth) <= LAST_LET_MM);
  return markdownTable(['>Depth, mm', ...averages.flatMap((title) => [`>${title}`, '>%'])], rows);
}

export const claimsTable = async (): Promise<string> => (await runCommandLine('claims', '--markdown')).trim();

export const claimsByGpu = async (): Promise<string> => (await runCommandLine('claims', '--cards')).trim();

/** First line of `braggbench claims`, which counts the claims by answer. */
export const claimCounts = async (): Promise<string> => (await runCommandLine('claims')).split('\n')[0] ?? '';

/** Help text of a command. Wrapped lines, which are indented by four or more spaces, are joined. */
const helpText = async (...words: readonly string[]): Promise<string> =>
  (await runCommandLine(...words, '--help')).replace(/\n {4,}(?=\S)/g, ' ');

/** Table of all commands with their descriptions, parsed from the help text. */
export async function verbsTable(): Promise<string> {
  const help = await helpText();
  const rows = [...help.matchAll(/^ {2}([a-z-]+) {2,}(\S.*)$/gm)].map(([, name = '', summary = '']) => [
    code(`braggbench ${name}`),
    summary,
  ]);
  return markdownTable(['Verb', 'What it does'], rows);
}

/** Usage and flags of each command. */
export async function usageTexts(): Promise<string> {
  const names = [...(await helpText()).matchAll(/^ {2}([a-z-]+) {2,}\S/gm)].map(([, name = '']) => name);
  const parts: string[] = [];
  for (const name of names) {
    const help = await helpText(name);
    const usage = /^Usage: (.*)$/m.exec(help)?.[1] ?? name;
    const flags = [...help.matchAll(/^ {2}(-{1,2}[a-z].*?) {2,}(\S.*)$/gm)]
      .filter(([, flag]) => flag !== '--help')
      .map(([, flag = '', text = '']) => [code(flag), text]);
    parts.push(`### ${name}\n\n${code(usage)}`);
    if (flags.length > 0) parts.push(markdownTable(['Flag', 'Meaning'], flags));
  }
  return parts.join('\n\n');
}

const problemFormatsSchema = z.array(
  z.strictObject({
    ...{ format: z.string(), part: z.string(), tried: z.number(), converted: z.number() },
    refused: z.array(z.strictObject({ why: z.string(), count: z.number() })),
  }),
);

/** Table of published problems that were converted from other benchmark suites, and reasons why others were not. */
export function problemFormats(): string {
  const rows = problemFormatsSchema.parse(
    JSON.parse(readFileSync(path.join(root, 'assets/problem-formats.json'), 'utf8')),
  );
  return markdownTable(
    ['Format', 'Part', '>Tried', '>Converted', 'Refused'],
    rows.map(({ format, part, tried, converted, refused }) => [
      ...[format, part, String(tried), String(converted)],
      refused.map(({ why, count }) => `${why} (${count})`).join('; ') || 'none',
    ]),
  );
}
