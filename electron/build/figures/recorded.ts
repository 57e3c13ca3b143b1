/** Sessions planned by `npm run bench -- gpu` compared with those in assets/runs. */
import path from 'node:path';
import type { SessionReport } from '../../contract/bench/session.ts';
import { keptFile, nameOf, roomOf } from '../bench/gpu-plan.mjs';
import { GPU_SESSIONS } from '../bench/gpu-sessions.mjs';
import { readTargets } from '../bench/measured.ts';
import { root } from './documents.ts';
import { session } from './sessions.ts';
import { code, table } from './text.ts';

const found = (planned: { readonly file: string }): string | null => keptFile(path.join(root, 'assets/runs'), planned);

const TITLES: Readonly<Record<string, string>> = {
  transport: 'transport',
  diffraction: 'diffraction',
  'linear-relu': 'linear layer',
  micro: 'small workloads',
};

/** Files of assets/measured, in the order of the table. */
const KEPT_TARGETS = [
  'cpu',
  'start',
  'maps',
  'timeline',
  'gpu-h200',
  'gpu-h100',
  'gpu-let',
  'gpu-two',
  'gpu-four',
] as const;

const cardOf = ({ machine }: SessionReport): string => /H\d+/.exec(machine.gpu?.name ?? '')?.[0] ?? 'no GPU';
const numbered = (values: readonly string[]): string =>
  [...Map.groupBy(values, (value) => value)].map(([value, all]) => `${value}: ${all.length}`).join(', ');

/** Number of planned sessions of each workload that are recorded, with GPU model, date and stopping rule. */
export function recorded(): string {
  const rooms = Map.groupBy(GPU_SESSIONS, roomOf);
  const rows = [...rooms].map(([room, planned]) => {
    const there = planned.flatMap((one) => found(one) ?? []).map((file) => session(nameOf({ file })));
    const reports = there.flatMap((one) => one.reports.slice(0, 1));
    const days = there.map(({ created }) => created.slice(0, 10)).toSorted();
    const instances = reports.filter(({ judged }) => judged !== undefined).length;
    return [
      TITLES[room] ?? room,
      String(planned.length),
      numbered(reports.map(cardOf)),
      instances === 0 ? 'none' : String(instances),
      days.length === 0 ? '–' : [...new Set([days[0], days.at(-1)])].join(' to '),
    ];
  });
  return table(['Workload', '>Planned', 'Recorded, by card', '>Of these with instances of their own', 'Days'], rows);
}

/** The planned sessions that are not there. */
export function unrecorded(): string {
  const missing = Map.groupBy(
    GPU_SESSIONS.filter((one) => found(one) === null),
    roomOf,
  );
  const rows = [...missing].map(([room, all]) => [
    TITLES[room] ?? room,
    String(all.length),
    all.map((one) => code(nameOf(one))).join(', '),
  ]);
  return table(['Workload', '>Missing', 'Sessions'], rows);
}

/** Targets met or missed by the last recorded benchmarks. Targets that need a GPU are in separate files. */
export function targets(): string {
  const all = KEPT_TARGETS.map((name) => readTargets(root, name));
  const rows = all.flatMap(({ command, rows: measured }) =>
    measured
      .filter(({ needs }) => needs === null)
      .map((row) => [
        row.what,
        row.wanted,
        row.measured ?? 'not measured here',
        row.met === null ? '' : row.met ? 'met' : '**missed**',
        [row.bound, row.ratio].filter((one) => one !== null).join(', '),
        code(command),
      ]),
  );
  return table(['What', '>Wanted', '>Measured', '', 'Bound, and how far from it', 'Command'], rows);
}

/** Machines and commands that produced these targets. */
export function targetMachines(): string {
  const rows = KEPT_TARGETS.map((name) => {
    const { command, machine, created, commit } = readTargets(root, name);
    return [
      code(command),
      `${machine.cpu}, ${machine.cores} cores, Node ${machine.node}`,
      String(machine.load),
      created.slice(0, 10),
      code(commit?.slice(0, 10) ?? 'unknown'),
    ];
  });
  return table(['Command', 'Machine', '>Load before', 'Day', 'Commit'], rows);
}
