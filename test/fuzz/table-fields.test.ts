/**
 * Changes one field of a good table, trace or tuner's file at a time. The result must change, or the file must be
 * rejected. Exceptions are on the reader's list of ignored fields, which is checked against the format's specification.
 */
import { copyFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { File, Group } from 'h5wasm';
import { describe, expect, test } from 'vitest';
import { BraggError } from '../../electron/contract/errors.ts';
import { binnedFields } from '../../electron/domain/dose/binned-table.ts';
import { readCurveCsv } from '../../electron/domain/dose/curve-csv.ts';
import type { FieldRule, FieldRules } from '../../electron/domain/header-fields.ts';
import { openTrace } from '../../electron/host/app/timelines/open.ts';
import { createFile } from '../../electron/host/io/hdf5/h5.ts';
import { ncuColumns, readNcuCsv } from '../../electron/host/model/counters/ncu.ts';
import { chromeEventFields, chromeFields } from '../../electron/host/model/timeline/import/chrome.ts';
import { nsightColumns } from '../../electron/host/model/timeline/import/nsight-tables.ts';
import type { Trace } from '../../electron/host/model/timeline/trace.ts';
import { kernelTunerEntryFields, kernelTunerFields } from '../../electron/host/model/tuning/files/kernel-tuner.ts';
import { parseTuning, t4Fields, t4ResultFields } from '../../electron/host/model/tuning/files/t4.ts';
import { readNexusImage } from '../../electron/host/workloads/diffraction/images/read.ts';
import { nexusFields } from '../../electron/host/workloads/diffraction/images/read-nexus.ts';
import { readHkl } from '../../electron/host/workloads/diffraction/scenario/hkl.ts';
import { xdsFields } from '../../electron/host/workloads/diffraction/scenario/hkl-layout.ts';
import { writeNsight } from '../electron/host/model/timeline/import/nsight-file.ts';
import { scratchFolder } from '../scratch-folder.ts';

const folder = scratchFolder('table-fields');

/** The result of a reader, or its error. */
async function answerOf(read: () => unknown): Promise<string> {
  try {
    return JSON.stringify(await read(), (_, value: unknown) =>
      ArrayBuffer.isView(value) ? [...(value as unknown as ArrayLike<number> & Iterable<number>)] : value,
    );
  } catch (error) {
    if (error instanceof BraggError && error.code !== 'internal') return `refused: ${error.message}`;
    throw error;
  }
}

/** Returns the results from good files in which a field was changed. */
type ReadChanged = (name: string, rule: FieldRule) => Promise<readonly string[]>;

/** Fields whose change has no effect, and fields listed as ignored whose change has one. */
async function wronglyIgnoredFields(rules: FieldRules, good: string, changed: ReadChanged): Promise<readonly string[]> {
  expect(good).not.toMatch(/^refused|^\{"ok":false/);
  const over: string[] = [];
  for (const [name, rule] of Object.entries(rules)) {
    const answers = await changed(name, rule);
    expect(answers.length, name).toBeGreaterThan(0);
    const noticed = answers.some((answer) => answer !== good);
    if (rule.kind === 'ignored') expect(rule.because.length, name).toBeGreaterThan(10);
    if (noticed === (rule.kind === 'ignored')) over.push(name);
  }
  return over;
}

const lower = (names: string): readonly string[] => names.toLowerCase().split(/\s+/);

/** Fields listed in the formats' specifications: a reader must handle each. */
const documents: readonly (readonly [string, FieldRules, readonly string[]])[] = [
  [
    'XDS_ASCII.HKL, by "Files used by XDS"',
    xdsFields,
    lower(`FORMAT MERGE FRIEDEL'S_LAW OUTPUT_FILE DATE PROFILE_FITTING NAME_TEMPLATE_OF_DATA_FRAMES DATA_RANGE ROTATION_AXIS
      OSCILLATION_RANGE STARTING_ANGLE STARTING_FRAME INCLUDE_RESOLUTION_RANGE SPACE_GROUP_NUMBER UNIT_CELL_CONSTANTS
      UNIT_CELL_A-AXIS UNIT_CELL_B-AXIS UNIT_CELL_C-AXIS REFLECTING_RANGE_E.S.D. BEAM_DIVERGENCE_E.S.D. X-RAY_WAVELENGTH
      INCIDENT_BEAM_DIRECTION FRACTION_OF_POLARIZATION POLARIZATION_PLANE_NORMAL AIR SILICON SENSOR_THICKNESS DETECTOR
      OVERLOAD DIRECTION_OF_DETECTOR_X-AXIS DIRECTION_OF_DETECTOR_Y-AXIS DETECTOR_DISTANCE ORGX ORGY NX NY QX QY
      VARIANCE_MODEL NUMBER_OF_ITEMS_IN_EACH_DATA_RECORD ITEM_H ITEM_K ITEM_L ITEM_IOBS ITEM_SIGMA(IOBS) ITEM_XD ITEM_YD
      ITEM_ZD ITEM_RLP ITEM_PEAK ITEM_CORR ITEM_PSI ITEM_ISET`),
  ],
  ['TOPAS, by its user guide', binnedFields.topas, ['x in', 'y in', 'z in', 'quantity', 'filtered by', 'binned by']],
  ['GATE, by its user guide', binnedFields.gate, ['matrix size', 'resol', 'voxelsize', 'nbval']],
  ['FLUKA, by plot files of its auxiliary programs', binnedFields.fluka, ['detector n', 'n. of']],
  [
    'FLUKA USRBIN, by the formats of usbrea',
    binnedFields.usrbin,
    [
      ...['cartesian binning', 'r - z', 'r-phi-z', 'region', 'reg/lat/u', 'binning n:', 'generalized particle'],
      ...['x coordinate', 'y coordinate', 'z coordinate', 'data follow in a matrix a(ix,iy,iz)', '+/-'],
      ...['percentage errors follow', 'total number of particles followed', 'total number of particles to be followed'],
      ...['accurate deposition', 'unnormalized data', 'normalized (per unit volume)', 'this is a track-length binning'],
      ...['only non-zero cells', 'birk law', 'time cut off', 'coordinate transformation', 'single precision'],
    ],
  ],
  [
    'PHITS, by its manual',
    binnedFields.phits,
    lower(
      'title mesh axis x y part material unit factor output file h dedxfnc letmat multiplier e-type ctmin(1) ctmax(1)',
    ),
  ],
  [
    'SHIELD-HIT12A, by its manual',
    binnedFields['shield-hit'],
    ['detector output', 'x bin', 'start', 'end', 'primaries', 'detector type', 'jpart'],
  ],
  [
    'Nsight Compute, by its command line',
    ncuColumns,
    [
      ...[
        'id',
        'process id',
        'process name',
        'host name',
        'kernel name',
        'kernel time',
        'context',
        'stream',
        'block size',
      ],
      ...['grid size', 'device', 'cc', 'section name', 'metric name', 'metric unit', 'metric value', 'rule name'],
      ...['rule type', 'rule description', 'invocations', 'minimum', 'maximum', 'average'],
    ],
  ],
  [
    'Kernel Tuner, by its schema of caches',
    { ...kernelTunerFields, ...kernelTunerEntryFields },
    lower(`schema_version device_name kernel_name problem_size tune_params_keys tune_params objective cache time times
      compile_time verification_time benchmark_time strategy_time framework_time timestamp`),
  ],
  [
    'T4, by its schema 1.0.0',
    { ...t4Fields, ...t4ResultFields },
    lower(
      'schema_version metadata results timestamp configuration objectives times invalidity correctness measurements',
    ),
  ],
  [
    'Chrome traces, by "Trace Event Format"',
    { ...chromeFields, ...chromeEventFields },
    lower(`traceEvents displayTimeUnit systemTraceEvents otherData stackFrames samples controllerTraceDataKey
      powerTraceAsString metadata name cat ph ts tts dur tdur pid tid args id id2 scope cname s bp sf stack esf estack
      bind_id flow_in flow_out`),
  ],
  [
    'NXmx, by its application definition and NXdata',
    nexusFields,
    lower(`data pixel_mask saturation_value underload_value countrate_correction_count_cutoff data_scaling_factor data_offset
      scaling_factor offset distance detector_distance x_pixel_size y_pixel_size beam_center_x beam_center_y flatfield
      flatfield_applied pixel_mask_applied countrate_correction_applied fast_pixel_direction slow_pixel_direction data_size
      data_origin data_stride image_key bit_depth_image bit_depth_readout countrate_correction_lookup_table
      virtual_pixel_interpolation_applied angular_calibration angular_calibration_applied dead_time threshold_energy
      sensor_material sensor_thickness type description count_time frame_time detector_readout_time number_of_cycles dark dark_applied pedestal pedestal_applied gain gain_setting`),
  ],
  [
    'nsys GPUs of processes, by its SQLite Export Schema Reference',
    nsightColumns.TARGET_INFO_CUDA_DEVICE,
    lower('gpuId cudaId pid uuid numMultiprocessors'),
  ],
  [
    'nsys GPUs, by its SQLite Export Schema Reference',
    nsightColumns.TARGET_INFO_GPU,
    lower(`vmId id name busLocation isDiscrete l2CacheSize totalMemory memoryBandwidth clockRate smCount pwGpuId uuid luid
      chipName cuDevice ctxswDevicePath ctrlDevicePath`),
  ],
  [
    'nsys kernels, by its SQLite Export Schema Reference',
    nsightColumns.CUPTI_ACTIVITY_KIND_KERNEL,
    lower(`start end deviceId contextId greenContextId streamId correlationId globalPid demangledName shortName mangledName
      launchType cacheConfig registersPerThread gridX gridY gridZ blockX blockY blockZ staticSharedMemory
      dynamicSharedMemory localMemoryPerThread localMemoryTotal gridId sharedMemoryExecuted graphNodeId
      sharedMemoryLimitConfig`),
  ],
  [
    'nsys copies, by its SQLite Export Schema Reference',
    nsightColumns.CUPTI_ACTIVITY_KIND_MEMCPY,
    lower(`start end deviceId contextId greenContextId streamId correlationId globalPid bytes copyKind deprecatedSrcId srcKind
      dstKind srcDeviceId srcContextId dstDeviceId dstContextId migrationCause graphNodeId virtualAddress`),
  ],
  [
    'nsys fills, by its SQLite Export Schema Reference',
    nsightColumns.CUPTI_ACTIVITY_KIND_MEMSET,
    lower(
      'start end deviceId contextId greenContextId streamId correlationId globalPid value bytes graphNodeId memKind',
    ),
  ],
  [
    'nsys graphs, by its SQLite Export Schema Reference',
    nsightColumns.CUPTI_ACTIVITY_KIND_GRAPH_TRACE,
    lower('start end deviceId graphId graphExecId contextId greenContextId streamId correlationId globalPid'),
  ],
  [
    'nsys calls, by its SQLite Export Schema Reference',
    nsightColumns.CUPTI_ACTIVITY_KIND_RUNTIME,
    lower('start end eventClass globalTid correlationId nameId returnValue callchainId'),
  ],
  [
    'nsys calls of the operating system, by its SQLite Export Schema Reference',
    nsightColumns.OSRT_API,
    lower('start end eventClass globalTid correlationId nameId returnValue nestingLevel callchainId'),
  ],
  [
    'nsys ranges, by its SQLite Export Schema Reference',
    nsightColumns.NVTX_EVENTS,
    lower(`start end eventType rangeId category color text globalTid endGlobalTid textId domainId uint64Value int64Value
      doubleValue uint32Value int32Value floatValue jsonTextId jsonText binaryData`),
  ],
];

test.each(documents)('%s: every field has a rule', (_, rules, fields) => {
  expect(fields.filter((name) => rules[name] === undefined)).toEqual([]);
});

describe('fields of files', () => {
  test('none in XDS_ASCII.HKL is ignored', async () => {
    const head: readonly (readonly [string, string])[] = [
      ['MERGE', 'FALSE'],
      ["FRIEDEL'S_LAW", 'FALSE'],
      ['NUMBER_OF_ITEMS_IN_EACH_DATA_RECORD', '5'],
      ...['H', 'K', 'L', 'IOBS', 'SIGMA(IOBS)'].map((item, i) => [`ITEM_${item}`, String(i + 1)] as const),
    ];
    const text = (format: string, fields: readonly (readonly [string, string])[]): string =>
      [
        `!FORMAT=${format}`,
        ...fields.map(([name, value]) => `!${name}=${value}`),
        '!END_OF_HEADER',
        ...['1 2 3 400 2', '1 2 3 500 3', '2 0 1 900 4', '!END_OF_DATA'],
      ].join('\n');
    const good = await answerOf(() => readHkl(text('XDS_ASCII', head)));
    const over = await wronglyIgnoredFields(xdsFields, good, async (name) => {
      const others = head.filter(([own]) => own.toLowerCase() !== name);
      const values = name.startsWith('item_') ? ['4', '5'] : ['TRUE', '7', '96', 'OTHER', 'INTEGRATE.HKL'];
      if (name === 'format') return [await answerOf(() => readHkl(text('OTHER', head)))];
      return Promise.all(
        values.map((value) => answerOf(() => readHkl(text('XDS_ASCII', [...others, [name.toUpperCase(), value]])))),
      );
    });
    expect(over).toEqual([]);
  });

  const tables: readonly (readonly [string, FieldRules, readonly string[], Readonly<Record<string, string>>])[] = [
    [
      'TOPAS',
      binnedFields.topas,
      [
        '# TOPAS Version: 3.9',
        '# Parameter File: a.txt',
        '# Results for scorer Dose',
        '# Scored in component: Tank',
        '# X in 1 bin  of 20 cm',
        '# Y in 1 bin  of 20 cm',
        '# Z in 2 bins of 5 mm',
        '# DoseToMedium ( Gy ) : Sum',
        ...['0, 0, 0, 2', '0, 0, 1, 3'],
      ],
      {
        'x in': '# X in 3 bins of 20 cm',
        'y in': '# Y in 2 bins of 20 cm',
        'z in': '# Z in 2 bins of 5 cm',
        quantity: '# Fluence ( /mm2 ) : Sum',
        'filtered by': '# Filtered by: OnlyIncludeParticlesNamed proton',
        'binned by': '# Binned by pre-step energy in 10 bins of 10 MeV',
      },
    ],
    [
      'GATE',
      binnedFields.gate,
      ['# Matrix Size= (100,100,4)', '# Resol      = (1,1,2)', '# VoxelSize  = (100,100,2)', '# nbVal = 2', '5', '6'],
      {
        'matrix size': '# Matrix Size= (100,100,8)',
        resol: '# Resol      = (1,1,3)',
        voxelsize: '# VoxelSize  = (100,100,3)',
        nbval: '# nbVal = 3',
      },
    ],
    [
      'FLUKA',
      binnedFields.fluka,
      [' # Detector n:  1 dose', ' # N. of z intervals  2', '0 1 4 0.1', '1 2 3 0.1'],
      { 'detector n': ' # Detector n:  1 dose\n # Detector n:  2 dose', 'n. of': ' # N. of z intervals  3' },
    ],
    [
      'FLUKA USRBIN',
      binnedFields.usrbin,
      [
        ' *****  Water  *****',
        '   Cartesian binning n.   1  "dose      " , generalized particle n.  208',
        '      X coordinate: from -5.0000E+00 to  5.0000E+00 cm,     1 bins ( 1.0000E+01 cm wide)',
        '      Y coordinate: from -5.0000E+00 to  5.0000E+00 cm,     1 bins ( 1.0000E+01 cm wide)',
        '      Z coordinate: from  1.0000E+00 to  7.0000E+00 cm,     3 bins ( 2.0000E+00 cm wide)',
        '      Data follow in a matrix A(ix,iy,iz), format (1(5x,1p,10(1x,e11.4)))',
        '      accurate deposition along the tracks requested',
        '       1.0000E-03  2.0000E-03  4.0000E-03',
        '      Percentage errors follow in a matrix A(ix,iy,iz), format (1(5x,1p,10(1x,e11.4)))',
        '       1.0000E+00  2.0000E+00  3.0000E+00',
      ],
      {
        'cartesian binning':
          '   Cartesian binning n.   1  "a" , generalized particle n.  208\n   Cartesian binning n.   2  "b"',
        'generalized particle': '   Cartesian binning n.   1  "dose      " , generalized particle n.    7',
        'x coordinate': '      X coordinate: from  0.0000E+00 to  2.0000E+00 cm,     2 bins ( 1.0000E+00 cm wide)',
        'y coordinate': '      Y coordinate: from  0.0000E+00 to  2.0000E+00 cm,     2 bins ( 1.0000E+00 cm wide)',
        'z coordinate': '      Z coordinate: from  0.0000E+00 to  6.0000E+00 cm,     3 bins ( 2.0000E+00 cm wide)',
        'data follow in a matrix a(ix,iy,iz)': '      Data follow in an array A(ir)',
        'percentage errors follow': '      Percentage mistakes',
      },
    ],
    [
      'PHITS',
      binnedFields.phits,
      [
        '[ T - Deposit ]',
        'x:  z [cm]',
        'y:  Dose [MeV/source]',
        '#  z-lower  z-upper  all  r.err',
        '0 1 4 0.1',
        '1 2 3 0.1',
      ],
      {
        ...{ x: 'x:  z [mm]', y: 'y:  Flux [1/cm^2/source]', mesh: 'mesh = reg', axis: 'axis = eng' },
        ...{ nx: 'nx = 2', ny: 'ny = 2', nr: 'nr = 2', nz: 'nz = 3', zmin: 'zmin = 1.', zmax: 'zmax = 3.' },
      },
    ],
    [
      'SHIELD-HIT12A',
      binnedFields['shield-hit'],
      [
        '#   DETECTOR OUTPUT MSH/DMSH',
        '#   X BIN:     1 Y BIN:     1 Z BIN:     2',
        '#   JPART:    -1 DETECTOR TYPE: DOSE      ',
        '#   X START:-0.500E+01 Y START:-0.500E+01 Z START: 0.100E+01',
        '#   X END  : 0.500E+01 Y END  : 0.500E+01 Z END  : 0.200E+01',
        '#   PRIMARIES: 0.100E+05',
        ...['0 0 1.25 4', '0 0 1.75 3'],
      ],
      {
        'detector output': '#   DETECTOR OUTPUT MSH/DMSH\n#   DETECTOR OUTPUT CYL',
        'x bin': '#   X BIN:     1 Y BIN:     1 Z BIN:     4',
        start: '#   X START:-0.500E+01 Y START:-0.500E+01 Z START: 0.000E+00',
        end: '#   X END  : 0.500E+01 Y END  : 0.500E+01 Z END  : 0.300E+01',
        'detector type': '#   JPART:    -1 DETECTOR TYPE: FLUENCE',
        jpart: '#   JPART:     2 DETECTOR TYPE: DOSE      ',
        primaries: '#   PRIMARIES: 0.200E+05',
      },
    ],
  ];
  test.each(tables)('none in tables of %s is ignored', async (_, rules, lines, changes) => {
    const read = (text: readonly string[]) =>
      answerOf(() => {
        const read = readCurveCsv(text.join('\n'), 'cm');
        if (!read.ok) return { ok: false, message: read.faults[0]?.message };
        const { depth_mm, dose, unit, depthUnit } = read.curve;
        return { depth_mm, dose, unit, depthUnit };
      });
    const over = await wronglyIgnoredFields(rules, await read(lines), async (name) => {
      const line = changes[name] ?? `# ${name}: changed 7`;
      const words = line.trim().slice(0, 9).toLowerCase();
      const at = lines.findIndex((own) => own.trim().toLowerCase().startsWith(words));
      const quantity = lines.findIndex((own) => own.includes('DoseToMedium'));
      const place = name === 'quantity' ? quantity : at;
      return [await read(place < 0 ? [lines[0] ?? '', line, ...lines.slice(1)] : lines.with(place, line))];
    });
    expect(over).toEqual([]);
  });

  test('none in the CSV of Nsight Compute is ignored', async () => {
    const head = ['ID', 'Process ID', 'Host Name', 'Metric Name', 'Metric Unit', 'Metric Value'];
    const rows = [
      ['0', '11', 'a', 'dram__bytes_read.sum', 'Kbyte', '5'],
      ['0', '11', 'a', 'dram__bytes_write.sum', 'Kbyte', '6'],
      ['1', '11', 'a', 'dram__bytes_read.sum', 'Kbyte', '7'],
      ['1', '11', 'a', 'dram__bytes_write.sum', 'Kbyte', '8'],
    ];
    const csv = (lines: readonly (readonly string[])[]): string =>
      lines.map((line) => line.map((cell) => `"${cell}"`).join(',')).join('\n');
    const good = await answerOf(() => readNcuCsv(csv([head, ...rows]), 'a.csv'));
    const over = await wronglyIgnoredFields(ncuColumns, good, async (name) => {
      const column = head.findIndex((own) => own.toLowerCase() === name);
      const title = name.replace(/^./, (letter) => letter.toUpperCase());
      const changed =
        column < 0
          ? [[...head, title], ...rows.map((row, i) => [...row, String(i)])]
          : [head, ...rows.map((row, i) => (i === 0 ? row.with(column, name === 'metric unit' ? 'Mbyte' : '7') : row))];
      return [await answerOf(() => readNcuCsv(csv(changed), 'a.csv'))];
    });
    expect(over).toEqual([]);
  });

  const changedKeys = [7, 'other', ['other'], { other: 1 }, '0.5', null];
  type Json = Readonly<Record<string, unknown>>;
  const parse = (document: Json) => answerOf(() => parseTuning({ text: JSON.stringify(document), name: 'a.json' }));
  const entry = { tile: 8, time: 2, times: [2, 2], compile_time: 100, timestamp: 'now', correctness: 1 };
  const cache = {
    device_name: 'A',
    kernel_name: 'k',
    problem_size: 64,
    tune_params_keys: ['tile'],
    cache: { '8': entry },
  };
  const result = {
    ...{ timestamp: 'now', configuration: { tile: 8 }, objectives: ['time'], invalidity: 'correct', correctness: 1 },
    times: { compilation_time: 100, runtimes: [2, 2] },
    measurements: [{ name: 'time', value: 2, unit: 'milliseconds' }],
  };
  const t4 = { schema_version: '1.0.0', metadata: { timeunit: 'milliseconds' }, results: [result] };

  test.each<[string, FieldRules, Json, (key: string, value: unknown) => Json]>([
    ['caches of Kernel Tuner', kernelTunerFields, cache, (key, value) => ({ ...cache, [key]: value })],
    [
      'their entries',
      kernelTunerEntryFields,
      cache,
      (key, value) => ({ ...cache, cache: { '8': { ...entry, [key]: value } } }),
    ],
    ['T4', t4Fields, t4, (key, value) => ({ ...t4, [key]: value })],
    ['its results', t4ResultFields, t4, (key, value) => ({ ...t4, results: [{ ...result, [key]: value }] })],
  ])('none in %s is ignored', async (_, rules, document, change) => {
    const over = await wronglyIgnoredFields(rules, await parse(document), (name) =>
      Promise.all(changedKeys.map((value) => parse(change(name, value)))),
    );
    expect(over).toEqual([]);
  });

  const traceAnswer = async (file: string): Promise<string> =>
    answerOf(async () => {
      const {
        lanes,
        laneOf,
        offsets,
        start,
        duration,
        nameOf,
        names,
        kind,
        detailOf,
        details,
        step,
        links,
        notes,
        ...rest
      } = (await openTrace(file, 'trace')) as Trace;
      return {
        lanes,
        laneOf,
        offsets,
        start,
        duration,
        nameOf,
        names,
        kind,
        detailOf,
        details,
        step,
        links,
        notes,
        about: rest.about,
        device: rest.device,
      };
    });

  test('none in Chrome traces is ignored', async () => {
    const event = { ph: 'X', ts: 10, dur: 5, name: 'step', cat: 'kernel', pid: 1, tid: 2, args: { device: 0 } };
    const begin = { ph: 'b', ts: 20, name: 'wait', cat: 'async', pid: 1, tid: 2, id: '0x1' };
    const events = [event, begin, { ...begin, ph: 'e', ts: 25 }, { ...event, ts: 30 }];
    const trace = { traceEvents: events, deviceProperties: [{ name: 'H200' }], otherData: { about: 'mine' } };
    const file = path.join(folder, 'trace.json');
    const read = (document: Json) => {
      writeFileSync(file, JSON.stringify(document));
      return traceAnswer(file);
    };
    const good = await read(trace);
    const keys: readonly string[] = [...Object.keys(trace), ...events.flatMap(Object.keys), 'id2'];
    const spelt = (name: string): string => keys.find((key) => key.toLowerCase() === name) ?? name;
    const outer = await wronglyIgnoredFields(chromeFields, good, async (name) => {
      const values =
        name === 'traceevents' ? [[event]] : name === 'deviceproperties' ? [[{ name: 'B' }]] : [{ about: 'x' }, 7];
      const answers: string[] = [];
      for (const value of values) answers.push(await read({ ...trace, [spelt(name)]: value }));
      return answers;
    });
    const inner = await wronglyIgnoredFields(chromeEventFields, good, async (name) => {
      const answers: string[] = [];
      for (const value of [7, 'i', { local: '0x2' }]) {
        for (const at of [0, 1]) {
          const changed = { ...events[at], [spelt(name)]: value };
          answers.push(await read({ ...trace, traceEvents: events.with(at, changed as (typeof events)[number]) }));
        }
      }
      return answers;
    });
    expect([outer, inner]).toEqual([[], []]);
  });

  test('none in databases of Nsight Systems is ignored', async () => {
    const good = path.join(folder, 'good.sqlite');
    writeNsight(good);
    const database = new DatabaseSync(good);
    database.exec(`CREATE TABLE TARGET_INFO_CUDA_DEVICE (gpuId INTEGER, cudaId INTEGER, pid INTEGER);
      INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (0, 0, 4711);
      INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (2, 0, 815);
      CREATE TABLE OSRT_API (start INTEGER, end INTEGER, globalTid INTEGER, nameId INTEGER);
      INSERT INTO OSRT_API SELECT start, end, globalTid, 6 FROM CUPTI_ACTIVITY_KIND_RUNTIME LIMIT 1;
      INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE SELECT * FROM CUPTI_ACTIVITY_KIND_GRAPH_TRACE;
      UPDATE CUPTI_ACTIVITY_KIND_GRAPH_TRACE SET start = start + 200, end = end + 200 WHERE rowid = 2;`);
    database.close();
    const before = await traceAnswer(good);
    for (const [table, rules] of Object.entries(nsightColumns)) {
      const over = await wronglyIgnoredFields(rules, before, async (name) => {
        const file = path.join(folder, 'changed.sqlite');
        copyFileSync(good, file);
        const changed = new DatabaseSync(file);
        const columns = changed.prepare(`PRAGMA table_info(${table})`).all();
        const own = columns.find((column) => String(column['name']).toLowerCase() === name);
        if (own === undefined) changed.exec(`ALTER TABLE ${table} ADD COLUMN ${name} INTEGER`);
        // Names and texts are ids in StringIds; process and thread are in the upper bits.
        const value =
          name === 'eventtype'
            ? '75'
            : table === 'TARGET_INFO_CUDA_DEVICE' && name === 'pid'
              ? '4712'
              : name === 'correlationid'
                ? `iif(${name} = 11, 12, 11)`
                : /tid$|pid$/.test(name)
                  ? `${name} + (1 << 24)`
                  : name === 'text'
                    ? "'other'"
                    : `ifnull(${name}, 4) + 1`;
        const one =
          name === 'mangledname'
            ? ', demangledName = 99, shortName = 99'
            : name === 'shortname'
              ? ', demangledName = 99'
              : '';
        changed.exec(`UPDATE ${table} SET "${String(own?.['name'] ?? name)}" = ${value}${one} WHERE rowid = 1`);
        changed.close();
        return [await traceAnswer(file)];
      });
      expect([table, over]).toEqual([table, []]);
    }
  });

  test('none in NXmx files is ignored', async () => {
    const alone = async (): Promise<null> => null;
    const image = (change: (detector: Group, data: Group) => void) =>
      createFile((file: File) => {
        const entry = file.create_group('entry');
        const data = entry.create_group('data');
        const detector = entry.create_group('instrument').create_group('detector');
        change(detector, data);
        if (data.keys().length === 0) images(data, 0);
      });
    const images = (data: Group, from: number): void => {
      const counts = Uint16Array.from({ length: 12 }, (_, i) => from + 10 * i);
      data.create_dataset({ name: 'data', data: counts, shape: [3, 4], dtype: '<H' });
    };
    const read = (bytes: Uint8Array) => answerOf(() => readNexusImage(bytes, 'a.h5', alone));
    const good = await read(await image(() => undefined));
    const over = await wronglyIgnoredFields(nexusFields, good, async (name) => {
      const put = (group: Group): void => {
        if (name === 'pixel_mask') {
          group.create_dataset({
            name,
            data: Uint32Array.from({ length: 12 }, (_, i) => i % 2),
            shape: [3, 4],
            dtype: '<I',
          });
        } else if (/^(fast|slow)_|^data_(size|origin|stride)/.test(name)) {
          const module = group.create_group('module');
          const made = module.create_dataset({ name, data: Int32Array.of(2, 3), shape: [2], dtype: '<i' });
          made.create_attribute('vector', Float64Array.of(1, 0, 0));
        } else
          group.create_dataset({
            name,
            data: Float64Array.of(name === 'bit_depth_image' ? 6 : 50),
            shape: [1],
            dtype: '<d',
          });
      };
      return [await read(await image((detector, data) => (name === 'data' ? images(data, 1) : put(detector))))];
    });
    // Other tests cover these fields with damaged images: non-square pixels, and flags of corrections.
    expect(
      over.filter((name) => !/^y_pixel_size$|^(flatfield|dark|pedestal)_(correction_)?applied$/.test(name)),
    ).toEqual([]);
  });
});
