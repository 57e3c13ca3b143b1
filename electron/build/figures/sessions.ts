/**
 * Tables generated from the sessions in assets/runs. Also inserts tables into the README and the handbook, and
 * generates the JSON Schemas.
 */
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { publishedSessionSchema } from '../../contract/bench/json-schema.ts';
import type { MeasuredSessionEntry, Session, SessionReport } from '../../contract/bench/session.ts';
import { publishedSchema } from '../../contract/scenario/schema.ts';
import { publishedStudySchema } from '../../contract/study/index.ts';
import { deriveSession, parseSession, readCurrentRules } from '../../host/app/sessions/index.ts';

export const root = path.resolve(import.meta.dirname, '../../..');

/** Documents that contain tables, relative to the root, in a fixed order. */
export const documents: readonly string[] = [
  'README.md',
  ...globSync('assets/handbook/*.md', { cwd: root })
    .map((file) => file.replaceAll('\\', '/'))
    .toSorted(),
];

export const textOf = (file: string): string => readFileSync(path.join(root, file), 'utf8');

/** Matches a table with its markers: `<!-- figures: name -->`, the table, `<!-- /figures -->`. */
const tableMarkers = /<!-- figures: ([\w-]+) -->\n([\s\S]*?)<!-- \/figures -->/g;

interface TableSlot {
  readonly file: string;
  /** Name of the table. */
  readonly name: string;
  readonly text: string;
}

export function tableSlots(file: string, text = textOf(file)): readonly TableSlot[] {
  return [...text.matchAll(tableMarkers)].map(([, name = '', inner = '']) => ({ file, name, text: inner.trim() }));
}

/** Replaces the contents of those tables that `tables` contains. */
export function replaceTables(text: string, tables: ReadonlyMap<string, string>): string {
  return text.replace(tableMarkers, (whole, name: string) => {
    const table = tables.get(name);
    return table === undefined ? whole : `<!-- figures: ${name} -->\n\n${table}\n\n<!-- /figures -->`;
  });
}

/** Returns the new text of each file that must change: documents with changed tables, and changed schemas. */
export function changedTexts(tables: ReadonlyMap<string, string>, schemas: boolean): ReadonlyMap<string, string> {
  const made = [
    ...documents.map((file): readonly [string, string] => [file, replaceTables(textOf(file), tables)]),
    ...(schemas ? schemaTexts() : []),
  ];
  return new Map(made.filter(([file, text]) => !existsSync(path.join(root, file)) || textOf(file) !== text));
}

export function writeFiles(texts: ReadonlyMap<string, string>): void {
  for (const [file, text] of texts) writeFileSync(path.join(root, file), text);
}

/** JSON Schemas to publish, by file relative to the root. */
export const schemaTexts = (): ReadonlyMap<string, string> =>
  new Map(
    [publishedSchema(), publishedStudySchema(), publishedSessionSchema()].map((schema) => [
      `assets/schemas/${String(schema['$id'])}`,
      `${JSON.stringify(schema, null, 2)}\n`,
    ]),
  );

/** Formats a number with significant digits, three by default. */
export function digits(value: number, count = 3): string {
  if (value === 0) return '0';
  const rounded = Number(value.toPrecision(count));
  const places = count - 1 - Math.floor(Math.log10(Math.abs(rounded)));
  return value.toFixed(Math.min(20, Math.max(0, places)));
}

const units = [
  [1, 's'],
  [1e-3, 'ms'],
  [1e-6, 'µs'],
  [1e-9, 'ns'],
] as const;

export function seconds(value: number | null): string {
  if (value === null) return '–';
  const [scale, unit] = units.find(([least]) => value >= 0.9995 * least) ?? [1e-9, 'ns'];
  return `${digits(value / scale)} ${unit}`;
}

export const times = (value: number | null): string => (value === null ? '–' : `${digits(value)}×`);

export const percent = (value: number | null): string => (value === null ? '–' : `${digits(100 * value, 2)} %`);

type Align = 'left' | 'right';
const rules = { left: '---', right: '--:' } as const;

/** Formats a Markdown table. The title of a right-aligned column begins with `>`. */
export function markdownTable(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const aligned = titles.map((title): readonly [string, Align] =>
    title.startsWith('>') ? [title.slice(1).trim(), 'right'] : [title, 'left'],
  );
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [
    line(aligned.map(([title]) => title)),
    line(aligned.map(([, align]) => rules[align])),
    ...rows.map(line),
  ].join('\n');
}

export const code = (text: string): string => `\`${text}\``;

const assets = path.join(root, 'assets');
const current = await readCurrentRules(assets);

/** Cache of parsed sessions, because several tables use the same ones, and parsing megabytes needs a second. */
const cachedSessions = new Map<string, Session>();

/** Reads a session in assets/runs; `name` excludes `.json`. */
export function session(name: string): Session {
  const file = path.join(assets, 'runs', `${name}.json`);
  const read = cachedSessions.get(file) ?? deriveSession(parseSession(readFileSync(file, 'utf8'), file), current);
  cachedSessions.set(file, read);
  return read;
}

export function firstReport(name: string): SessionReport {
  const [first] = session(name).reports;
  if (first === undefined) throw new Error(`${name} has no report`);
  return first;
}

export function measuredEntry({ entries }: SessionReport, label: string): MeasuredSessionEntry {
  const found = entries.find((one) => one.label === label);
  if (found?.status !== 'measured') throw new Error(`${label} was not measured`);
  return found;
}

const measuredEntries = ({ entries }: SessionReport): readonly MeasuredSessionEntry[] =>
  entries.flatMap((entry) => (entry.status === 'measured' ? [entry] : []));

const errorText = ({ accuracy }: MeasuredSessionEntry): string => {
  const first = accuracy.find(({ id }) => id === 'bright') ?? accuracy[0];
  if (first?.value == null) return '–';
  return first.value === 0 ? '0' : first.value.toExponential(1);
};

const correctnessWord = ({ verdict }: MeasuredSessionEntry): string => (verdict === 'wrong' ? 'wrong' : 'correct');

/**
 * Whether an entry is an external program. Such entries do not build on a variant, and have versions in their notes.
 */
const isOtherProgram = ({ variant, note }: MeasuredSessionEntry): boolean =>
  /^(cupy|numba|torch)/.test(variant) && note !== null;

/** Table of times: steps, set-up, and warm end-to-end time from the scenario to the answer in memory. */
export function runTable(name: string): string {
  const of = firstReport(name);
  return markdownTable(
    [
      'Variant',
      '>Steps',
      '>Set-up',
      '>Warm end-to-end run',
      '>Speedup of the steps over the base variant',
      '>Error of the dose',
    ],
    measuredEntries(of)
      .filter((entry) => !isOtherProgram(entry))
      .map((entry) => [
        code(entry.label),
        seconds(entry.time_s),
        seconds(entry.setup_s),
        seconds(entry.wall_s),
        entry.rung === null ? '' : times(entry.rung.value),
        errorText(entry),
      ]),
  );
}

const stepCountText = (quantities: MeasuredSessionEntry['quantities']): string => {
  const found = quantities.find(({ id }) => id === 'steps')?.value;
  return found == null ? '–' : String(found);
};

/** Table of external programs on the same problem, compared with the fastest correct variant by each clock. */
export function otherProgramTable(...names: readonly string[]): string {
  const rows = names.flatMap((name) => {
    const of = firstReport(name);
    const ours = measuredEntries(of).filter((entry) => !isOtherProgram(entry) && entry.verdict !== 'wrong');
    const fastest = (time: (entry: MeasuredSessionEntry) => number): MeasuredSessionEntry =>
      ours.reduce((best, entry) => (time(entry) < time(best) ? entry : best));
    const whole = (entry: MeasuredSessionEntry): number => entry.wall_s ?? Number.POSITIVE_INFINITY;
    const [steps, run] = [fastest(({ time_s }) => time_s), fastest(whole)];
    return measuredEntries(of)
      .filter(isOtherProgram)
      .map((entry) => [
        code(name),
        entry.title,
        seconds(entry.time_s),
        `${stepCountText(entry.quantities)}; ${stepCountText(steps.quantities)}`,
        `${times(entry.time_s / steps.time_s)} of ${code(steps.label)}`,
        seconds(entry.wall_s),
        `${times(whole(entry) / whole(run))} of ${code(run.label)}`,
        correctnessWord(entry),
      ]);
  });
  return markdownTable(
    [
      ...[
        'Session',
        'Program',
        '>Time of its steps',
        '>Its steps; ours',
        'Relative to our fastest',
        '>Its end-to-end run',
      ],
      ...['Relative to our fastest', 'Dose'],
    ],
    rows,
  );
}

/** Table of diffraction images: kernel time and end-to-end time. */
export function imageTable(name: string): string {
  const of = firstReport(name);
  return markdownTable(
    ['Variant', '>Image', '>Relative to first', '>Warm end-to-end run', '>Error of bright pixels', 'Result'],
    measuredEntries(of).map((entry) => [
      code(entry.label.replace(/^diffraction-/, '')),
      seconds(entry.time_s),
      times(entry.ratio.value),
      seconds(entry.wall_s),
      errorText(entry),
      correctnessWord(entry),
    ]),
  );
}

const layers = ['layer-256', 'layer-1024', 'layer-odd', 'layer-8192'] as const;

export function layerTable(): string {
  const reports = layers.map((name) => firstReport(`linear-relu/${name}`));
  const labels = [...new Set(reports.flatMap((one) => measuredEntries(one).map(({ label }) => label)))];
  const title = (of: SessionReport): string => of.scenario.replace(/^Linear and ReLU, /, '');
  return markdownTable(
    ['Variant', ...reports.map((of) => `>${title(of)}`)],
    labels.map((label) => [
      code(label),
      ...reports.map((of) => {
        const entry = measuredEntries(of).find((one) => one.label === label);
        if (entry === undefined) return '–';
        return entry.verdict === 'wrong' ? `${seconds(entry.time_s)} (wrong)` : seconds(entry.time_s);
      }),
    ]),
  );
}

/** Table of the effects of CUDA graphs, persistent kernels, tiles and cold caches on the uniform grid. */
export function modeTable(name: string): string {
  const entries = measuredEntries(firstReport(name)).filter((entry) =>
    entry.modes.some(({ time_s }) => time_s !== null),
  );
  const of = (entry: MeasuredSessionEntry, wanted: string): string => {
    const found = entry.modes.find(({ mode }) => mode === wanted);
    return found?.ratio == null ? '–' : `${digits(found.ratio.value)}×`;
  };
  return markdownTable(
    ['Variant', '>Warm', '>Cold caches', '>Replayed as one graph'],
    entries.map((entry) => [code(entry.label), seconds(entry.time_s), of(entry, 'cold'), of(entry, 'graph')]),
  );
}

/**
 * Table of two sessions with the same problem on two GPUs. It contains the common variants, relative to the reference
 * of the second session.
 */
export function twoGpuTable(one: string, other: string): string {
  const both = [one, other].map((name) => ({ created: session(name).created.slice(0, 10), of: firstReport(name) }));
  const labels = both.map(({ of }) => new Set(measuredEntries(of).map((entry) => labelWithPrecision(entry.label))));
  const shared = measuredEntries(both[1]?.of ?? firstReport(other))
    .map(({ label }) => labelWithPrecision(label))
    .filter((label) => labels.every((own) => own.has(label)));
  const [base = ''] = shared;
  const found = (of: SessionReport, label: string): MeasuredSessionEntry => {
    const entry = measuredEntries(of).find((each) => labelWithPrecision(each.label) === label);
    if (entry === undefined) throw new Error(`${label} was not measured`);
    return entry;
  };
  const name = (of: SessionReport): string => (of.machine.gpu?.name ?? of.machine.cpu).replace(/ \d+GB HBM3$/, '');
  return markdownTable(
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

/** Adds the default precision, FP32, to a label without one. */
const labelWithPrecision = (label: string): string => (label.includes('@') ? label : `${label}@fp32`);

const groups = [
  ['transport', '{*,transport/*}.json'],
  ['diffraction', 'diffraction/*.json'],
  ['linear layer', 'linear-relu/*.json'],
  ['small workloads', 'micro/*.json'],
] as const;

/** Table of the recorded sessions with their GPUs, rounds and A/A noise. */
export function machineTable(): string {
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
  return markdownTable(
    ['Sessions', '>Files', 'GPUs, by their identifiers', 'Driver', '>Rounds', '>Noise: least, median, most'],
    rows,
  );
}
