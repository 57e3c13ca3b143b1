/** Tables of what recorded sessions hold: from the files in assets/runs alone. */

import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { MeasuredSessionEntry, Session, SessionReport } from '../../contract/bench/session.ts';
import { asSession, parseSession } from '../../host/app/sessions/index.ts';
import { readDesigns } from '../../host/model/bench/factorial/designs.ts';
import { root } from './documents.ts';
import { code, digits, percent, seconds, table, times } from './text.ts';

const assets = path.join(root, 'assets');
const designs = await readDesigns(assets);

/** Several tables are of the same sessions; one of megabytes takes a second to read. */
const lately = new Map<string, Session>();

/** A file below assets/runs, without `.json`. */
export function session(name: string): Session {
  const file = path.join(assets, 'runs', `${name}.json`);
  const read = lately.get(file) ?? asSession(parseSession(readFileSync(file, 'utf8'), file), designs);
  lately.set(file, read);
  return read;
}

export function report(name: string): SessionReport {
  const [first] = session(name).reports;
  if (first === undefined) throw new Error(`${name} has no report`);
  return first;
}

export function measured({ entries }: SessionReport, label: string): MeasuredSessionEntry {
  const found = entries.find((one) => one.label === label);
  if (found?.status !== 'measured') throw new Error(`${label} was not measured`);
  return found;
}

const all = ({ entries }: SessionReport): readonly MeasuredSessionEntry[] =>
  entries.flatMap((entry) => (entry.status === 'measured' ? [entry] : []));

const errorOf = ({ accuracy }: MeasuredSessionEntry): string => {
  const first = accuracy.find(({ id }) => id === 'bright') ?? accuracy[0];
  if (first?.value == null) return '–';
  return first.value === 0 ? '0' : first.value.toExponential(1);
};

const right = ({ verdict }: MeasuredSessionEntry): string => (verdict === 'wrong' ? 'wrong' : 'right');

/**
 * Other programs measured as candidates. They do not build on a variant of ours, and their note names their versions.
 */
const isRival = ({ variant, note }: MeasuredSessionEntry): boolean =>
  /^(cupy|numba|torch)/.test(variant) && note !== null;

/** Steps, what comes before them, and a whole warm run: from the scenario to the answer in memory. */
export function runs(name: string): string {
  const of = report(name);
  return table(
    ['Variant', '>Steps', '>Set-up', '>Whole warm run', '>Steps over those of what it builds on', '>Error of the dose'],
    all(of)
      .filter((entry) => !isRival(entry))
      .map((entry) => [
        code(entry.label),
        seconds(entry.time_s),
        seconds(entry.setup_s),
        seconds(entry.wall_s),
        entry.rung === null ? '' : times(entry.rung.value),
        errorOf(entry),
      ]),
  );
}

const taken = (quantities: MeasuredSessionEntry['quantities']): string => {
  const found = quantities.find(({ id }) => id === 'steps')?.value;
  return found == null ? '–' : String(found);
};

/** Other programs on the same problem, against the fastest right variant in each clock. */
export function rivals(...names: readonly string[]): string {
  const rows = names.flatMap((name) => {
    const of = report(name);
    const ours = all(of).filter((entry) => !isRival(entry) && entry.verdict !== 'wrong');
    const fastest = (time: (entry: MeasuredSessionEntry) => number): MeasuredSessionEntry =>
      ours.reduce((best, entry) => (time(entry) < time(best) ? entry : best));
    const whole = (entry: MeasuredSessionEntry): number => entry.wall_s ?? Number.POSITIVE_INFINITY;
    const [steps, run] = [fastest(({ time_s }) => time_s), fastest(whole)];
    return all(of)
      .filter(isRival)
      .map((entry) => [
        code(name),
        entry.title,
        seconds(entry.time_s),
        `${taken(entry.quantities)}; ${taken(steps.quantities)}`,
        `${times(entry.time_s / steps.time_s)} of ${code(steps.label)}`,
        seconds(entry.wall_s),
        `${times(whole(entry) / whole(run))} of ${code(run.label)}`,
        right(entry),
      ]);
  });
  return table(
    [
      ...['Session', 'Program', '>Its steps', '>Steps; ours', 'Against our fastest', '>Its whole run'],
      ...['Against our fastest', 'Dose'],
    ],
    rows,
  );
}

/** Images: time of the kernels, and of an end-to-end run. */
export function images(name: string): string {
  const of = report(name);
  return table(
    ['Variant', '>Image', '>Over the first', '>Whole warm run', '>Error of bright pixels', 'Answer'],
    all(of).map((entry) => [
      code(entry.label.replace(/^diffraction-/, '')),
      seconds(entry.time_s),
      times(entry.ratio.value),
      seconds(entry.wall_s),
      errorOf(entry),
      right(entry),
    ]),
  );
}

const layers = ['layer-256', 'layer-1024', 'layer-odd', 'layer-8192'] as const;

export function layer(): string {
  const reports = layers.map((name) => report(`linear-relu/${name}`));
  const labels = [...new Set(reports.flatMap((one) => all(one).map(({ label }) => label)))];
  const title = (of: SessionReport): string => of.scenario.replace(/^Linear and ReLU, /, '');
  return table(
    ['Variant', ...reports.map((of) => `>${title(of)}`)],
    labels.map((label) => [
      code(label),
      ...reports.map((of) => {
        const entry = all(of).find((one) => one.label === label);
        if (entry === undefined) return '–';
        return entry.verdict === 'wrong' ? `${seconds(entry.time_s)} (wrong)` : seconds(entry.time_s);
      }),
    ]),
  );
}

/** Gains of a graph, a persistent kernel, tiles and cold caches: from the modes of the uniform grid. */
export function modes(name: string): string {
  const entries = all(report(name)).filter((entry) => entry.modes.some(({ time_s }) => time_s !== null));
  const of = (entry: MeasuredSessionEntry, wanted: string): string => {
    const found = entry.modes.find(({ mode }) => mode === wanted);
    return found?.ratio == null ? '–' : `${digits(found.ratio.value)}×`;
  };
  return table(
    ['Variant', '>Warm', '>Cold caches', '>Replayed as one graph'],
    entries.map((entry) => [code(entry.label), seconds(entry.time_s), of(entry, 'cold'), of(entry, 'graph')]),
  );
}

/** Two sessions of one problem on two GPUs: what both measured, over the variant that the second compares with. */
export function onBothCards(one: string, other: string): string {
  const both = [one, other].map((name) => ({ created: session(name).created.slice(0, 10), of: report(name) }));
  const labels = both.map(({ of }) => new Set(all(of).map((entry) => precise(entry.label))));
  const shared = all(both[1]?.of ?? report(other))
    .map(({ label }) => precise(label))
    .filter((label) => labels.every((own) => own.has(label)));
  const [base = ''] = shared;
  const found = (of: SessionReport, label: string): MeasuredSessionEntry => {
    const entry = all(of).find((each) => precise(each.label) === label);
    if (entry === undefined) throw new Error(`${label} was not measured`);
    return entry;
  };
  const name = (of: SessionReport): string => (of.machine.gpu?.name ?? of.machine.cpu).replace(/ \d+GB HBM3$/, '');
  return table(
    [
      'Variant',
      ...both.map(({ of, created }) => `>Steps, ${name(of)} (${created})`),
      ...both.map(({ of }) => `>Over ${code(base)}, ${name(of)}`),
    ],
    shared.map((label) => [
      code(label),
      ...both.map(({ of }) => seconds(found(of, label).time_s)),
      ...both.map(({ of }) => times(found(of, label).time_s / found(of, base).time_s)),
    ]),
  );
}

/** FP32 is what a label without a precision means. */
const precise = (label: string): string => (label.includes('@') ? label : `${label}@fp32`);

const groups = [
  ['transport', '{*,transport/*}.json'],
  ['diffraction', 'diffraction/*.json'],
  ['linear layer', 'linear-relu/*.json'],
  ['small workloads', 'micro/*.json'],
] as const;

/** On what the sessions were recorded, how many rounds they took, and how far a variant strays from itself in them. */
export function machines(): string {
  const rows = groups.map(([title, pattern]) => {
    const files = globSync(pattern, { cwd: path.join(assets, 'runs') });
    const sessions = files.map((file) => session(file.slice(0, -'.json'.length)));
    const reports = sessions.flatMap((one) => one.reports);
    const gpus = new Map(reports.flatMap(({ machine: { gpu } }) => (gpu === null ? [] : [[gpu.uuid, gpu]])));
    const drivers = new Set([...gpus.values()].map(({ driver }) => driver));
    const names = new Set([...gpus.values()].map(({ name }) => name));
    const floors = reports.flatMap(({ noise: { floor } }) => (floor === null ? [] : [floor])).toSorted((a, b) => a - b);
    const rounds = reports.map((one) => one.rounds);
    return [
      title,
      String(files.length),
      `${gpus.size} × ${[...names].join(', ')}`,
      [...drivers].join(', '),
      `${Math.min(...rounds)}–${Math.max(...rounds)}`,
      `${percent(floors[0] ?? null)}, ${percent(floors[floors.length >> 1] ?? null)}, ${percent(floors.at(-1) ?? null)}`,
    ];
  });
  return table(
    ['Sessions', '>Files', 'GPUs, by their identifiers', 'Driver', '>Rounds', '>Noise: least, median, most'],
    rows,
  );
}
