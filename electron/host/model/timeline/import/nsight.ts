/**
 * Databases written by `nsys export --type sqlite`. Tables exist only if something was recorded for them, and their
 * columns differ between versions: only existing columns are queried. Schema: "SQLite Export Schema Reference", Nsight
 * Systems' documentation.
 */
import { DatabaseSync, type SQLOutputValue, type StatementSync } from 'node:sqlite';
import { BraggError, messageOf } from '../../../../contract/errors.ts';
import type { LaneKind, SpanKind } from '../../../../contract/timeline.ts';
import { TraceBuilder } from '../builder.ts';
import { argumentsText, type SpanArguments } from '../details.ts';
import type { Trace } from '../trace.ts';

type Row = Readonly<Record<string, SQLOutputValue>>;

/** CUpti_ActivityMemcpyKind, for databases without the table of their names. */
const COPIES: Readonly<Record<number, string>> = {
  1: 'Host-to-Device',
  2: 'Device-to-Host',
  3: 'Host-to-Array',
  4: 'Array-to-Host',
  5: 'Array-to-Array',
  6: 'Array-to-Device',
  7: 'Device-to-Array',
  8: 'Device-to-Device',
  9: 'Host-to-Host',
  10: 'Peer-to-Peer',
};

/** Rows of NVTX_EVENTS that name a category, a thread or a domain: no time is spent in them. ENUM_NSYS_EVENT_TYPE. */
const NVTX_REGISTRATIONS: ReadonlySet<number> = new Set([33, 39, 75, 76]);
/** Push and pop, start and end. */
const NVTX_RANGES: ReadonlySet<number> = new Set([59, 60]);

/** Tables of events that are read. Newer exports append a version to a name: CUPTI_ACTIVITY_KIND_KERNEL_V2. */
const TABLES = [
  ...['CUPTI_ACTIVITY_KIND_KERNEL', 'CUPTI_ACTIVITY_KIND_MEMCPY', 'CUPTI_ACTIVITY_KIND_MEMSET'],
  ...['CUPTI_ACTIVITY_KIND_GRAPH_TRACE', 'CUPTI_ACTIVITY_KIND_RUNTIME', 'OSRT_API', 'NVTX_EVENTS'],
] as const;
type Table = (typeof TABLES)[number];
/** Families of tables whose events cost time on the device or the host; one that is not read is named in a note. */
const EVENTS = /^(?:CUPTI_ACTIVITY_KIND_|OSRT_|NVTX_)/;

/** Larger integers have no exact number in JavaScript, and node:sqlite refuses to return them. */
const LARGEST = Number.MAX_SAFE_INTEGER;
/** A column of integers; null where one is too large to be a number. */
const exact = (column: string): string =>
  `CASE WHEN typeof(${column}) = 'integer' AND ${column} NOT BETWEEN ${-LARGEST} AND ${LARGEST} THEN NULL ELSE ${column} END`;

/** Rows between two reports of progress. */
const REPORT_EVERY = 50_000;
/** Rows read from one file, valid or not: as many spans as fit into a trace, and their names. */
const MAX_ROWS = 60_000_000;
/** Memory that SQLite may allocate: its cache of pages and one row. A row may claim 1 GB. */
const SQLITE_HEAP_BYTES = 256 * 2 ** 20;

/** A process and a thread packed into one number of 64 bits, unpacked by SQLite, which has them. */
const pidOf = (column: string): string => `(${column} / 0x1000000 % 0x1000000)`;
const tidOf = (column: string): string => `(${column} % 0x1000000)`;

const numberOf = (value: SQLOutputValue | undefined): number => (typeof value === 'number' ? value : 0);

class NsightImport {
  readonly #database: DatabaseSync;
  readonly #builder = new TraceBuilder();
  readonly #columns = new Map<string, ReadonlySet<string>>();
  readonly #lanes = new Map<string, number>();
  readonly #threads = new Map<string, string>();
  readonly #processes = new Map<number, string>();
  readonly #devices = new Map<number, string>();
  readonly #copies = new Map<number, string>(Object.entries(COPIES).map(([id, name]) => [Number(id), name]));
  readonly #texts: StatementSync | null;
  readonly #known = new Map<number, string>();
  readonly #progress: (spans: number) => void;
  readonly #open: { readonly span: number; readonly start: number }[] = [];
  /** Process of device work that names none. */
  #process = 0;
  /** Clock of the recording at the time 0 of the trace, in ns: an exact integer for SQLite. */
  #base = '0';
  #last = 0;
  #invalid = 0;
  /** Kernels, copies and calls without an end. */
  #unended = 0;
  #order = 0;
  #read = 0;

  /** Throws an error of SQLite when the file is no database. */
  constructor(file: string, progress: (spans: number) => void) {
    this.#database = new DatabaseSync(file, { readOnly: true, allowExtension: false, defensive: true });
    this.#progress = progress;
    try {
      // Functions and virtual tables in the schema of the file must not run; each page is checked before it is used.
      this.#database.exec(
        `PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA hard_heap_limit = ${SQLITE_HEAP_BYTES}`,
      );
      // Views and virtual tables have no root page: reading one would run code on pages of the file.
      for (const { name } of this.#all("SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage > 0")) {
        const table = String(name);
        const columns = this.#all(`PRAGMA table_info(${quoted(table)})`).map((column) => String(column['name']));
        this.#columns.set(table, new Set(columns));
      }
      this.#texts = this.#has('StringIds', 'id', 'value')
        ? this.#database.prepare('SELECT value FROM StringIds WHERE id = ?')
        : null;
    } catch (error) {
      this.#database.close();
      throw error;
    }
  }

  close(): void {
    this.#database.close();
  }

  /** Throws BraggError `foreign-file` when nothing of a profile is in it. */
  read(name: string): Trace {
    this.#base = this.#startOfClock();
    this.#readNames();
    this.#process = this.#onlyProcess();
    this.#readKernels();
    this.#readCopies('CUPTI_ACTIVITY_KIND_MEMCPY', 'copy');
    this.#readCopies('CUPTI_ACTIVITY_KIND_MEMSET', 'memset');
    this.#readGraphs();
    this.#readCalls();
    this.#readRanges();
    this.#closeOpen();
    if (this.#builder.spans === 0 && this.#invalid > 0) {
      throw new BraggError('foreign-file', `none of its ${this.#invalid} rows has a valid start and end`);
    }
    if (this.#builder.spans === 0) {
      const tables = [...this.#columns.keys()].slice(0, 4).join(', ') || 'none';
      throw new BraggError(
        'foreign-file',
        `it is an SQLite database without the tables of Nsight Systems, such as CUPTI_ACTIVITY_KIND_KERNEL (it has: ${tables})`,
      );
    }
    if (this.#invalid > 0) this.#builder.note(`${this.#invalid} rows without a valid start and end were left out.`);
    if (this.#unended > 0) this.#builder.note(`${this.#unended} rows have no end and are shown as moments.`);
    const unread = this.#unreadTables();
    if (unread.length > 0) this.#builder.note(`Not read: ${unread.join(', ')}.`);
    const device = [...this.#devices.values()][0] ?? null;
    return this.#builder.build({ source: 'nsight-systems', name, about: device ?? 'Nsight Systems', device });
  }

  #all(sql: string): readonly Row[] {
    return [...this.#counted(sql)];
  }

  /** Iterates row by row, so that a file with very many rows reports progress and stops at a limit. */
  *#counted(sql: string): Iterable<Row> {
    this.#progress(this.#builder.spans);
    for (const row of this.#database.prepare(sql).iterate()) {
      if (this.#read >= MAX_ROWS) {
        throw new BraggError('memory', `it has more than ${MAX_ROWS / 1e6} million rows, the most that are read`);
      }
      this.#read += 1;
      if (this.#read % REPORT_EVERY === 0) this.#progress(this.#builder.spans);
      yield row;
    }
  }

  #has(table: string, ...columns: readonly string[]): boolean {
    const known = this.#columns.get(table);
    return known !== undefined && columns.every((column) => known.has(column));
  }

  /** The table under its own name or with the highest version appended to it; null where neither is there. */
  #named(table: Table): string | null {
    const versions = [...this.#columns.keys()].flatMap((name) => {
      const version = name === table ? '0' : new RegExp(`^${table}_V(\\d{1,4})$`, 'i').exec(name)?.[1];
      return version === undefined ? [] : [{ name, version: Number(version) }];
    });
    return versions.sort((a, b) => b.version - a.version)[0]?.name ?? null;
  }

  /** Tables of events with rows that no part of this reader looks at. */
  #unreadTables(): readonly string[] {
    const read = new Set(TABLES.map((table) => this.#named(table)));
    return [...this.#columns.keys()].filter(
      (name) =>
        EVENTS.test(name) &&
        !read.has(name) &&
        this.#has(name, 'start', 'end') &&
        this.#all(`SELECT 1 AS there FROM ${quoted(name)} LIMIT 1`).length > 0,
    );
  }

  /**
   * Absolute times have 61 bits, of which a double counts 53 exactly. The base is the first start of all. Where starts are
   * months apart it is the median of the largest table: no single wrong row decides which of the others are valid.
   */
  #startOfClock(): string {
    let largest = { rows: 0, integers: '' };
    let [first, last]: [bigint | null, bigint] = [null, 0n];
    for (const table of TABLES) {
      const name = this.#named(table);
      if (name === null || !this.#has(name, 'start')) continue;
      const integers = `FROM ${quoted(name)} WHERE typeof("start") = 'integer'`;
      const ends = 'CAST(min("start") AS TEXT) AS first, CAST(max("start") AS TEXT) AS last';
      const found = this.#all(`SELECT count(*) AS rows, ${ends} ${integers}`)[0];
      const rows = numberOf(found?.['rows']);
      if (rows === 0) continue;
      const [low, high] = [BigInt(String(found?.['first'])), BigInt(String(found?.['last']))];
      if (first === null) [first, last] = [low, high];
      else [first, last] = [low < first ? low : first, high > last ? high : last];
      if (rows > largest.rows) largest = { rows, integers };
    }
    if (first === null || last - first <= BigInt(LARGEST)) return String(first ?? 0n);
    const middle = `ORDER BY "start" LIMIT 1 OFFSET ${Math.floor((largest.rows - 1) / 2)}`;
    return String(this.#all(`SELECT CAST("start" AS TEXT) AS middle ${largest.integers} ${middle}`)[0]?.['middle']);
  }

  /** A time relative to the base. One without a number that counts nanoseconds exactly is a text, which no row may have. */
  #time(column: 'start' | 'end'): string {
    const name = quoted(column);
    const near = `${name} BETWEEN ${this.#base} - ${LARGEST} AND ${this.#base} + ${LARGEST}`;
    const none = column === 'end' ? `WHEN ${name} IS NULL OR ${name} < 0 THEN NULL ` : '';
    return `CASE ${none}WHEN typeof(${name}) = 'integer' AND ${near} THEN ${name} - ${this.#base} ELSE 'invalid' END AS ${name}`;
  }

  /** Rows of a table with those of the columns that it has; `computed` are expressions by name. */
  *#rows(base: Table, wanted: readonly string[], computed: Readonly<Record<string, string>> = {}): Iterable<Row> {
    const table = this.#named(base);
    if (table === null || !this.#has(table, 'start')) return;
    const known = this.#columns.get(table) ?? new Set();
    const parts = [
      ...(['start', 'end'] as const).filter((column) => known.has(column)).map((column) => this.#time(column)),
      ...wanted.filter((column) => known.has(column)).map((column) => `${exact(quoted(column))} AS ${quoted(column)}`),
      ...Object.entries(computed)
        .filter(([, expression]) => [...expression.matchAll(/"(\w+)"/g)].every(([, column]) => known.has(column ?? '')))
        .map(([column, expression]) => `${expression} AS ${quoted(column)}`),
    ];
    for (const row of this.#counted(`SELECT ${parts.join(', ')} FROM ${quoted(table)}`)) {
      const { start, end } = row;
      const whole = typeof start === 'number' && (typeof end === 'number' || end === null || end === undefined);
      if (!whole || (typeof end === 'number' && end < start)) {
        this.#invalid += 1;
        continue;
      }
      yield row;
    }
  }

  #text(id: SQLOutputValue | undefined): string | null {
    if (typeof id === 'string') return id;
    if (typeof id !== 'number' || this.#texts === null) return null;
    const known = this.#known.get(id);
    if (known !== undefined) return known;
    const value = this.#texts.get(id)?.['value'];
    if (typeof value !== 'string') return null;
    this.#known.set(id, value);
    return value;
  }

  #readNames(): void {
    if (this.#has('TARGET_INFO_GPU', 'id', 'name')) {
      for (const { id, name } of this.#all('SELECT id, name FROM TARGET_INFO_GPU')) {
        this.#devices.set(numberOf(id), String(name));
      }
    }
    if (this.#has('ENUM_CUDA_MEMCPY_OPER', 'id', 'label')) {
      for (const { id, label } of this.#all('SELECT id, label FROM ENUM_CUDA_MEMCPY_OPER')) {
        if (typeof label === 'string') this.#copies.set(numberOf(id), label);
      }
    }
    if (this.#has('ThreadNames', 'nameId', 'globalTid')) {
      const sql = `SELECT nameId, ${pidOf('globalTid')} AS pid, ${tidOf('globalTid')} AS tid FROM ThreadNames`;
      for (const { nameId, pid, tid } of this.#all(sql)) {
        const name = this.#text(nameId);
        if (name !== null) this.#threads.set(`${numberOf(pid)} ${numberOf(tid)}`, name);
      }
    }
    if (this.#has('PROCESSES', 'globalPid', 'name')) {
      for (const { pid, name } of this.#all(`SELECT ${pidOf('globalPid')} AS pid, name FROM PROCESSES`)) {
        const known = this.#text(name);
        if (known !== null) this.#processes.set(numberOf(pid), known);
      }
    }
  }

  #deviceLane(row: Row, kind: 'stream' | 'copies'): number {
    const [device, context, stream] = [row['deviceId'], row['contextId'], row['streamId']].map(numberOf);
    const pid = typeof row['pid'] === 'number' ? row['pid'] : this.#process;
    return this.#lane(`${kind} ${pid} ${device} ${context} ${stream}`, () => ({
      process: `GPU ${device}${this.#devices.has(device ?? 0) ? `: ${this.#devices.get(device ?? 0)}` : ''}`,
      name: kind === 'copies' ? `stream ${stream}: copies` : `stream ${stream}`,
      kind,
      scope: pid,
      order: 1e9 + (device ?? 0) * 1e6 + (stream ?? 0) * 2 + (kind === 'copies' ? 1 : 0),
    }));
  }

  #threadLane(row: Row, part: string, kind: LaneKind): number {
    const [pid, tid] = [numberOf(row['pid']), numberOf(row['tid'])];
    return this.#lane(`${part} ${pid} ${tid}`, () => {
      const name = this.#threads.get(`${pid} ${tid}`);
      return {
        process: this.#processes.get(pid) ?? `process ${pid}`,
        name: `${name === undefined ? `thread ${tid}` : `${name} (${tid})`}: ${part}`,
        kind,
        scope: pid,
        order: this.#order++,
      };
    });
  }

  #lane(key: string, make: () => Parameters<TraceBuilder['lane']>[0]): number {
    const known = this.#lanes.get(key);
    if (known !== undefined) return known;
    const lane = this.#builder.lane(make());
    this.#lanes.set(key, lane);
    return lane;
  }

  #add(row: Row, lane: number, name: string, kind: SpanKind, values: SpanArguments = {}): number {
    const start = numberOf(row['start']);
    const end = row['end'];
    const correlation = numberOf(row['correlationId']);
    if (kind !== 'other' && typeof end !== 'number') this.#unended += 1;
    this.#last = Math.max(this.#last, start, numberOf(end));
    return this.#builder.span({
      lane,
      name,
      kind,
      start_ns: start,
      duration_ns: typeof end === 'number' && end >= start ? end - start : 0,
      correlation: correlation > 0 && correlation < 2 ** 32 ? correlation : 0,
      detail: argumentsText(values),
    });
  }

  #readKernels(): void {
    const names = ['demangledName', 'shortName', 'mangledName', 'name'];
    const sizes = ['gridX', 'gridY', 'gridZ', 'blockX', 'blockY', 'blockZ'];
    const rows = this.#rows(
      'CUPTI_ACTIVITY_KIND_KERNEL',
      [
        ...names,
        ...sizes,
        ...['deviceId', 'contextId', 'streamId', 'correlationId', 'registersPerThread'],
        ...['staticSharedMemory', 'dynamicSharedMemory'],
      ],
      { pid: pidOf('"globalPid"'), node: '("graphNodeId" & 0xffffffff)' },
    );
    for (const row of rows) {
      const known = names.map((column) => this.#text(row[column])).find((text) => text !== null);
      const size = (prefix: string): readonly number[] | null =>
        ['X', 'Y', 'Z'].every((axis) => typeof row[`${prefix}${axis}`] === 'number')
          ? ['X', 'Y', 'Z'].map((axis) => numberOf(row[`${prefix}${axis}`]))
          : null;
      const [grid, block] = [size('grid'), size('block')];
      const count = (column: string): number | undefined =>
        typeof row[column] === 'number' ? numberOf(row[column]) : undefined;
      const values = {
        ...(grid === null ? {} : { grid }),
        ...(block === null ? {} : { block }),
        registers: count('registersPerThread'),
        staticShared_bytes: count('staticSharedMemory'),
        dynamicShared_bytes: count('dynamicSharedMemory'),
        stream: count('streamId'),
        device: count('deviceId'),
        graphNode: typeof row['node'] === 'number' ? numberOf(row['node']) : undefined,
      };
      this.#add(row, this.#deviceLane(row, 'stream'), known ?? '(kernel without a name)', 'kernel', defined(values));
    }
  }

  #readCopies(table: Table, kind: 'copy' | 'memset'): void {
    const columns = ['deviceId', 'contextId', 'streamId', 'correlationId', 'bytes', 'copyKind'];
    for (const row of this.#rows(table, columns, { pid: pidOf('"globalPid"') })) {
      const what = this.#copies.get(numberOf(row['copyKind'])) ?? 'unknown direction';
      this.#add(row, this.#deviceLane(row, 'copies'), kind === 'copy' ? `copy ${what}` : 'memset', kind, {
        bytes: numberOf(row['bytes']),
        stream: numberOf(row['streamId']),
      });
    }
  }

  #readGraphs(): void {
    const columns = ['deviceId', 'contextId', 'streamId', 'correlationId', 'graphId'];
    for (const row of this.#rows('CUPTI_ACTIVITY_KIND_GRAPH_TRACE', columns, { pid: pidOf('"globalPid"') })) {
      const graph = numberOf(row['graphId']);
      this.#add(row, this.#deviceLane(row, 'stream'), `graph ${graph}`, 'graph', { graph });
    }
  }

  #readCalls(): void {
    const thread = { pid: pidOf('"globalTid"'), tid: tidOf('"globalTid"') };
    for (const row of this.#rows('CUPTI_ACTIVITY_KIND_RUNTIME', ['nameId', 'correlationId'], thread)) {
      // The name ends with the version of the driver interface.
      const name = this.#text(row['nameId'])?.replace(/_v\d+$/, '') ?? '(call without a name)';
      this.#add(row, this.#threadLane(row, 'CUDA calls', 'api'), name, 'call');
    }
    for (const row of this.#rows('OSRT_API', ['nameId'], thread)) {
      this.#add(row, this.#threadLane(row, 'system calls', 'thread'), this.#text(row['nameId']) ?? '?', 'other');
    }
  }

  #readRanges(): void {
    const thread = { pid: pidOf('"globalTid"'), tid: tidOf('"globalTid"') };
    for (const row of this.#rows('NVTX_EVENTS', ['text', 'textId', 'eventType'], thread)) {
      const name = this.#text(row['text']) ?? this.#text(row['textId']);
      // Rows without a name register domains and categories.
      if (name === null || NVTX_REGISTRATIONS.has(numberOf(row['eventType']))) continue;
      const span = this.#add(row, this.#threadLane(row, 'NVTX', 'thread'), name, 'other');
      if (NVTX_RANGES.has(numberOf(row['eventType'])) && typeof row['end'] !== 'number') {
        this.#open.push({ span, start: numberOf(row['start']) });
      }
    }
  }

  /** Ranges that were open when the recording ended lasted as long as it did. */
  #closeOpen(): void {
    for (const { span, start } of this.#open) this.#builder.finish(span, this.#last - start);
    if (this.#open.length > 0) {
      this.#builder.note(`${this.#open.length} NVTX ranges have no end and last until the trace does.`);
    }
  }

  /** Databases that do not say a device's process have one: that of the calls. */
  #onlyProcess(): number {
    const table = this.#named('CUPTI_ACTIVITY_KIND_RUNTIME');
    if (table === null || !this.#has(table, 'globalTid')) return 0;
    const sql = `SELECT DISTINCT ${pidOf('globalTid')} AS pid FROM ${quoted(table)} LIMIT 2`;
    const all = this.#all(sql);
    return all.length === 1 ? numberOf(all[0]?.['pid']) : 0;
  }
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

function defined(values: Readonly<Record<string, unknown>>): SpanArguments {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

/** Throws BraggError `foreign-file` or `memory`. */
export function importNsight(file: string, name: string, progress: (spans: number) => void): Trace {
  let database: NsightImport | null = null;
  try {
    database = new NsightImport(file, progress);
    return database.read(name);
  } catch (error) {
    if (error instanceof BraggError) throw error;
    const text = messageOf(error);
    const reason = /malformed|corrupt|not a database/i.test(text)
      ? 'the database is damaged or cut off'
      : `the database cannot be read: ${text}`;
    throw new BraggError('foreign-file', reason, [], { cause: error });
  } finally {
    database?.close();
  }
}
