/** Databases in the form of `nsys export --type sqlite`, written with node:sqlite. */
import { DatabaseSync } from 'node:sqlite';

const PID = 4711n;
const TID = 4712n;
/** Machine, process and thread packed into 64 bits: too large for a double's 53 bits. */
export const GLOBAL_TID = (9n << 56n) | (PID << 24n) | TID;
const GLOBAL_PID = (9n << 56n) | (PID << 24n);

export const START = 5_000_000_000;

/** Writes two kernels, a graph, a copy and their calls, beginning at START. */
export function writeNsight(file: string): void {
  const database = new DatabaseSync(file);
  database.exec(`
    CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);
    CREATE TABLE TARGET_INFO_GPU (id INTEGER, name TEXT, totalMemory INTEGER);
    CREATE TABLE ThreadNames (nameId INTEGER NOT NULL, priority INTEGER, globalTid INTEGER);
    CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (
      start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL,
      greenContextId INTEGER, streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER,
      demangledName INTEGER NOT NULL, shortName INTEGER NOT NULL, mangledName INTEGER, launchType INTEGER,
      registersPerThread INTEGER NOT NULL, gridX INTEGER NOT NULL, gridY INTEGER NOT NULL, gridZ INTEGER NOT NULL,
      blockX INTEGER NOT NULL, blockY INTEGER NOT NULL, blockZ INTEGER NOT NULL,
      staticSharedMemory INTEGER NOT NULL, dynamicSharedMemory INTEGER NOT NULL, graphNodeId INTEGER);
    CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (
      start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL,
      streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER, bytes INTEGER NOT NULL, copyKind INTEGER NOT NULL);
    CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (
      start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL,
      streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER, value INTEGER, bytes INTEGER NOT NULL);
    CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (
      start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL, graphId INTEGER NOT NULL,
      graphExecId INTEGER NOT NULL, contextId INTEGER NOT NULL, streamId INTEGER NOT NULL, correlationId INTEGER,
      globalPid INTEGER);
    CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (
      start INTEGER NOT NULL, end INTEGER NOT NULL, eventClass INTEGER NOT NULL, globalTid INTEGER,
      correlationId INTEGER, nameId INTEGER NOT NULL, returnValue INTEGER NOT NULL, callchainId INTEGER);
    CREATE TABLE NVTX_EVENTS (
      start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT NULL, text TEXT, textId INTEGER, globalTid INTEGER);
    INSERT INTO StringIds VALUES (1, 'void march<float>(float *)'), (2, 'march'), (3, 'cudaLaunchKernel_v7000'),
      (4, 'cudaGraphLaunch_v10000'), (5, 'cudaMemcpyAsync_v3020'), (6, 'main loop'), (7, 'solver');
    INSERT INTO TARGET_INFO_GPU VALUES (0, 'NVIDIA H200', 150000000000);
  `);
  const run = (sql: string, ...values: readonly (number | bigint | string | null)[]): void => {
    database.prepare(sql).run(...values);
  };
  run('INSERT INTO ThreadNames VALUES (7, 0, ?)', GLOBAL_TID);
  const call = (start: number, end: number, correlation: number, name: number): void =>
    run(
      'INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (?, ?, 0, ?, ?, ?, 0, NULL)',
      START + start,
      START + end,
      GLOBAL_TID,
      correlation,
      name,
    );
  const kernel = (start: number, end: number, correlation: number, node: number | bigint | null): void =>
    run(
      'INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?, ?, 0, 1, NULL, 7, ?, ?, 1, 2, NULL, 1, 40, 8, 2, 1, 256, 1, 1, 512, 1024, ?)',
      START + start,
      START + end,
      correlation,
      GLOBAL_PID,
      node,
    );
  call(0, 100, 11, 3);
  call(150, 250, 12, 4);
  call(300, 320, 13, 5);
  call(330, 350, 14, 4);
  kernel(200, 500, 11, null);
  // The upper half of a node's id is the graph's id.
  kernel(500, 600, 12, (3n << 32n) | 5n);
  run(
    'INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (?, ?, 0, 1, 7, 13, ?, 4096, 8)',
    START + 700,
    START + 800,
    GLOBAL_PID,
  );
  run(
    'INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES (?, ?, 0, 1, 7, 0, ?, 0, 64)',
    START + 810,
    START + 820,
    GLOBAL_PID,
  );
  run(
    'INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES (?, ?, 0, 3, 9, 1, 8, 14, ?)',
    START + 850,
    START + 950,
    GLOBAL_PID,
  );
  run('INSERT INTO NVTX_EVENTS VALUES (?, ?, 59, NULL, 6, ?)', START + 10, START + 900, GLOBAL_TID);
  run('INSERT INTO NVTX_EVENTS VALUES (?, NULL, 34, ?, NULL, ?)', START + 20, 'mark', GLOBAL_TID);
  database.close();
}
