/** NXmx files made here, of the forms that Eiger detectors and NeXus writers have. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type File, type Group, ready } from 'h5wasm';
import { describe, expect, test } from 'vitest';
import { BraggError } from '../../../../../../electron/contract/errors.ts';
import { createFile } from '../../../../../../electron/host/io/hdf5/h5.ts';
import { readNexusImage, runOrNexus } from '../../../../../../electron/host/workloads/diffraction/images/read.ts';
import { nexusFields } from '../../../../../../electron/host/workloads/diffraction/images/read-nexus.ts';

const [width, height] = [4, 3];
/** Count 10 · row + column, of the second image 100 more. */
const count = (at: number): number => 10 * Math.floor((at % 12) / width) + (at % width) + (at < 12 ? 0 : 100);
const two = Uint32Array.from({ length: 24 }, (_, at) => count(at));

interface Parts {
  readonly data: Group;
  readonly detector: Group;
}

function withImages(fill: (parts: Parts) => void): Promise<Uint8Array> {
  return createFile((file: File) => {
    const entry = file.create_group('entry');
    const data = entry.create_group('data');
    const detector = entry.create_group('instrument').create_group('detector');
    fill({ data, detector });
  });
}

const images = ({ data }: Parts, name = 'data_000001', more: object = {}): void => {
  data.create_dataset({ name, data: two, shape: [2, height, width], dtype: '<I', ...more } as never);
};

const alone = async (): Promise<null> => null;
const read = async (fill: (parts: Parts) => void) => readNexusImage(await withImages(fill), 'a.h5', alone);

describe('an image of NXmx', () => {
  test.each([
    ['without a filter', {}],
    ['packed by gzip', { chunks: [1, height, width], compression: 'gzip', compression_opts: 4 }],
  ])('%s has the counts of its first image, and the number of all', async (_, more) => {
    const found = await read((parts) => images(parts, 'data_000001', more));
    expect([found.width, found.height]).toEqual([width, height]);
    expect([...found.counts]).toEqual([0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 23]);
    expect(found.notes).toEqual(['It has 2 images: the first one is read.']);
    expect([...found.left]).toEqual(Array.from({ length: 12 }, () => 0));
  });

  test('leaves out masked pixels, overloads and the greatest value of its type', async () => {
    const found = await read((parts) => {
      const counts = Uint16Array.from([0, 1, 65535, 3, 500, 499, 6, 7, 8, 9, 10, 11]);
      parts.data.create_dataset({ name: 'data', data: counts, shape: [height, width], dtype: '<H' });
      const mask = Uint32Array.from({ length: 12 }, (_, at) => (at === 1 ? 8 : 0));
      parts.detector.create_dataset({ name: 'pixel_mask', data: mask, shape: [height, width], dtype: '<I' });
      parts.detector.create_dataset({ name: 'saturation_value', data: Int32Array.of(500), shape: [1], dtype: '<i' });
    });
    // Pixel 1 by the mask, 2 as 2^16 - 1, 4 at the saturation value.
    expect([...found.left]).toEqual([0, 1, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0]);
    expect(found.notes).toBeUndefined();
  });

  test('has its geometry in the units that it states', async () => {
    const found = await read((parts) => {
      images(parts);
      const put = (name: string, value: number, units: string | null): void => {
        const made = parts.detector.create_dataset({ name, data: Float64Array.of(value), shape: [1], dtype: '<d' });
        if (units !== null) made.create_attribute('units', units);
      };
      put('x_pixel_size', 75, 'um');
      put('distance', 0.125, 'm');
    });
    // 75 µm are 0.075 mm; 0.125 m are 125 mm.
    expect(found.header).toEqual({ pixel_mm: 0.075, distance_mm: 125 });
  });

  test.each([
    [
      'pixels that are not square',
      (parts: Parts) => {
        for (const [name, size] of [
          ['x_pixel_size', 75e-6],
          ['y_pixel_size', 150e-6],
        ] as const)
          parts.detector.create_dataset({ name, data: Float64Array.of(size), shape: [1], dtype: '<d' });
      },
      'y_pixel_size is 0.15 mm and x_pixel_size 0.075 mm; allowed: square pixels',
    ],
    [
      'scaled counts',
      (parts: Parts) =>
        parts.detector.create_dataset({
          name: 'data_scaling_factor',
          data: Float64Array.of(2),
          shape: [1],
          dtype: '<d',
        }),
      'a.h5: data_scaling_factor is 2; allowed: 1',
    ],
    [
      'an offset',
      (parts: Parts) =>
        parts.data.create_dataset({ name: 'offset', data: Float64Array.of(5), shape: [1], dtype: '<d' }),
      'a.h5: offset is 5; allowed: 0',
    ],
    [
      'a mask of another size',
      (parts: Parts) =>
        parts.detector.create_dataset({ name: 'pixel_mask', data: Uint32Array.of(0, 1), shape: [2], dtype: '<I' }),
      'a.h5: its pixel_mask has 2 values; allowed: 12',
    ],
    [
      'an unknown unit',
      (parts: Parts) =>
        parts.detector
          .create_dataset({ name: 'distance', data: Float64Array.of(5), shape: [1], dtype: '<d' })
          .create_attribute('units', 'inch'),
      'a.h5: distance is in inch; allowed: m,',
    ],
  ] as const)('is refused for %s', async (_, change, message) => {
    await expect(
      read((parts) => {
        images(parts);
        change(parts);
      }),
    ).rejects.toThrow(message);
  });

  describe('of a master', () => {
    const master = (file: string, at = '/entry/data/data') =>
      withImages(({ data, detector }) => {
        for (const k of [1, 2]) data.create_external_link(file.replace('1', String(k)), at, `data_00000${k}`);
        const mask = Uint32Array.from({ length: 12 }, (_, pixel) => (pixel === 5 ? 1 : 0));
        detector.create_dataset({ name: 'pixel_mask', data: mask, shape: [height, width], dtype: '<I' });
      });

    test('has the counts of its first data file and its own mask', async () => {
      const first = await withImages((parts) => images(parts, 'data'));
      const asked: string[] = [];
      const found = await readNexusImage(await master('run_data_1.h5'), 'run_master.h5', async (name) => {
        asked.push(name);
        return first;
      });
      expect(asked).toEqual(['run_data_1.h5']);
      expect([...found.counts]).toEqual([0, 1, 2, 3, 10, -1, 12, 13, 20, 21, 22, 23]);
      expect(found.notes).toEqual(['It has more than 2 images: the first one is read.']);
    });

    test('is refused by the names of files that are missing, elsewhere or without the images', async () => {
      await expect(readNexusImage(await master('run_data_1.h5'), 'm.h5', alone)).rejects.toThrow(
        'm.h5: its first images lie in run_data_1.h5, which is not there; put it into the same folder, or choose both files',
      );
      await expect(readNexusImage(await master('../data_1.h5'), 'm.h5', alone)).rejects.toThrow(
        'its images data_000001 lie in "../data_1.h5"; allowed: files in the same folder',
      );
      const other = await withImages((parts) => images(parts, 'data'));
      await expect(readNexusImage(await master('d_1.h5', '/nowhere'), 'm.h5', async () => other)).rejects.toThrow(
        'its images data_000001 are no dataset: /nowhere of d_1.h5 is none',
      );
    });
  });

  test('packed by bitshuffle and LZ4 has its counts', async () => {
    const bytes = readFileSync(path.join(import.meta.dirname, 'cases/e01-bitshuffle.h5'));
    const small = await readNexusImage(bytes, 'e01.h5', alone);
    expect([small.width, small.height]).toEqual([4, 3]);
    expect([...small.counts]).toEqual(Array.from({ length: 12 }, (_, at) => at));
  });

  test.each([
    ['bitshuffle and LZ4', 32008, [0, 2]],
    ['LZ4', 32004, [0]],
  ])('of several blocks packed by %s has its counts', async (_, compression, compression_opts) => {
    const [wide, high] = [130, 77];
    const counts = Uint32Array.from({ length: wide * high }, (__, at) => (at * 2_654_435_761) % 100_003);
    // Reading an image makes the filters known to the library, which then writes with them.
    await read((parts) => images(parts));
    const found = await read(({ data }) => {
      const packed = { chunks: [1, high, wide], compression, compression_opts };
      data.create_dataset({ name: 'data', data: counts, shape: [1, high, wide], dtype: '<I', ...packed } as never);
    });
    expect(found.counts).toEqual(Float32Array.from(counts));
  });

  test('is refused by the name of a filter that is not read', async () => {
    const installed = path.resolve('node_modules/h5wasm-plugins/plugins/libH5Zzstd.so');
    await read((parts) => images(parts));
    const { FS, get_plugin_search_paths } = await ready;
    FS.writeFile(`${get_plugin_search_paths()[0]}/libH5Zzstd.so`, readFileSync(installed));
    const packed = { chunks: [1, height, width], compression: 32015, compression_opts: [3] };
    await expect(read((parts) => images(parts, 'data_000001', packed))).rejects.toThrow(
      /its images are packed by the filter .*\(32015\), which is not read; allowed: bitshuffle, LZ4, gzip, or none/,
    );
  });

  test('that is damaged is refused in one sentence', async () => {
    const bytes = await withImages((parts) =>
      images(parts, 'data', { chunks: [1, height, width], compression: 'gzip', compression_opts: 4 }),
    );
    // The stream of zlib begins with 78 5e at this level.
    const at = Buffer.from(bytes).indexOf(Uint8Array.of(0x78, 0x5e));
    expect(at).toBeGreaterThan(0);
    bytes.fill(0xff, at, at + 8);
    await expect(readNexusImage(bytes, 'a.h5', alone)).rejects.toThrow(
      /^a\.h5: the HDF5 library cannot read it: [^\n]+$/,
    );
  });

  test('uses, refuses or ignores each field that NXdata and NXdetector define for the values', async () => {
    const put = (name: string, value: number) => (parts: Parts) => {
      images(parts);
      parts.detector.create_dataset({ name, data: Float64Array.of(value), shape: [1], dtype: '<d' });
    };
    const plain = await read((parts) => images(parts));
    for (const [name, rule] of Object.entries(nexusFields)) {
      if (rule.kind === 'only') await expect(read(put(name, 7)), name).rejects.toThrow(`${name} is 7; allowed: `);
      if (rule.kind === 'ignored') expect(await read(put(name, 7)), name).toEqual(plain);
    }
  });

  test('is refused without a group of data', async () => {
    const bytes = await createFile((file) => void file.create_group('other'));
    await expect(readNexusImage(bytes, 'a.h5', alone)).rejects.toThrow(
      'a.h5: it has no entry with a group data: it is no NXmx file',
    );
  });
});

test('an HDF5 file is a run, or else an image, or a run that cannot be read', async () => {
  const bytes = await withImages((parts) => images(parts));
  const other = await createFile((file) => void file.create_group('other'));
  const fails = (code: 'foreign-file' | 'not-found') => () => Promise.reject(new BraggError(code, 'no run'));
  const image = (of: Uint8Array) => () => readNexusImage(of, 'a.h5', alone);
  expect(await runOrNexus(() => Promise.resolve(7), image(bytes))).toEqual({ run: 7 });
  expect(await runOrNexus(fails('foreign-file'), image(bytes))).toMatchObject({ image: { width, height } });
  await expect(runOrNexus(fails('foreign-file'), image(other))).rejects.toThrow('no run');
  await expect(runOrNexus(fails('not-found'), image(bytes))).rejects.toThrow('no run');
});
