/**
 * Image files, read back byte by byte as other programs read them. Also synthetic NXmx files in the forms that Eiger
 * detectors and NeXus writers use.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type Dataset, type File, type Group, ready } from 'h5wasm';
import { beforeAll, describe, expect, test } from 'vitest';
import { BraggError } from '../../../../../../electron/contract/errors.ts';
import type { DiffractionScenario } from '../../../../../../electron/contract/scenario/index.ts';
import { runPacker } from '../../../../../../electron/host/app/run-files/packer.ts';
import { createFile, openFile } from '../../../../../../electron/host/io/hdf5/h5.ts';
import { type ImageRunData, isImageRun } from '../../../../../../electron/host/workloads/diffraction/image-data.ts';
import {
  imageFigure,
  imageFile,
  smvHeader,
  toCounts,
} from '../../../../../../electron/host/workloads/diffraction/images/index.ts';
import { readNexusImage, readRunOrNexus } from '../../../../../../electron/host/workloads/diffraction/images/read.ts';
import { nexusFields } from '../../../../../../electron/host/workloads/diffraction/images/read-nexus.ts';
import { requireWorkload } from '../../../../../../electron/host/workloads/index.ts';
import { renderDocument } from '../../image.ts';
import { smallImage } from '../../small-image.ts';

describe('image files', () => {
  let run: ImageRunData;
  beforeAll(async () => {
    run = await renderDocument(smallImage);
  });

  test('contain counts: the largest pixel is 55040, no photon is 40, and halves round up', () => {
    expect([...toCounts(Float32Array.of(0, 1, 2, 4)).counts]).toEqual([40, 13790, 27540, 55040]);
    expect([...toCounts(new Float32Array(3)).counts]).toEqual([40, 40, 40]);
  });

  test('have a header of 512 bytes and then the rows in SMV', () => {
    const bytes = imageFile(run, 'small.img');
    const header = Buffer.from(bytes.subarray(0, 512)).toString('latin1');
    expect(
      header.startsWith(
        '{\nHEADER_BYTES=512;\nDIM=2;\nBYTE_ORDER=little_endian;\nTYPE=unsigned_short;\nSIZE1=32;\nSIZE2=24;\n',
      ),
    ).toBe(true);
    for (const line of [
      'PIXEL_SIZE=0.1;',
      'DISTANCE=100;',
      'WAVELENGTH=6.2;',
      'BEAM_CENTER_X=1.25;',
      'BEAM_CENTER_Y=1.65;',
      'XDS_ORGX=17.5;',
      'XDS_ORGY=13.5;',
      'PHI=0;',
      'OSC_RANGE=0;',
    ]) {
      expect(header).toContain(`\n${line}\n`);
    }
    expect(header).toMatch(/\n\}\f *$/);
    expect(bytes.length).toBe(512 + 2 * 32 * 24);
    const view = new DataView(bytes.buffer, bytes.byteOffset);
    const wanted = toCounts(run.image).counts;
    expect([0, 1, 32, 767].map((i) => view.getUint16(512 + 2 * i, true))).toEqual(
      [0, 1, 32, 767].map((i) => wanted[i]),
    );
  });

  test('have an SMV header that fits into 512 bytes even with the longest numbers', () => {
    const scenario = run.completeScenario as unknown as DiffractionScenario;
    const third = 100 / 3;
    const detector = {
      ...scenario.detector,
      pixel_mm: 0.1234567,
      distance_mm: third,
      beam_x_mm: -third,
      beam_y_mm: third,
    };
    const rotation = { phi_deg: -third, oscillation_deg: third, steps: 1 };
    expect(smvHeader({ ...scenario, detector, rotation }).length).toBe(512);
  });

  /** Entries of a baseline TIFF: tag → value, and its single strip. */
  function tiffEntries(bytes: Uint8Array) {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    expect(Buffer.from(bytes.subarray(0, 4)).toString('hex')).toBe('49492a00');
    const at = view.getUint32(4, true);
    const tags = new Map<number, number>();
    for (let i = 0; i < view.getUint16(at, true); i += 1) {
      const entry = at + 2 + 12 * i;
      const short = view.getUint16(entry + 2, true) === 3;
      tags.set(view.getUint16(entry, true), short ? view.getUint16(entry + 8, true) : view.getUint32(entry + 8, true));
    }
    expect([...tags.keys()]).toEqual([...tags.keys()].sort((x, y) => x - y));
    const start = tags.get(273) ?? 0;
    return { tags, strip: new DataView(bytes.buffer, bytes.byteOffset + start, tags.get(279)) };
  }

  test('contain photons of 32 bits or counts of 16 bits in TIFF', () => {
    const float = tiffEntries(imageFile(run, 'small.tif'));
    expect([256, 257, 258, 259, 339].map((tag) => float.tags.get(tag))).toEqual([32, 24, 32, 1, 3]);
    expect(float.strip.byteLength).toBe(4 * 32 * 24);
    expect(float.strip.getFloat32(4 * 400, true)).toBe(run.image[400]);
    const short = tiffEntries(imageFile(run, 'small.tiff', 16));
    expect([258, 339].map((tag) => short.tags.get(tag))).toEqual([16, 1]);
    expect(short.strip.getUint16(2 * 400, true)).toBe(toCounts(run.image).counts[400]);
  });

  test('contain only the pixels in raw format', () => {
    const bytes = imageFile(run, 'small.bin');
    expect(new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length))).toEqual(run.image);
  });

  test('are rejected for other names and depths, with what is allowed', () => {
    expect(() => imageFile(run, 'small.png')).toThrow(
      '.png is not an image format; allowed: .img, .tif, .tiff, .bin, .raw',
    );
    expect(() => imageFile(run, 'small.img', 32)).toThrow('SMV does not support 32 bits; allowed: 16');
  });

  test('contain the image and all related data as a run file', async () => {
    const bytes = await runPacker.write(run);
    const back = await runPacker.read(bytes, 'small.h5');
    if (!isImageRun(back)) throw new Error('not an image');
    expect(back).toEqual(run);
    expect(() => requireWorkload('transport', back, 'small.h5')).toThrow(
      'small.h5 cannot be opened as a transport run: it contains a diffraction image',
    );
  });

  test('contain photons over the detector in HDF5, with axes that other programs find', async () => {
    const bytes = await runPacker.figure(imageFigure(run));
    await openFile(bytes, (file) => {
      const image = file.get('image') as Dataset;
      expect(image.shape).toEqual([run.height, run.width]);
      expect([...(image.value as Float32Array)]).toEqual([...run.image]);
      expect(image.attrs['units']?.value).toBe('photons');
      expect(image.get_attached_scales(0)).toEqual(['/slow']);
      expect((file.get('fast') as Dataset).slice([[0, 2]])).toEqual(Float64Array.of(0.05, 0.15000000000000002));
      expect(file.attrs['wavelength_A']?.value).toBe(6.2);
    });
  });
});

describe('the reader of NeXus files', () => {
  const [width, height] = [4, 3];
  /** The count is 10 · row + column, and 100 more in the second image. */
  const count = (at: number): number => 10 * Math.floor((at % 12) / width) + (at % width) + (at < 12 ? 0 : 100);
  const two = Uint32Array.from({ length: 24 }, (_, at) => count(at));

  interface NexusParts {
    readonly data: Group;
    readonly detector: Group;
  }

  function withImages(fill: (parts: NexusParts) => void): Promise<Uint8Array> {
    return createFile((file: File) => {
      const entry = file.create_group('entry');
      const data = entry.create_group('data');
      const detector = entry.create_group('instrument').create_group('detector');
      fill({ data, detector });
    });
  }

  const images = ({ data }: NexusParts, name = 'data_000001', more: object = {}): void => {
    data.create_dataset({ name, data: two, shape: [2, height, width], dtype: '<I', ...more } as never);
  };

  const alone = async (): Promise<null> => null;
  const read = async (fill: (parts: NexusParts) => void) => readNexusImage(await withImages(fill), 'a.h5', alone);

  describe('an NXmx image', () => {
    test.each([
      ['without a filter', {}],
      ['packed by gzip', { chunks: [1, height, width], compression: 'gzip', compression_opts: 4 }],
    ])('has the counts of its first image, and the number of images: %s', async (_, more) => {
      const found = await read((parts) => images(parts, 'data_000001', more));
      expect([found.width, found.height]).toEqual([width, height]);
      expect([...found.counts]).toEqual([0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 23]);
      expect(found.notes).toEqual(['It has 2 images: only the first one is read.']);
      expect([...found.excluded]).toEqual(Array.from({ length: 12 }, () => 0));
    });

    test('excludes masked pixels, overloads and the largest value of its type', async () => {
      const found = await read((parts) => {
        const counts = Uint16Array.from([0, 1, 65535, 3, 500, 499, 6, 7, 8, 9, 10, 11]);
        parts.data.create_dataset({ name: 'data', data: counts, shape: [height, width], dtype: '<H' });
        const mask = Uint32Array.from({ length: 12 }, (_, at) => (at === 1 ? 8 : 0));
        parts.detector.create_dataset({ name: 'pixel_mask', data: mask, shape: [height, width], dtype: '<I' });
        parts.detector.create_dataset({ name: 'saturation_value', data: Int32Array.of(500), shape: [1], dtype: '<i' });
      });
      // Pixel 1 is excluded by the mask, 2 by the value 2^16 - 1, 4 by the saturation value.
      expect([...found.excluded]).toEqual([0, 1, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0]);
      expect(found.notes).toBeUndefined();
    });

    test('has its geometry in the stated units', async () => {
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
        (parts: NexusParts) => {
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
        (parts: NexusParts) =>
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
        (parts: NexusParts) =>
          parts.data.create_dataset({ name: 'offset', data: Float64Array.of(5), shape: [1], dtype: '<d' }),
        'a.h5: offset is 5; allowed: 0',
      ],
      [
        'a mask of another size',
        (parts: NexusParts) =>
          parts.detector.create_dataset({ name: 'pixel_mask', data: Uint32Array.of(0, 1), shape: [2], dtype: '<I' }),
        'a.h5: its pixel_mask has 2 values; allowed: 12',
      ],
      [
        'an unknown unit',
        (parts: NexusParts) =>
          parts.detector
            .create_dataset({ name: 'distance', data: Float64Array.of(5), shape: [1], dtype: '<d' })
            .create_attribute('units', 'inch'),
        'a.h5: distance is in inch; allowed: m,',
      ],
    ] as const)('is rejected for %s', async (_, change, message) => {
      await expect(
        read((parts) => {
          images(parts);
          change(parts);
        }),
      ).rejects.toThrow(message);
    });

    describe('split over a master file', () => {
      const master = (file: string, at = '/entry/data/data') =>
        withImages(({ data, detector }) => {
          for (const k of [1, 2]) data.create_external_link(file.replace('1', String(k)), at, `data_00000${k}`);
          const mask = Uint32Array.from({ length: 12 }, (_, pixel) => (pixel === 5 ? 1 : 0));
          detector.create_dataset({ name: 'pixel_mask', data: mask, shape: [height, width], dtype: '<I' });
        });

      test('has the counts of its first data file and the mask of the master file', async () => {
        const first = await withImages((parts) => images(parts, 'data'));
        const requested: string[] = [];
        const found = await readNexusImage(await master('run_data_1.h5'), 'run_master.h5', async (name) => {
          requested.push(name);
          return first;
        });
        expect(requested).toEqual(['run_data_1.h5']);
        expect([...found.counts]).toEqual([0, 1, 2, 3, 10, -1, 12, 13, 20, 21, 22, 23]);
        expect(found.notes).toEqual(['It has more than 2 images: only the first one is read.']);
      });

      test('is rejected with the names of files that are missing, outside the folder or without images', async () => {
        await expect(readNexusImage(await master('run_data_1.h5'), 'm.h5', alone)).rejects.toThrow(
          'm.h5: its first images are in run_data_1.h5, which is missing; put it into the same folder, or choose both files',
        );
        await expect(readNexusImage(await master('../data_1.h5'), 'm.h5', alone)).rejects.toThrow(
          'its images data_000001 are in "../data_1.h5"; allowed: files in the same folder',
        );
        const other = await withImages((parts) => images(parts, 'data'));
        await expect(readNexusImage(await master('d_1.h5', '/nowhere'), 'm.h5', async () => other)).rejects.toThrow(
          'its images data_000001 must be a dataset, but /nowhere of d_1.h5 is not one',
        );
      });
    });

    test('is decompressed from bitshuffle with LZ4', async () => {
      const bytes = readFileSync(path.join(import.meta.dirname, 'cases/e01-bitshuffle.h5'));
      const small = await readNexusImage(bytes, 'e01.h5', alone);
      expect([small.width, small.height]).toEqual([4, 3]);
      expect([...small.counts]).toEqual(Array.from({ length: 12 }, (_, at) => at));
    });

    test.each([
      ['bitshuffle and LZ4', 32008, [0, 2]],
      ['LZ4', 32004, [0]],
    ])('is decompressed from several blocks packed by %s', async (_, compression, compression_opts) => {
      const [wide, high] = [130, 77];
      const counts = Uint32Array.from({ length: wide * high }, (__, at) => (at * 2_654_435_761) % 100_003);
      // Reading an image registers the compression filters with the library, which can then write with them.
      await read((parts) => images(parts));
      const found = await read(({ data }) => {
        const packed = { chunks: [1, high, wide], compression, compression_opts };
        data.create_dataset({ name: 'data', data: counts, shape: [1, high, wide], dtype: '<I', ...packed } as never);
      });
      expect(found.counts).toEqual(Float32Array.from(counts));
    });

    test('is rejected with the name of an unsupported filter', async () => {
      const installed = path.resolve('node_modules/h5wasm-plugins/plugins/libH5Zzstd.so');
      await read((parts) => images(parts));
      const { FS, get_plugin_search_paths } = await ready;
      FS.writeFile(`${get_plugin_search_paths()[0]}/libH5Zzstd.so`, readFileSync(installed));
      const packed = { chunks: [1, height, width], compression: 32015, compression_opts: [3] };
      await expect(read((parts) => images(parts, 'data_000001', packed))).rejects.toThrow(
        /its images are compressed by the filter .*\(32015\), which is not supported; allowed: bitshuffle, LZ4, gzip, or none/,
      );
    });

    test('is rejected in one sentence if it is damaged', async () => {
      const bytes = await withImages((parts) =>
        images(parts, 'data', { chunks: [1, height, width], compression: 'gzip', compression_opts: 4 }),
      );
      // At this compression level a zlib stream begins with 78 5e.
      const at = Buffer.from(bytes).indexOf(Uint8Array.of(0x78, 0x5e));
      expect(at).toBeGreaterThan(0);
      bytes.fill(0xff, at, at + 8);
      await expect(readNexusImage(bytes, 'a.h5', alone)).rejects.toThrow(
        /^a\.h5: the HDF5 library cannot read it: [^\n]+$/,
      );
    });

    test('uses, rejects or ignores each field that NXdata and NXdetector define for the values', async () => {
      const put = (name: string, value: number) => (parts: NexusParts) => {
        images(parts);
        parts.detector.create_dataset({ name, data: Float64Array.of(value), shape: [1], dtype: '<d' });
      };
      const plain = await read((parts) => images(parts));
      for (const [name, rule] of Object.entries(nexusFields)) {
        if (rule.kind === 'only') await expect(read(put(name, 7)), name).rejects.toThrow(`${name} is 7; allowed: `);
        if (rule.kind === 'ignored') expect(await read(put(name, 7)), name).toEqual(plain);
      }
    });

    test('is rejected without a data group', async () => {
      const bytes = await createFile((file) => void file.create_group('other'));
      await expect(readNexusImage(bytes, 'a.h5', alone)).rejects.toThrow(
        'a.h5: it has no entry with a group data, so it is not an NXmx file',
      );
    });
  });

  test('an HDF5 file is opened as a run, otherwise as an image, otherwise reported as an unreadable run', async () => {
    const bytes = await withImages((parts) => images(parts));
    const other = await createFile((file) => void file.create_group('other'));
    const fails = (code: 'foreign-file' | 'not-found') => () => Promise.reject(new BraggError(code, 'no run'));
    const image = (of: Uint8Array) => () => readNexusImage(of, 'a.h5', alone);
    expect(await readRunOrNexus(() => Promise.resolve(7), image(bytes))).toEqual({ run: 7 });
    expect(await readRunOrNexus(fails('foreign-file'), image(bytes))).toMatchObject({ image: { width, height } });
    await expect(readRunOrNexus(fails('foreign-file'), image(other))).rejects.toThrow('no run');
    await expect(readRunOrNexus(fails('not-found'), image(bytes))).rejects.toThrow('no run');
  });
});
