/**
 * CT files modelled on public bug reports, each with its correct value or the required error. Their sources are in
 * cases/README.md.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listCtSeries } from '../../../../../electron/host/io/volumes/ct-series.ts';
import { type CtPlane, type CtSlice, readCtSlice } from '../../../../../electron/host/io/volumes/ct-slice.ts';
import { readDicomDose } from '../../../../../electron/host/io/volumes/dicom.ts';
import {
  dicomOf,
  doseOf,
  type Elements,
  ellipsePhantom,
  gammaOf,
  metaImageOf,
  nrrdOf,
  type Phantom,
  writeSeries,
} from './phantom.ts';

describe('CT and dose volumes', () => {
  const folder = path.join(import.meta.dirname, 'cases');
  const slice = (name: string, at_mm: number | null = null, plane: CtSlice['plane'] = 'transverse') =>
    readCtSlice({ path: path.join(folder, name), name, series: null, plane, at_mm });

  /** Hounsfield units of each row, which are equal in all its columns. */
  function rowsOf({ hu, columns, rows }: CtSlice): readonly number[] {
    return Array.from({ length: rows }, (_, row) => {
      const values = new Set(hu.subarray(row * columns, (row + 1) * columns));
      expect(values.size, `row ${row}`).toBe(1);
      return [...values][0] ?? Number.NaN;
    });
  }

  const layers = (...counts: readonly (readonly [number, number])[]): number[] =>
    counts.flatMap(([count, value]) => Array.from({ length: count }, () => value));
  const phantom = layers([4, -1000], [8, -100], [20, 0]);

  describe('the phantom is read from each format', () => {
    test.each([
      'd06-signed12.dcm',
      'd09-with-rtstruct',
      'm01-headersize/ct.mhd',
      'm03-ascii.mha',
      'm07-local-case.mha',
      'm08-hfp/ct.mhd',
      'm09-rounding/ct.mhd',
      'm19-matrad-permuted/ct.mhd',
      'n04-byteskip.nrrd',
      'n05-detached/ct.nhdr',
      'n09-endian-case.nrrd',
      'n10-axis-mins.nrrd',
      'n13-space-units.nrrd',
      'n18-matrad.nrrd',
    ])('%s', async (name) => {
      const found = await slice(name);
      expect(rowsOf(found)).toEqual(phantom);
      // Spacings converted from binary fractions of cm differ in the last bit.
      expect(found.spacing_mm.map((step) => Number(step.toFixed(9)))).toEqual([1, 1]);
    });

    test('a series is read next to a localizer, which is named', async () => {
      const found = await slice('d10-with-scout');
      expect(rowsOf(found)).toEqual(phantom);
      expect(found.slices).toBe(5);
      expect(found.notes).toHaveLength(1);
      expect(found.notes[0]).toMatch(/ignored/);
    });

    test('a plan is read, and its RTSTRUCT is named', async () => {
      const found = await slice('d09-with-rtstruct');
      expect([found.slices, found.notes]).toEqual([
        5,
        ['1 file in d09-with-rtstruct ignored: RTSTRUCT, not a slice of the CT.'],
      ]);
    });
  });

  test('the minimum of an axis follows from cell-centred slices', async () => {
    const found = await slice('n10-axis-mins.nrrd', 41);
    // Slices are 3 mm thick, and the first begins at 40 mm.
    expect([found.at_mm, found.from_mm, found.to_mm]).toEqual([41.5, 41.5, 47.5]);
    expect(found.origin_mm).toEqual([-15.5, -15.5]);
  });

  test('slices with two spacings are read one by one, and rejected in other planes', async () => {
    expect((await slice('d13-two-spacings', 18)).at_mm).toBe(18);
    await expect(slice('d13-two-spacings', null, 'coronal')).rejects.toThrow(
      /not equally spaced \(0, 3, 6, 9, 12, 18, 24, 30 mm\)/,
    );
  });

  test('pixels in the padding range are read as air and counted', async () => {
    const found = await slice('d16b-padding-between.dcm');
    expect(rowsOf(found)).toEqual(phantom);
    expect(found.notes).toEqual([expect.stringMatching(/^\d+ of 1024 pixels have the stored value 2000 to 3071/)]);
    const water = await slice('d25-padding-zero.dcm');
    expect(rowsOf(water)).toEqual(layers([4, -1000], [8, -100], [20, -1000]));
    expect(water.notes).toEqual([
      '640 of 1024 pixels have the stored value 0, which the file declares as padding: they are treated as air.',
    ]);
  });

  test.each([
    ['d08-decimal-comma.dcm', 'RescaleSlope is "1,0"; allowed: a number with a decimal point'],
    ['d20-no-transfer-syntax.dcm', 'it has no transfer syntax (0002,0010)'],
    ['m12-too-large/ct.mhd', 'its data has 12288 bytes, but 6144 are specified'],
  ])('%s is rejected', async (name, message) => {
    await expect(slice(name)).rejects.toThrow(message);
  });

  test('one dose in two coordinate systems is the same dose', async () => {
    const file = (name: string) => path.join(folder, 'g01-ras-lps', name);
    for (const other of ['ras.nrrd', 'ras2.nrrd', 'lps.mha']) {
      expect(await gammaOf(file('lps.nrrd'), file(other)), other).toEqual({ passed: 1, worst: 0 });
    }
    expect(readFileSync(file('ras2.nrrd')).equals(readFileSync(file('lps.nrrd')))).toBe(false);
  });
});

describe('CT slices', () => {
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'ct-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** The pixel values are all different; the image is neither square nor symmetric. */
  const odd: Phantom = {
    columns: 7,
    rows: 5,
    slices: 4,
    spacing_mm: [0.5, 0.75, 2],
    origin_mm: [-10, 20, -6],
    hu: (i, j, k) => i * 100 + j * 10 + k - 500,
  };

  const read = (
    name: string,
    plane: CtPlane = 'transverse',
    at_mm: number | null = null,
    series: string | null = null,
  ): Promise<CtSlice> => readCtSlice({ path: path.join(folder, name), name, series, plane, at_mm });

  function writeInFolder(name: string, bytes: Uint8Array): string {
    writeFileSync(path.join(folder, name), bytes);
    return name;
  }

  const refused = async (name: string): Promise<string> => {
    const error = await read(name).then(
      () => null,
      (thrown: unknown) => thrown as Error,
    );
    return error?.message ?? 'was read';
  };

  describe('a slice of a CT', () => {
    beforeAll(() => {
      writeSeries(path.join(folder, 'series'), odd);
      writeInFolder('odd.nrrd', nrrdOf(odd));
      writeInFolder('odd.mha', metaImageOf(odd));
    });

    test.each(['transverse', 'coronal', 'sagittal'] as const)(
      'is identical when read from DICOM, NRRD and MetaImage: %s',
      async (plane) => {
        const [dicom, nrrd, meta] = [
          await read('series', plane),
          await read('odd.nrrd', plane),
          await read('odd.mha', plane),
        ];
        expect(nrrd).toEqual(dicom);
        expect(meta).toEqual(dicom);
      },
    );

    test('lies at the position in its files, and contains their Hounsfield units', async () => {
      const slice = await read('series', 'transverse', -2.4);
      expect(slice).toMatchObject({ columns: 7, rows: 5, spacing_mm: [0.5, 0.75], origin_mm: [-10, 20] });
      expect(slice).toMatchObject({ at_mm: -2, from_mm: -6, to_mm: 0, slices: 4 });
      expect(slice.hu[3 * 7 + 6]).toBe(odd.hu(6, 3, 2));
      const coronal = await read('series', 'coronal', 21.5);
      expect(coronal).toMatchObject({ columns: 7, rows: 4, spacing_mm: [0.5, 2], origin_mm: [-10, -6], at_mm: 21.5 });
      expect(coronal.hu[3 * 7 + 1]).toBe(odd.hu(1, 2, 3));
      const sagittal = await read('series', 'sagittal', -10);
      expect(sagittal).toMatchObject({ columns: 5, rows: 4, origin_mm: [20, -6], at_mm: -10 });
      expect(sagittal.hu[2 * 5 + 4]).toBe(odd.hu(0, 4, 2));
    });

    test('is read in other orientations: rows to the right, columns to the front, and NRRD in right-anterior-superior order', async () => {
      const back = { ...odd, hu: (i: number, j: number, k: number) => odd.hu(6 - i, 4 - j, k) };
      const [right, front] = [odd.origin_mm[0] + 6 * 0.5, odd.origin_mm[1] + 4 * 0.75];
      const whole = await read('series');
      const turned: Readonly<Record<string, Elements[string]>> = {
        '00200032': ['DS', `${right}\\${front}\\-4`],
        '00200037': ['DS', '-1\\0\\0\\0\\-1\\0'],
      };
      writeInFolder('turned.dcm', dicomOf(back, 1, turned));
      expect((await read('turned.dcm')).hu).toEqual(whole.hu);
      expect((await read('turned.dcm')).origin_mm).toEqual(whole.origin_mm);
      const ras = nrrdOf(back, { space: 'right-anterior-superior', 'space origin': `(${-right},${-front},-6)` });
      writeInFolder('ras.nrrd', ras);
      expect(await read('ras.nrrd')).toEqual(await read('odd.nrrd'));
    });

    /**
     * Files of `odd` whose columns follow each other along axis `u` and whose rows along `v`, in the given directions.
     */
    function writeRotated(name: string, [u, v, w]: readonly [number, number, number], [wayU, wayV]: readonly number[]) {
      const size = [odd.columns, odd.rows, odd.slices];
      const own: Phantom = {
        ...odd,
        ...{ columns: size[u] ?? 0, rows: size[v] ?? 0, slices: size[w] ?? 0 },
        spacing_mm: [odd.spacing_mm[u] ?? 0, odd.spacing_mm[v] ?? 0, 1],
        hu: (column, row, slice) => {
          const at = [0, 0, 0];
          at[u] = wayU === 1 ? column : (size[u] ?? 0) - 1 - column;
          at[v] = wayV === 1 ? row : (size[v] ?? 0) - 1 - row;
          at[w] = slice;
          return odd.hu(at[0] ?? 0, at[1] ?? 0, at[2] ?? 0);
        },
      };
      const unit = (axis: number, way = 1): string => [0, 1, 2].map((i) => (i === axis ? way : 0)).join('\\');
      mkdirSync(path.join(folder, name), { recursive: true });
      for (let slice = 0; slice < own.slices; slice += 1) {
        const first = [...odd.origin_mm];
        if (wayU !== 1) first[u] = (odd.origin_mm[u] ?? 0) + (own.columns - 1) * (odd.spacing_mm[u] ?? 0);
        if (wayV !== 1) first[v] = (odd.origin_mm[v] ?? 0) + (own.rows - 1) * (odd.spacing_mm[v] ?? 0);
        first[w] = (odd.origin_mm[w] ?? 0) + slice * (odd.spacing_mm[w] ?? 0);
        const changes: Elements = {
          '00200032': ['DS', first.join('\\')],
          '00200037': ['DS', `${unit(u, wayU)}\\${unit(v, wayV)}`],
        };
        writeInFolder(`${name}/${slice}.dcm`, dicomOf(own, slice, changes));
      }
    }

    test.each([
      [0, 1, 2],
      [1, 0, 2],
      [0, 2, 1],
      [2, 0, 1],
      [1, 2, 0],
      [2, 1, 0],
    ] as const)('is unchanged when rotated by right angles: columns along axis %i, rows along %i', async (u, v, w) => {
      for (const ways of [
        [1, 1],
        [-1, 1],
        [1, -1],
        [-1, -1],
      ]) {
        const name = `rotated-${u}${v}${ways.join('')}`;
        writeRotated(name, [u, v, w], ways);
        for (const plane of ['transverse', 'coronal', 'sagittal'] as const)
          expect(await read(name, plane), `${plane} ${ways.join(' ')}`).toEqual(await read('series', plane));
      }
    });

    test('has patient axes for a patient lying on the left side, as checked by hand', async () => {
      // In this image, down is the patient's left (+x), and right is the front (-y), as in position HFDL.
      const hu = [
        [10, 20, 30],
        [40, 50, 60],
      ];
      const side = (slice: number): Uint8Array =>
        dicomOf({ ...odd, columns: 3, rows: 2, hu: (i, j) => (hu[j]?.[i] ?? 0) + slice }, 0, {
          '00185100': ['CS', 'HFDL'],
          '00200032': ['DS', `100\\50\\${-8 + 4 * slice}`],
          '00200037': ['DS', '0\\-1\\0\\1\\0\\0'],
          // Rows are 5 mm apart, columns 2 mm.
          '00280030': ['DS', '5\\2'],
        });
      mkdirSync(path.join(folder, 'side'));
      for (const slice of [0, 1]) writeInFolder(`side/${slice}.dcm`, side(slice));
      // y is 46, 48 and 50 mm from front to back; x is 100 and 105 mm.
      expect(await read('side', 'transverse', -8)).toMatchObject({
        ...{ columns: 2, rows: 3, spacing_mm: [5, 2], origin_mm: [100, 46] },
        hu: Float32Array.of(30, 60, 20, 50, 10, 40),
      });
      expect(await read('side', 'sagittal', 105)).toMatchObject({
        ...{ columns: 3, rows: 2, spacing_mm: [2, 4], origin_mm: [46, -8], at_mm: 105 },
        hu: Float32Array.of(60, 50, 40, 61, 51, 41),
      });
    });

    test('is read in the plane of its files if the spacing is uneven, also in a sagittal plane', async () => {
      writeRotated('unequal', [1, 2, 0], [1, -1]);
      for (const name of ['7', '8']) {
        const x = name === '7' ? -6 : -5;
        writeInFolder(
          `unequal/${name}.dcm`,
          dicomOf({ ...odd, columns: 5, rows: 4, spacing_mm: [0.75, 2, 1] }, 0, {
            '00200032': ['DS', `${x}\\20\\0`],
            '00200037': ['DS', '0\\1\\0\\0\\0\\-1'],
          }),
        );
      }
      expect(await read('unequal', 'sagittal', -9.5)).toEqual({
        ...(await read('series', 'sagittal', -9.5)),
        ...{ to_mm: -5, slices: 9 },
      });
      await expect(read('unequal', 'transverse')).rejects.toThrow(/one spacing, or the sagittal plane/);
    });

    test('needs no spacing to a neighbour: DICOM without a thickness, one plane of NRRD or MetaImage', async () => {
      const one = { ...odd, slices: 1 };
      mkdirSync(path.join(folder, 'single'));
      writeInFolder('single/only.dcm', dicomOf(one, 0, { '00180050': undefined, '00180088': undefined }));
      const plane = Buffer.from(
        Int16Array.from({ length: 35 }, (_, at) => odd.hu(at % 7, Math.floor(at / 7), 0)).buffer,
      );
      const head =
        'NRRD0004\ntype: short\ndimension: 2\nsizes: 7 5\nspacings: 0.5 0.75\naxis mins: -10 20\ncenters: node node\nendian: little\nencoding: raw\n\n';
      writeInFolder('plane.nrrd', Buffer.concat([Buffer.from(head), plane]));
      const meta =
        'NDims = 2\nDimSize = 7 5\nElementSpacing = 0.5 0.75\nOffset = -10 20\nElementType = MET_SHORT\nElementDataFile = LOCAL\n';
      writeInFolder('plane.mha', Buffer.concat([Buffer.from(meta), plane]));
      const wanted = await read('series', 'transverse', -6);
      for (const name of ['single', 'single/only.dcm', 'plane.nrrd', 'plane.mha']) {
        const { hu, spacing_mm, origin_mm, slices } = await read(name);
        expect([hu, spacing_mm, origin_mm, slices], name).toEqual([wanted.hu, [0.5, 0.75], [-10, 20], 1]);
      }
      expect(await read('single', 'transverse', -6.4)).toMatchObject({ at_mm: -6, from_mm: -6, to_mm: -6 });
    });

    test('applies slope, intercept, signed values and padding', async () => {
      const shifted = dicomOf({ ...odd, hu: () => 100 }, 0, { '00281052': ['DS', '-1000'], '00281053': ['DS', '0.5'] });
      writeInFolder('slope.dcm', shifted);
      expect((await read('slope.dcm')).hu[0]).toBe((100 + 1024) * 0.5 - 1000);
      const signed = (padding: number, more: Readonly<Record<string, Elements[string]>> = {}) =>
        dicomOf({ ...odd, hu: (i) => (i === 0 ? -3024 : 7) }, 0, {
          '00280103': ['US', 1],
          '00280120': ['SS', padding],
          '00281052': ['DS', '-1024'],
          ...more,
        });
      // The padding value -2000 is signed, in 16 bits or in the 12 bits that are stored.
      writeInFolder('signed.dcm', signed(-2000 & 0xffff));
      writeInFolder('signed-12.dcm', signed(-2000 & 0xfff, { '00280101': ['US', 12], '00280102': ['US', 11] }));
      for (const file of ['signed.dcm', 'signed-12.dcm']) {
        const { hu } = await read(file);
        expect([hu[0], hu[1]], file).toEqual([-1000, 7]);
      }
    });
  });

  describe('errors of a CT state what is allowed', () => {
    test.each<[string, Readonly<Record<string, Elements[string] | undefined>>, string]>([
      ['modality', { '00080060': ['CS', 'MR'] }, 'Modality is MR; allowed: CT'],
      [
        'of JPEG 2000',
        { '00020010': ['UI', '1.2.840.10008.1.2.4.90'] },
        'transfer syntax is JPEG 2000 (1.2.840.10008.1.2.4.90)',
      ],
      [
        'compressed without fragments',
        { '00020010': ['UI', '1.2.840.10008.1.2.4.70'] },
        'its PixelData has no fragments',
      ],
      ['no slope', { '00281053': undefined }, 'it has no RescaleSlope'],
      ['zero slope', { '00281053': ['DS', '0'] }, 'RescaleSlope is 0'],
      ['no intercept', { '00281052': undefined }, 'it has no RescaleIntercept'],
      ['hexadecimal digits for a slope', { '00281053': ['DS', '0x2'] }, 'RescaleSlope is "0x2"'],
      ['words for a slope', { '00281053': ['DS', 'one'] }, 'RescaleSlope is "one"'],
      ['other units', { '00281054': ['LO', 'US'] }, 'RescaleType is US; allowed: HU'],
      ['of JPEG-LS', { '00020010': ['UI', '1.2.840.10008.1.2.4.80'] }, 'transfer syntax is JPEG-LS'],
      // atan(0.1 / 0.9) is 6.3°, atan(0.2 / 0.98) is 11.5°.
      ['sheared', { '00200037': ['DS', '0.9\\0.1\\0\\0\\1\\0'] }, 'its axes 1 and 2 are at an angle of 83.7°'],
      ['tilted', { '00200037': ['DS', '1\\0\\0\\0\\0.98\\0.2'] }, 'rotated by 11.5° from those of the patient'],
      [
        'of rows along columns',
        { '00200037': ['DS', '0\\1\\0\\0\\-1\\0'] },
        'allowed: rows and columns along two axes',
      ],
      [
        'of several frames, which state the rest for each',
        { '00280008': ['IS', '40'], '00280030': undefined, '00200032': undefined },
        'NumberOfFrames is 40; allowed: 1: one file per slice',
      ],
      ['no orientation', { '00200037': undefined }, 'it has no ImageOrientationPatient'],
      ['no place', { '00200032': undefined }, 'it has no ImagePositionPatient'],
      ['eight bits', { '00280100': ['US', 8] }, 'BitsAllocated is 8; allowed: 16'],
      ['colours', { '00280002': ['US', 3] }, 'SamplesPerPixel is 3; allowed: 1'],
      ['no spacing', { '00280030': ['DS', '0\\0.5'] }, 'PixelSpacing is 0, 0.5'],
      ['no pixels', { '7fe00010': undefined }, 'it has no PixelData'],
      ['more rows than pixels', { '00280010': ['US', 50] }, 'it is truncated'],
    ])('%s', async (_, changes, says) => {
      writeInFolder('bad.dcm', dicomOf(odd, 0, changes));
      expect(await refused('bad.dcm')).toContain(says);
    });

    test('a file that is cut off anywhere', async () => {
      const whole = dicomOf(odd, 0);
      for (let length = 0; length < whole.length; length += 13) {
        writeInFolder('cut.dcm', whole.slice(0, length));
        expect(await refused('cut.dcm')).toMatch(
          /not a DICOM file|truncated or damaged|it has no|it is truncated|is missing|rows and/,
        );
      }
    });

    test('slices in two coordinate systems', async () => {
      mkdirSync(path.join(folder, 'two-frames'));
      for (const k of [0, 1, 2]) {
        writeInFolder(`two-frames/${k}.dcm`, dicomOf(odd, k, { '00200052': ['UI', k === 1 ? '1.2.9' : '1.2.8'] }));
      }
      expect(await refused('two-frames')).toMatch(/its FrameOfReferenceUID is 1\.2\.9, but that of .* is 1\.2\.8/);
    });

    test('rejects a series name that matches no series or several', async () => {
      mkdirSync(path.join(folder, 'three'), { recursive: true });
      for (const [i, [uid, about]] of [
        ['1.1', 'soft'],
        ['1.2', 'lung'],
        ['1.3', 'lung '],
      ].entries()) {
        const changes: Elements = { '0020000e': ['UI', uid ?? ''], '0008103e': ['LO', about ?? ''] };
        for (const k of [0, 1])
          writeInFolder(`three/${i}-${k}.dcm`, dicomOf({ ...odd, hu: () => 100 * i }, k, changes));
      }
      const all = '2 of 1.1 "soft", 2 of 1.2 "lung", 2 of 1.3 "lung"';
      expect(await refused('three')).toContain(`it contains 3 series (${all}); allowed: one, or its UID`);
      const soft = await read('three', 'transverse', null, 'soft');
      expect([soft.slices, soft.hu[0], soft.notes]).toEqual([
        2,
        0,
        ['Other series in three were ignored: 2 of 1.2 "lung", 2 of 1.3 "lung".'],
      ]);
      expect((await read('three', 'transverse', null, '1.3')).hu[0]).toBe(200);
      await expect(read('three', 'transverse', null, 'lung')).rejects.toThrow(
        `2 series match "lung"; allowed: its UID`,
      );
      await expect(read('three', 'transverse', null, '1.4')).rejects.toThrow(
        `no series matches "1.4"; allowed: its UID`,
      );
      await expect(read('three/0-0.dcm', 'transverse', null, '1.2')).rejects.toThrow('no series matches "1.2"');
      writeInFolder('plain.nrrd', nrrdOf(odd));
      await expect(read('plain.nrrd', 'transverse', null, 'soft')).rejects.toThrow('it has no series "soft"');
    });

    test('lists the series of a folder with their slices, and the reason for each unreadable one', async () => {
      mkdirSync(path.join(folder, 'plan'), { recursive: true });
      const of = (uid: string, about: string, more: Elements = {}): Elements => ({
        ...{ '0020000e': ['UI', uid], '0008103e': ['LO', about] },
        ...more,
      });
      for (const k of [0, 1, 2]) writeInFolder(`plan/a${k}.dcm`, dicomOf(odd, k, of('1.1', 'Thorax 3.0 B30f')));
      for (const k of [0, 1]) writeInFolder(`plan/b${k}.dcm`, dicomOf(odd, k, of('1.2', 'MonoE 70 keV')));
      writeInFolder(
        'plan/c.dcm',
        dicomOf(odd, 0, of('1.3', 'Iodine', { '00080008': ['CS', 'DERIVED\\PRIMARY\\AXIAL\\MAT_SPECIFIC'] })),
      );
      writeInFolder('plan/rs.dcm', dicomOf(odd, 0, { '00080060': ['CS', 'RTSTRUCT'] }));
      const found = await listCtSeries({ path: path.join(folder, 'plan'), name: 'plan' });
      expect(
        found.map(({ uid, description, slices, from_mm, to_mm }) => [uid, description, slices, from_mm, to_mm]),
      ).toEqual([
        ['1.1', 'Thorax 3.0 B30f', 3, -6, -2],
        ['1.2', 'MonoE 70 keV', 2, -6, -4],
        ['1.3', '', 1, 0, 0],
      ]);
      expect(found.map(({ reason }) => reason)).toEqual([
        null,
        null,
        expect.stringContaining('other than MAT_SPECIFIC'),
      ]);
      expect(found[1]?.notes).toEqual([expect.stringContaining('SeriesDescription is "MonoE 70 keV"')]);
      expect(await listCtSeries({ path: path.join(folder, 'plan/a0.dcm'), name: 'a0.dcm' })).toEqual([]);
    });

    test('two series, a missing slice, a duplicate slice, different grids, an empty folder', async () => {
      const series = (name: string, files: readonly Uint8Array[]): void => {
        writeSeries(path.join(folder, name), { ...odd, slices: 0 });
        files.forEach((bytes, i) => {
          writeInFolder(`${name}/${i}.dcm`, bytes);
        });
      };
      const four = [0, 1, 2, 3].map((k) => dicomOf(odd, k));
      series('mixed', [...four, dicomOf(odd, 4, { '0020000e': ['UI', '9.9'] })]);
      expect(await refused('mixed')).toContain(
        'it contains 2 series (4 of 1.2.3.4, 1 of 9.9); allowed: one, or its UID',
      );
      series(
        'gap',
        [0, 1, 3, 4].map((k) => dicomOf(odd, k)),
      );
      expect(await refused('gap')).toContain('slices are missing between 1.dcm at -4 mm and 2.dcm at 0 mm');
      series('twice', [...four, dicomOf(odd, 2)]);
      expect(await refused('twice')).toContain('are the same slice, at -2 mm');
      series('other', [...four.slice(0, 3), dicomOf({ ...odd, columns: 6 }, 3)]);
      expect(await refused('other')).toContain(
        'other/3.dcm: its size is 6 × 5, but that of 0.dcm is 7 × 5; allowed: one grid',
      );
      series('none', []);
      writeInFolder('none/readme.txt', new Uint8Array(200));
      expect(await refused('none')).toContain('it contains no DICOM file');
    });

    test('positions outside the image, and formats of other kinds', async () => {
      writeInFolder('odd2.nrrd', nrrdOf(odd));
      await expect(read('odd2.nrrd', 'transverse', 40)).rejects.toThrow(
        'it has no slice at 40 mm; allowed: -6 to 0 mm',
      );
      writeInFolder('scanner.nrrd', nrrdOf(odd, { space: 'scanner-xyz' }));
      expect(await refused('scanner.nrrd')).toContain('its space is scanner-xyz; allowed: left-posterior-superior');
      writeInFolder('cut.nrrd', nrrdOf(odd).slice(0, -10));
      expect(await refused('cut.nrrd')).toContain('it is truncated');
      writeInFolder('cut.mha', metaImageOf(odd).slice(0, -1));
      expect(await refused('cut.mha')).toContain('it is truncated');
      expect(await refused('nowhere.dcm')).toContain('it cannot be found');
      writeInFolder('text.dcm', new TextEncoder().encode('hello'));
      expect(await refused('text.dcm')).toContain('it is not a DICOM file');
    });
  });

  test('a thorax of 512 × 512 pixels', async () => {
    writeSeries(path.join(folder, 'thorax'), ellipsePhantom(512));
    const { hu, spacing_mm, at_mm } = await read('thorax');
    expect(hu).toHaveLength(512 * 512);
    expect(spacing_mm).toEqual([0.8, 0.8]);
    expect(at_mm).toBe(-27);
    expect(new Set(hu)).toEqual(new Set([-1000, 40, -750, 700, 350]));
  });

  describe('images from more than one scan or X-ray spectrum', () => {
    const derived = (...words: readonly string[]): Elements => ({
      '00080008': ['CS', ['DERIVED', 'SECONDARY', 'AXIAL', ...words].join('\\')],
    });

    test.each<[string, Elements, RegExp]>([
      ['virtual monoenergetic', derived('VMI'), /VMI, a virtual image at one X-ray energy\. The HU table must/],
      [
        'virtual non-contrast',
        derived('MAT_REMOVED'),
        /from which a material was removed by computation\. The HU table must/,
      ],
      ['a projection of maxima', derived('MAXIMUM'), /a projection of the largest values/],
      ['a mean of phases', derived('AVERAGE'), /a mean of several images/],
      ['a reformatted one', derived('MPR'), /ImageType is DERIVED.*: computed from other images/],
      [
        'named by its series',
        { '0008103e': ['LO', 'Thorax MonoPlus 40keV'] },
        /SeriesDescription is "Thorax MonoPlus 40keV"/,
      ],
      ['of two spectra', { '00189361': ['CS', 'YES'] }, /MultienergyCTAcquisition is YES: several X-ray spectra/],
      ['with contrast', { '00180010': ['LO', 'Ultravist 300'] }, /ContrastBolusAgent is Ultravist 300/],
      ['packed with loss', { '00282110': ['CS', '01'] }, /LossyImageCompression is 01/],
    ])('%s is read, with a note', async (name, changes, says) => {
      writeInFolder(`${name}.dcm`, dicomOf(odd, 0, changes));
      expect((await read(`${name}.dcm`)).notes).toEqual([expect.stringMatching(says)]);
    });

    test.each<[string, Elements, string]>([
      ['iodine', derived('MAT_SPECIFIC', 'IODINE'), 'allowed: images in HU other than MAT_SPECIFIC'],
      ['effective atomic numbers', derived('EFF_ATOMIC_NUM'), 'other than EFF_ATOMIC_NUM'],
      ['electron densities', derived('ELECTRON_DENSITY'), 'other than ELECTRON_DENSITY'],
      ['a spread', derived('STD_DEVIATION'), 'other than STD_DEVIATION'],
      ['modified HU', { '00281054': ['LO', 'HU_MOD'] }, 'RescaleType is HU_MOD; allowed: HU'],
      ['milligrams of iodine', { '00281054': ['LO', 'MGML'] }, 'RescaleType is MGML; allowed: HU'],
      [
        'a curved plane',
        { '00089206': ['CS', 'DISTORTED'] },
        'VolumetricProperties is DISTORTED; allowed: VOLUME, SAMPLED',
      ],
      [
        'an Enhanced CT',
        { '00080016': ['UI', '1.2.840.10008.5.1.4.1.1.2.1'] },
        'SOPClassUID is 1.2.840.10008.5.1.4.1.1.2.1',
      ],
      [
        'functional groups',
        { '52009229': ['SQ', new Uint8Array(0)] },
        'allowed: absent: one file per slice, not Enhanced CT',
      ],
    ])('%s is rejected', async (name, changes, says) => {
      writeInFolder(`${name}.dcm`, dicomOf(odd, 0, changes));
      expect(await refused(`${name}.dcm`)).toContain(says);
    });

    test('doses for a part of a plan, and doses to water, are read with a note', () => {
      const notes = (changes: Elements) => readDicomDose('d', doseOf(odd, changes)).notes;
      expect(notes({})).toBeUndefined();
      expect(notes({ '3004000a': ['CS', 'BEAM'] })).toEqual([
        'DoseSummationType is BEAM: not the dose of a whole plan',
      ]);
      expect(notes({ '30040014': ['CS', 'WATER'] })).toEqual([expect.stringContaining('as if the patient were water')]);
    });
  });
});
