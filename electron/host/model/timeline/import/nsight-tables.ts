/**
 * Rules for the tables and columns of Nsight Systems databases: which are read, which are required, and which are
 * ignored. Schema: "SQLite Export Schema Reference" in the documentation of Nsight Systems.
 */
import { type FieldRule, type FieldRules, honoured, ignoredField } from '../../../../domain/header-fields.ts';

/**
 * Tables of events that the importer reads. Newer exports append a version to the name, such as
 * CUPTI_ACTIVITY_KIND_KERNEL_V2.
 */
export const TABLES = [
  ...['CUPTI_ACTIVITY_KIND_KERNEL', 'CUPTI_ACTIVITY_KIND_MEMCPY', 'CUPTI_ACTIVITY_KIND_MEMSET'],
  ...['CUPTI_ACTIVITY_KIND_GRAPH_TRACE', 'CUPTI_ACTIVITY_KIND_RUNTIME', 'OSRT_API', 'NVTX_EVENTS'],
] as const;
export type Table = (typeof TABLES)[number];
/**
 * Tables that describe the machine's GPUs, and the numbers that each process gives them: CUDA_VISIBLE_DEVICES changes
 * these.
 */
type DeviceTable = 'TARGET_INFO_GPU' | 'TARGET_INFO_CUDA_DEVICE';
/**
 * Pattern for tables whose times describe the recording, not the program's work. All other tables that are not read are
 * mentioned in a note.
 */
export const NO_EVENTS = /^(?:ENUM_|META_DATA|EXPORT_META|TARGET_INFO|ANALYSIS_|DIAGNOSTIC|PROFILER_OVERHEAD|sqlite_)/i;

const state = ignoredField('has no effect on the time, name or position of the event');
const duplicate = ignoredField('repeats the content of another column');
const times: FieldRules = { start: honoured, end: honoured };
const deviceColumns: FieldRules = {
  ...times,
  deviceid: honoured,
  contextid: honoured,
  streamid: honoured,
  correlationid: honoured,
  globalpid: honoured,
  greencontextid: state,
};
const hostColumns: FieldRules = {
  ...times,
  globaltid: honoured,
  nameid: honoured,
  eventclass: state,
  callchainid: state,
};

const deviceDescription = ignoredField('describes the device, not its work');

/** Rules for the columns of each table, by the SQLite Export Schema Reference. Columns without a rule are ignored. */
export const nsightColumns = {
  TARGET_INFO_GPU: {
    ...{
      id: honoured,
      name: honoured,
      vmid: deviceDescription,
      buslocation: deviceDescription,
      isdiscrete: deviceDescription,
    },
    ...{
      l2cachesize: deviceDescription,
      totalmemory: deviceDescription,
      memorybandwidth: deviceDescription,
      clockrate: deviceDescription,
    },
    ...{
      smcount: deviceDescription,
      pwgpuid: deviceDescription,
      uuid: deviceDescription,
      luid: deviceDescription,
      chipname: deviceDescription,
    },
    ...{ cudevice: duplicate, ctxswdevicepath: deviceDescription, ctrldevicepath: deviceDescription },
  },
  TARGET_INFO_CUDA_DEVICE: {
    ...{
      gpuid: honoured,
      cudaid: honoured,
      pid: honoured,
      uuid: deviceDescription,
      nummultiprocessors: deviceDescription,
    },
  },
  CUPTI_ACTIVITY_KIND_KERNEL: {
    ...deviceColumns,
    demangledname: honoured,
    shortname: honoured,
    mangledname: honoured,
    registersperthread: honoured,
    ...{ gridx: honoured, gridy: honoured, gridz: honoured, blockx: honoured, blocky: honoured, blockz: honoured },
    ...{ staticsharedmemory: honoured, dynamicsharedmemory: honoured, graphnodeid: honoured },
    ...{ launchtype: state, cacheconfig: state, localmemoryperthread: state, localmemorytotal: state, gridid: state },
    ...{ sharedmemoryexecuted: state, sharedmemorylimitconfig: state },
  },
  CUPTI_ACTIVITY_KIND_MEMCPY: {
    ...deviceColumns,
    ...{ bytes: honoured, copykind: honoured, graphnodeid: state, migrationcause: state, virtualaddress: state },
    ...{ deprecatedsrcid: duplicate, srckind: duplicate, dstkind: duplicate },
    ...{ srcdeviceid: duplicate, srccontextid: duplicate, dstdeviceid: duplicate, dstcontextid: duplicate },
  },
  CUPTI_ACTIVITY_KIND_MEMSET: { ...deviceColumns, bytes: honoured, value: state, graphnodeid: state, memkind: state },
  CUPTI_ACTIVITY_KIND_GRAPH_TRACE: { ...deviceColumns, graphid: honoured, graphexecid: state },
  CUPTI_ACTIVITY_KIND_RUNTIME: { ...hostColumns, correlationid: honoured, returnvalue: state },
  OSRT_API: { ...hostColumns, correlationid: state, returnvalue: state, nestinglevel: state },
  NVTX_EVENTS: {
    ...times,
    ...{ eventtype: honoured, text: honoured, textid: honoured, globaltid: honoured },
    ...{ rangeid: state, category: state, color: state, endglobaltid: state, domainid: state },
    ...{ uint64value: state, int64value: state, doublevalue: state, uint32value: state, int32value: state },
    ...{ floatvalue: state, jsontext: state, jsontextid: state, binarydata: state },
  },
} satisfies Readonly<Record<Table | DeviceTable, FieldRules>>;

/**
 * Columns without which numbers or names in the summary would be wrong. If an entry lists several columns, one of them
 * suffices.
 */
export const REQUIRED_COLUMNS = {
  CUPTI_ACTIVITY_KIND_KERNEL: ['end', 'deviceId', 'streamId', 'demangledName shortName mangledName name'],
  CUPTI_ACTIVITY_KIND_MEMCPY: ['end', 'deviceId', 'streamId', 'bytes', 'copyKind'],
  CUPTI_ACTIVITY_KIND_MEMSET: ['end', 'deviceId', 'streamId', 'bytes'],
  CUPTI_ACTIVITY_KIND_GRAPH_TRACE: ['end', 'deviceId', 'streamId', 'graphId'],
  CUPTI_ACTIVITY_KIND_RUNTIME: ['end', 'nameId', 'globalTid'],
  OSRT_API: ['end', 'nameId', 'globalTid'],
  NVTX_EVENTS: ['end', 'eventType', 'globalTid', 'text textId'],
} as const satisfies Readonly<Record<Table, readonly string[]>>;

/** Names of a table's columns that the importer reads. */
export const honouredColumns = (table: keyof typeof nsightColumns): ReadonlySet<string> =>
  new Set(
    Object.entries<FieldRule>(nsightColumns[table]).flatMap(([name, { kind }]) => (kind === 'honoured' ? [name] : [])),
  );
