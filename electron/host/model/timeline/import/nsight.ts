/**
 * Imports databases written by `nsys export --type sqlite`. A table exists only if something was recorded for it, and
 * columns differ between versions, so only existing columns are queried. Schema: "SQLite Export Schema Reference" in
 * the documentation of Nsight Systems.
 */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { DatabaseSync, type SQLOutputValue, type StatementSync } from 'node:sqlite';
import { BraggError, messageOf } from '../../../../contract/errors.ts';
import type { LaneKind, SpanKind } from '../../../../contract/timeline.ts';
import { TraceBuilder } from '../builder.ts';
import { argumentsText, type SpanArguments } from '../details.ts';
import type { Trace } from '../trace.ts';
import { honouredColumns, NO_EVENTS, REQUIRED_COLUMNS, TABLES, type Table } from './nsight-tables.ts';

type Row = Readonly<Record<string, SQLOutputValue>>;

/** Names of the copy kinds in CUpti_ActivityMemcpyKind, for databases that lack the table of these names. */
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

/**
 * Event types in NVTX_EVENTS that name a category, a thread or a domain, and have no duration. See
 * ENUM_NSYS_EVENT_TYPE.
 */
const NVTX_REGISTRATIONS: ReadonlySet<number> = new Set([33, 39, 75, 76]);
/** Event types of ranges: push/pop ranges and start/end ranges. */
const NVTX_RANGES: ReadonlySet<number> = new Set([59, 60]);

/** Largest integer that JavaScript represents exactly. node:sqlite refuses to return larger ones. */
const MAX_INTEGER = Number.MAX_SAFE_INTEGER;
/** SQL expression for a column of integers; null in place of integers that JavaScript cannot represent exactly. */
const exactIntegerSql = (column: string): string =>
  `CASE WHEN typeof(${column}) = 'integer' AND ${column} NOT BETWEEN ${-MAX_INTEGER} AND ${MAX_INTEGER} THEN NULL ELSE ${column} END`;

/** Number of rows after which progress is reported. */
const REPORT_EVERY = 50_000;
/**
 * Maximum number of rows to read from a file, valid or not. Suffices for the maximum number of spans and their names.
 */
const MAX_ROWS = 60_000_000;
/** Limit on SQLite's memory, which holds its page cache and one row. A damaged row may claim to have 1 GB. */
const SQLITE_HEAP_BYTES = 256 * 2 ** 20;

/** Process and thread ids are packed into one 64-bit integer. They are unpacked in SQL, where the integer is exact. */
const pidSql = (column: string): string => `(${column} / 0x1000000 % 0x1000000)`;
const tidSql = (column: string): string => `(${column} % 0x1000000)`;

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
  /** Name of each table in this file; null if the file lacks it. */
  readonly #tables = new Map<Table, string | null>();
  /** Number of a GPU by process and device number. Also by device number alone, if it is the same in all processes. */
  readonly #gpus = new Map<string, number | null>();
  /** Numbers of the GPUs that did work, in the order of their first use. */
  readonly #worked = new Set<number>();
  readonly #known = new Map<number, string>();
  readonly #progress: (spans: number) => void;
  readonly #mostRows: number;
  readonly #open: { readonly span: number; readonly start: number }[] = [];
  /** Id of the process to which device work without a process id belongs. */
  #process = 0;
  /**
   * Recording time, in ns, that is time 0 of the trace. It is a text, because the integer may be too large for
   * JavaScript.
   */
  #base = '0';
  #last = 0;
  #invalid = 0;
  /** Number of kernels, copies and calls that have no end time. */
  #unended = 0;
  #order = 0;
  #read = 0;

  /** Opens the database. Throws SQLite's error if the file is not a database. */
  constructor(file: string, progress: (spans: number) => void, mostRows: number) {
    this.#mostRows = mostRows;
    this.#database = new DatabaseSync(file, { readOnly: true, allowExtension: false, defensive: true });
    this.#progress = progress;
    try {
      // The file is not trusted: functions in its schema must not be run, and pages are checked before use.
      this.#database.exec(
        `PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA hard_heap_limit = ${SQLITE_HEAP_BYTES}`,
      );
      // Only tables have a root page. Views and virtual tables are skipped, because reading one would run code from the
      // file.
      for (const { name } of this.#queryAll("SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage > 0")) {
        const table = String(name);
        const columns = this.#queryAll(`PRAGMA table_info(${quoteName(table)})`).map((column) =>
          String(column['name']),
        );
        this.#columns.set(table, new Set(columns));
      }
      this.#texts = this.#hasColumns('StringIds', 'id', 'value')
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

  /** Reads the whole database. Throws BraggError `foreign-file` if it contains no profile. */
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
    this.#closeOpenRanges();
    if (this.#builder.spanCount === 0 && this.#invalid > 0) {
      throw new BraggError('foreign-file', `none of its ${this.#invalid} rows has a valid start and end`);
    }
    if (this.#builder.spanCount === 0) {
      const empty = TABLES.flatMap((table) => this.#tableName(table) ?? []);
      if (empty.length > 0)
        throw new BraggError('foreign-file', `its tables contain no events that can be shown (${empty.join(', ')})`);
      const tables = [...this.#columns.keys()].slice(0, 4).join(', ') || 'none';
      throw new BraggError(
        'foreign-file',
        `it is an SQLite database without the tables of Nsight Systems, such as CUPTI_ACTIVITY_KIND_KERNEL (it has: ${tables})`,
      );
    }
    if (this.#invalid > 0) this.#builder.addNote(`${this.#invalid} rows without a valid start and end were omitted.`);
    if (this.#unended > 0) this.#builder.addNote(`${this.#unended} rows have no end and are shown as moments.`);
    for (const note of this.#missingColumns()) this.#builder.addNote(note);
    const unread = this.#unreadTables();
    if (unread.length > 0) this.#builder.addNote(`Not read: ${unread.join(', ')}.`);
    const [gpu = [...this.#devices.keys()][0] ?? 0] = this.#worked;
    const device = this.#devices.get(gpu) ?? null;
    return this.#builder.build({ source: 'nsight-systems', name, about: device ?? 'Nsight Systems', device });
  }

  #queryAll(sql: string): readonly Row[] {
    return [...this.#queryCounted(sql)];
  }

  /** Iterates row by row, so that very large tables report progress and stop at a limit. */
  *#queryCounted(sql: string): Iterable<Row> {
    this.#progress(this.#builder.spanCount);
    for (const row of this.#database.prepare(sql).iterate()) {
      if (this.#read >= this.#mostRows) {
        const limit = this.#mostRows.toLocaleString('en');
        throw new BraggError('memory', `it has more than ${limit} rows, the maximum`);
      }
      this.#read += 1;
      if (this.#read % REPORT_EVERY === 0) this.#progress(this.#builder.spanCount);
      yield row;
    }
  }

  #hasColumns(table: string, ...columns: readonly string[]): boolean {
    const known = this.#columns.get(table);
    return known !== undefined && columns.every((column) => known.has(column));
  }

  /**
   * Name of a table in this file; null if the file lacks it. If there are several versions, it is the highest one with
   * rows, because an export may leave the newest table empty.
   */
  #tableName(table: Table): string | null {
    const found = this.#tables.get(table);
    if (found !== undefined) return found;
    const versions = [...this.#columns.keys()].flatMap((name) => {
      const version = name === table ? '0' : new RegExp(`^${table}_V(\\d{1,4})$`, 'i').exec(name)?.[1];
      return version === undefined ? [] : [{ name, version: Number(version) }];
    });
    const sorted = versions.sort((a, b) => b.version - a.version).map(({ name }) => name);
    const name = sorted.find((one) => this.#isFilled(one)) ?? sorted[0] ?? null;
    this.#tables.set(table, name);
    return name;
  }

  #isFilled(table: string): boolean {
    return this.#queryAll(`SELECT 1 AS there FROM ${quoteName(table)} LIMIT 1`).length > 0;
  }

  /** Notes on required columns that are missing, in older or reduced exports. */
  #missingColumns(): readonly string[] {
    const notes = TABLES.flatMap((table) => {
      const name = this.#tableName(table);
      if (name === null || !this.#hasColumns(name, 'start') || !this.#isFilled(name)) return [];
      const missing = REQUIRED_COLUMNS[table].filter(
        (names) => !names.split(' ').some((column) => this.#hasColumns(name, column)),
      );
      const columns = missing.map((names) => names.replaceAll(' ', ' or '));
      return columns.length === 0 ? [] : [`${name} has no ${columns.join(', no ')}, so this is unknown for its rows.`];
    });
    const named = this.#texts !== null && this.#isFilled('StringIds');
    return named
      ? notes
      : [
          ...notes,
          'It has no StringIds: kernels, calls and ranges have no names, and launches cannot be matched with calls.',
        ];
  }

  /** Names of non-empty tables with events that the importer does not read. */
  #unreadTables(): readonly string[] {
    const read = new Set(TABLES.map((table) => this.#tableName(table)));
    return [...this.#columns.keys()].filter(
      (name) =>
        !NO_EVENTS.test(name) &&
        !read.has(name) &&
        (this.#hasColumns(name, 'start') ||
          this.#hasColumns(name, 'timestamp') ||
          this.#hasColumns(name, 'rawTimestamp')) &&
        this.#isFilled(name),
    );
  }

  /**
   * Recording time, in ns, of the trace's time 0. Absolute times have 61 bits, of which a double represents only 53
   * exactly. Times are therefore relative to the first start. If starts are months apart, some of them must be wrong.
   * The median start of the largest table is then used, which a single wrong row does not affect.
   */
  #startOfClock(): string {
    let largest = { rows: 0, integers: '' };
    let [first, last]: [bigint | null, bigint] = [null, 0n];
    for (const table of TABLES) {
      const name = this.#tableName(table);
      if (name === null || !this.#hasColumns(name, 'start')) continue;
      const integers = `FROM ${quoteName(name)} WHERE typeof("start") = 'integer'`;
      const ends = 'CAST(min("start") AS TEXT) AS first, CAST(max("start") AS TEXT) AS last';
      const found = this.#queryAll(`SELECT count(*) AS rows, ${ends} ${integers}`)[0];
      const rows = numberOf(found?.['rows']);
      if (rows === 0) continue;
      const [low, high] = [BigInt(String(found?.['first'])), BigInt(String(found?.['last']))];
      if (first === null) [first, last] = [low, high];
      else [first, last] = [low < first ? low : first, high > last ? high : last];
      if (rows > largest.rows) largest = { rows, integers };
    }
    if (first === null || last - first <= BigInt(MAX_INTEGER)) return String(first ?? 0n);
    const middle = `ORDER BY "start" LIMIT 1 OFFSET ${Math.floor((largest.rows - 1) / 2)}`;
    return String(
      this.#queryAll(`SELECT CAST("start" AS TEXT) AS middle ${largest.integers} ${middle}`)[0]?.['middle'],
    );
  }

  /**
   * SQL expression for a column of times, relative to the base. A time that JavaScript cannot represent exactly becomes
   * a text, which is rejected later.
   */
  #timeSql(column: 'start' | 'end'): string {
    const name = quoteName(column);
    const near = `${name} BETWEEN ${this.#base} - ${MAX_INTEGER} AND ${this.#base} + ${MAX_INTEGER}`;
    const none = column === 'end' ? `WHEN ${name} IS NULL OR ${name} < 0 THEN NULL ` : '';
    return `CASE ${none}WHEN typeof(${name}) = 'integer' AND ${near} THEN ${name} - ${this.#base} ELSE 'invalid' END AS ${name}`;
  }

  /** Rows of a table with those of the wanted columns that exist; `computed` contains SQL expressions by name. */
  *#selectRows(base: Table, wanted: readonly string[], computed: Readonly<Record<string, string>> = {}): Iterable<Row> {
    const table = this.#tableName(base);
    if (table === null || !this.#hasColumns(table, 'start')) return;
    const known = this.#columns.get(table) ?? new Set();
    const honours = honouredColumns(base);
    const parts = [
      ...(['start', 'end'] as const).filter((column) => known.has(column)).map((column) => this.#timeSql(column)),
      ...wanted
        .filter((column) => known.has(column) && honours.has(column.toLowerCase()))
        .map((column) => `${exactIntegerSql(quoteName(column))} AS ${quoteName(column)}`),
      ...Object.entries(computed)
        .filter(([, expression]) =>
          [...expression.matchAll(/"(\w+)"/g)].every(
            ([, column = '']) => known.has(column) && honours.has(column.toLowerCase()),
          ),
        )
        .map(([column, expression]) => `${expression} AS ${quoteName(column)}`),
    ];
    for (const row of this.#queryCounted(`SELECT ${parts.join(', ')} FROM ${quoteName(table)}`)) {
      const { start, end } = row;
      const whole = typeof start === 'number' && (typeof end === 'number' || end === null || end === undefined);
      if (!whole || (typeof end === 'number' && end < start)) {
        this.#invalid += 1;
        continue;
      }
      yield row;
    }
  }

  #stringById(id: SQLOutputValue | undefined): string | null {
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
    if (this.#hasColumns('TARGET_INFO_GPU', 'id', 'name')) {
      for (const { id, name } of this.#queryAll('SELECT id, name FROM TARGET_INFO_GPU')) {
        this.#devices.set(numberOf(id), String(name));
      }
    }
    if (this.#hasColumns('TARGET_INFO_CUDA_DEVICE', 'gpuId', 'cudaId', 'pid')) {
      for (const { gpuId, cudaId, pid } of this.#queryAll('SELECT gpuId, cudaId, pid FROM TARGET_INFO_CUDA_DEVICE')) {
        const [gpu, ofAll] = [numberOf(gpuId), `${numberOf(cudaId)}`];
        this.#gpus.set(`${numberOf(pid)} ${numberOf(cudaId)}`, gpu);
        this.#gpus.set(ofAll, (this.#gpus.get(ofAll) ?? gpu) === gpu && this.#gpus.get(ofAll) !== null ? gpu : null);
      }
    }
    if (this.#hasColumns('ENUM_CUDA_MEMCPY_OPER', 'id', 'label')) {
      for (const { id, label } of this.#queryAll('SELECT id, label FROM ENUM_CUDA_MEMCPY_OPER')) {
        if (typeof label === 'string') this.#copies.set(numberOf(id), label);
      }
    }
    if (this.#hasColumns('ThreadNames', 'nameId', 'globalTid')) {
      const sql = `SELECT nameId, ${pidSql('globalTid')} AS pid, ${tidSql('globalTid')} AS tid FROM ThreadNames`;
      for (const { nameId, pid, tid } of this.#queryAll(sql)) {
        const name = this.#stringById(nameId);
        if (name !== null) this.#threads.set(`${numberOf(pid)} ${numberOf(tid)}`, name);
      }
    }
    if (this.#hasColumns('PROCESSES', 'globalPid', 'name')) {
      for (const { pid, name } of this.#queryAll(`SELECT ${pidSql('globalPid')} AS pid, name FROM PROCESSES`)) {
        const known = this.#stringById(name);
        if (known !== null) this.#processes.set(numberOf(pid), known);
      }
    }
  }

  /**
   * GPU of a row. Processes number only the GPUs that they can see. `gpu` is null if several GPUs have the same number.
   */
  #gpuOf(row: Row): { readonly pid: number; readonly device: number; readonly gpu: number | null } {
    const pid = typeof row['pid'] === 'number' ? row['pid'] : this.#process;
    const device = numberOf(row['deviceId']);
    const known = this.#gpus.get(`${pid} ${device}`) ?? this.#gpus.get(`${device}`);
    return { pid, device, gpu: known === undefined ? device : known };
  }

  #deviceLane(row: Row, kind: 'stream' | 'copies'): number {
    const [context, stream] = [row['contextId'], row['streamId']].map(numberOf);
    const { pid, device, gpu } = this.#gpuOf(row);
    if (gpu !== null) this.#worked.add(gpu);
    return this.#laneFor(`${kind} ${pid} ${device} ${context} ${stream}`, () => ({
      process:
        gpu === null
          ? `device ${device} of process ${pid}`
          : `GPU ${gpu}${this.#devices.has(gpu) ? `: ${this.#devices.get(gpu)}` : ''}`,
      name: kind === 'copies' ? `stream ${stream}: copies` : `stream ${stream}`,
      kind,
      scope: pid,
      order: 1e9 + (gpu ?? device) * 1e6 + (stream ?? 0) * 2 + (kind === 'copies' ? 1 : 0),
    }));
  }

  #threadLane(row: Row, part: string, kind: LaneKind): number {
    const [pid, tid] = [numberOf(row['pid']), numberOf(row['tid'])];
    return this.#laneFor(`${part} ${pid} ${tid}`, () => {
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

  #laneFor(key: string, make: () => Parameters<TraceBuilder['addLane']>[0]): number {
    const known = this.#lanes.get(key);
    if (known !== undefined) return known;
    const lane = this.#builder.addLane(make());
    this.#lanes.set(key, lane);
    return lane;
  }

  #addSpan(row: Row, lane: number, name: string, kind: SpanKind, values: SpanArguments = {}): number {
    const start = numberOf(row['start']);
    const end = row['end'];
    const correlation = numberOf(row['correlationId']);
    if (kind !== 'other' && typeof end !== 'number') this.#unended += 1;
    this.#last = Math.max(this.#last, start, numberOf(end));
    return this.#builder.addSpan({
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
    const rows = this.#selectRows(
      'CUPTI_ACTIVITY_KIND_KERNEL',
      [
        ...names,
        ...sizes,
        ...['deviceId', 'contextId', 'streamId', 'correlationId', 'registersPerThread'],
        ...['staticSharedMemory', 'dynamicSharedMemory'],
      ],
      { pid: pidSql('"globalPid"'), node: '("graphNodeId" & 0xffffffff)' },
    );
    for (const row of rows) {
      const known = names.map((column) => this.#stringById(row[column])).find((text) => text !== null);
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
        device: typeof row['deviceId'] === 'number' ? (this.#gpuOf(row).gpu ?? undefined) : undefined,
        graphNode: typeof row['node'] === 'number' ? numberOf(row['node']) : undefined,
      };
      this.#addSpan(
        row,
        this.#deviceLane(row, 'stream'),
        known ?? '(kernel without a name)',
        'kernel',
        withoutUndefined(values),
      );
    }
  }

  #readCopies(table: Table, kind: 'copy' | 'memset'): void {
    const columns = ['deviceId', 'contextId', 'streamId', 'correlationId', 'bytes', 'copyKind'];
    for (const row of this.#selectRows(table, columns, { pid: pidSql('"globalPid"') })) {
      const what = this.#copies.get(numberOf(row['copyKind'])) ?? 'unknown direction';
      const count = (column: string): number | undefined =>
        typeof row[column] === 'number' && numberOf(row[column]) >= 0 ? numberOf(row[column]) : undefined;
      const values = withoutUndefined({ bytes: count('bytes'), stream: count('streamId') });
      this.#addSpan(row, this.#deviceLane(row, 'copies'), kind === 'copy' ? `copy ${what}` : 'memset', kind, values);
    }
  }

  #readGraphs(): void {
    const columns = ['deviceId', 'contextId', 'streamId', 'correlationId', 'graphId'];
    for (const row of this.#selectRows('CUPTI_ACTIVITY_KIND_GRAPH_TRACE', columns, { pid: pidSql('"globalPid"') })) {
      const graph = numberOf(row['graphId']);
      this.#addSpan(row, this.#deviceLane(row, 'stream'), `graph ${graph}`, 'graph', { graph });
    }
  }

  #readCalls(): void {
    const thread = { pid: pidSql('"globalTid"'), tid: tidSql('"globalTid"') };
    for (const row of this.#selectRows('CUPTI_ACTIVITY_KIND_RUNTIME', ['nameId', 'correlationId'], thread)) {
      // The version of the driver API at the end of the name is removed.
      const name = this.#stringById(row['nameId'])?.replace(/_v\d+$/, '') ?? '(call without a name)';
      this.#addSpan(row, this.#threadLane(row, 'CUDA calls', 'api'), name, 'call');
    }
    for (const row of this.#selectRows('OSRT_API', ['nameId'], thread)) {
      this.#addSpan(
        row,
        this.#threadLane(row, 'system calls', 'thread'),
        this.#stringById(row['nameId']) ?? '?',
        'other',
      );
    }
  }

  #readRanges(): void {
    const thread = { pid: pidSql('"globalTid"'), tid: tidSql('"globalTid"') };
    for (const row of this.#selectRows('NVTX_EVENTS', ['text', 'textId', 'eventType'], thread)) {
      const isRange = NVTX_RANGES.has(numberOf(row['eventType']));
      const own = this.#stringById(row['text']) ?? this.#stringById(row['textId']);
      const name = own ?? (isRange ? '(range without a name)' : null);
      // Events without a name register domains and categories; they are no ranges.
      if (name === null || NVTX_REGISTRATIONS.has(numberOf(row['eventType']))) continue;
      const span = this.#addSpan(row, this.#threadLane(row, 'NVTX', 'thread'), name, 'other');
      if (isRange && typeof row['end'] !== 'number') {
        this.#open.push({ span, start: numberOf(row['start']) });
      }
    }
  }

  /** Ends the ranges that were open at the end of the recording. */
  #closeOpenRanges(): void {
    for (const { span, start } of this.#open) this.#builder.setDuration(span, this.#last - start);
    if (this.#open.length > 0) {
      this.#builder.addNote(`${this.#open.length} NVTX ranges have no end and are extended to the end of the trace.`);
    }
  }

  /** Process of device work in databases that do not store it: the process that made calls, if there is only one. */
  #onlyProcess(): number {
    const table = this.#tableName('CUPTI_ACTIVITY_KIND_RUNTIME');
    if (table === null || !this.#hasColumns(table, 'globalTid')) return 0;
    const sql = `SELECT DISTINCT ${pidSql('globalTid')} AS pid FROM ${quoteName(table)} LIMIT 2`;
    const all = this.#queryAll(sql);
    return all.length === 1 ? numberOf(all[0]?.['pid']) : 0;
  }
}

const quoteName = (name: string): string => `"${name.replaceAll('"', '""')}"`;

function withoutUndefined(values: Readonly<Record<string, unknown>>): SpanArguments {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

/**
 * Throws BraggError `foreign-file` if the file has fewer pages than its header states. SQLite may read such a file
 * without an error, and the missing tables would go unnoticed.
 */
function throwIfTruncated(file: string): void {
  const handle = openSync(file, 'r');
  try {
    const head = Buffer.alloc(100);
    if (readSync(handle, head, 0, 100, 0) < 100)
      throw new BraggError('foreign-file', 'it is truncated within its header');
    const page_bytes = head.readUInt16BE(16) === 1 ? 65_536 : head.readUInt16BE(16);
    // Old versions of SQLite do not update the number of pages. The number is valid only if both change counters are
    // equal.
    if (head.readUInt32BE(24) !== head.readUInt32BE(92)) return;
    const [is, was] = [fstatSync(handle).size, page_bytes * head.readUInt32BE(28)];
    if (is < was) throw new BraggError('foreign-file', `it is truncated after ${is} of ${was} bytes`);
  } finally {
    closeSync(handle);
  }
}

/** Imports a database. Throws BraggError `foreign-file` or `memory`. */
export function importNsight(
  file: string,
  name: string,
  progress: (spans: number) => void,
  mostRows = MAX_ROWS,
): Trace {
  let database: NsightImport | null = null;
  try {
    throwIfTruncated(file);
    database = new NsightImport(file, progress, mostRows);
    return database.read(name);
  } catch (error) {
    if (error instanceof BraggError) throw error;
    const text = messageOf(error);
    const reason = /malformed|corrupt|not a database/i.test(text)
      ? 'the database is damaged or truncated'
      : `the database cannot be read: ${text}`;
    throw new BraggError('foreign-file', reason, [], { cause: error });
  } finally {
    database?.close();
  }
}
