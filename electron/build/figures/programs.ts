/** Tables that the command line makes: it solves, or prints what it knows. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { root } from './documents.ts';
import { code, table } from './text.ts';

const run = promisify(execFile);

/** What the built command line prints to its standard output. */
async function prints(...words: readonly string[]): Promise<string> {
  const { stdout } = await run(process.execPath, [path.join(root, 'dist/host/cli.js'), ...words], {
    maxBuffer: 2 ** 26,
    env: { ...process.env, NO_COLOR: '1' },
  });
  return stdout;
}

const relative = z.object({ rel_error: z.number() });
const solved = z.object({
  scenario: z.string(),
  metrics: z.object({
    r80_mm: z.number().nullable(),
    w80_20_mm: z.number().nullable(),
    peak_to_entrance: z.number().nullable(),
    mean_range_mm: z.number().nullable(),
  }),
  ledger: z.object({ number: relative, energy: relative }),
  csda_range_mm: z.number().nullable().optional(),
});

const to = (value: number | null | undefined, places: number): string => (value == null ? '–' : value.toFixed(places));

function row(title: string, result: z.infer<typeof solved>): readonly string[] {
  const { metrics, ledger, csda_range_mm } = result;
  return [
    title,
    to(metrics.r80_mm, 2),
    to(metrics.mean_range_mm, 2),
    to(csda_range_mm, 2),
    to(metrics.w80_20_mm, 2),
    to(metrics.peak_to_entrance, 2),
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

/** MeV. */
export const beams = [70, 100, 150, 200, 250] as const;

/** Beams in water on the grids that the program chooses: the scenario says its energy and nothing else. */
export async function waterBeams(energies: readonly number[] = beams): Promise<string> {
  const folder = mkdtempSync(path.join(tmpdir(), 'braggbench-figures-'));
  try {
    const rows: (readonly string[])[] = [];
    for (const energy_MeV of energies) {
      const file = path.join(folder, `${energy_MeV}.json`);
      writeFileSync(file, JSON.stringify({ kind: 'transport', version: 1, beam: { energy_MeV } }));
      rows.push(row(`${energy_MeV} MeV`, solved.parse(JSON.parse(await prints('run', file, '--json')))));
    }
    return table(['Beam in water', ...titles], rows);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The scenarios that come with the program and are beams, not timings. */
export const shipped = [
  'water-70MeV',
  'water-150MeV',
  'water-200MeV',
  'tilted-45deg-70MeV',
  'bone-slab-150MeV',
  'bone-edge-150MeV',
] as const;

export async function shippedScenarios(names: readonly string[] = shipped): Promise<string> {
  const rows: (readonly string[])[] = [];
  for (const name of names) rows.push(row(code(name), solved.parse(JSON.parse(await prints('run', name, '--json')))));
  return table(['Scenario', ...titles], rows);
}

/** One figure: R80 of a scenario, with the CSDA range along its axis. */
export async function rangeOf(name: string): Promise<string> {
  const { metrics, csda_range_mm } = solved.parse(JSON.parse(await prints('run', name, '--json')));
  return `${to(metrics.r80_mm, 2)} mm of ${to(csda_range_mm, 2)} mm`;
}

export const claimsTable = async (): Promise<string> => (await prints('claims', '--markdown')).trim();

const finding = z.object({ verdict: z.string() });
const claimRows = z.object({ rows: z.array(z.object({ claims: z.array(z.object({ findings: z.array(finding) })) })) });

/** How many statements of recorded sessions bear a claim out, and how many were measured. */
export async function claimCounts(): Promise<readonly [number, number]> {
  const { rows } = claimRows.parse(JSON.parse(await prints('claims', '--json')));
  const all = rows.flatMap(({ claims }) => claims.flatMap(({ findings }) => findings.map(({ verdict }) => verdict)));
  const judged = all.filter((verdict) => !/^not /.test(verdict));
  return [judged.filter((verdict) => verdict === 'as claimed').length, judged.length];
}

/** The verbs with what they do, as help lists them. */
export async function verbs(): Promise<string> {
  const help = await prints('--help');
  const rows = [...help.matchAll(/^ {2}([a-z-]+) {2,}(\S.*)$/gm)].map(([, name = '', summary = '']) => [
    code(`braggbench ${name}`),
    summary,
  ]);
  return table(['Verb', 'What it does'], rows);
}

/** The usage and flags of each verb. */
export async function usages(): Promise<string> {
  const names = [...(await prints('--help')).matchAll(/^ {2}([a-z-]+) {2,}\S/gm)].map(([, name = '']) => name);
  const parts: string[] = [];
  for (const name of names) {
    const help = await prints(name, '--help');
    const usage = /^Usage: (.*)$/m.exec(help)?.[1] ?? name;
    const flags = [...help.matchAll(/^ {2}(-{1,2}[a-z].*?) {2,}(\S.*)$/gm)]
      .filter(([, flag]) => flag !== '--help')
      .map(([, flag = '', text = '']) => [code(flag), text]);
    parts.push(`### ${name}\n\n${code(usage)}`);
    if (flags.length > 0) parts.push(table(['Flag', 'Meaning'], flags));
  }
  return parts.join('\n\n');
}
