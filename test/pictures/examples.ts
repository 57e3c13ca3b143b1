/**
 * `npm run pictures`, second part: pictures next to the examples of the library. For beams and crystals, the field
 * itself, solved by the command line and downsampled. For measured examples, the bars of their recorded sessions.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { indexedPng } from '../../renderer/drawing/report/map-figure.ts';
import { exampleBars } from './bars.ts';

const root = path.resolve(import.meta.dirname, '../..');
const scenarios = path.join(root, 'assets/scenarios');
const folder = path.join(root, 'assets/examples');
const PICTURE = { width: 96, height: 60 } as const;
/** Number of decades that the logarithmic scale of an image shows. */
const DECADES = 5;
/** Exponent that brightens low doses. */
const GAMMA = 0.6;

interface Field {
  readonly values: ArrayLike<number>;
  readonly width: number;
  readonly height: number;
}

/**
 * Reads MetaImage: a text header that ends with the name of its data, which follow. The fast axis is x; the picture
 * shows depth to the right.
 */
function metaImage(bytes: Buffer): Field {
  const marker = 'ElementDataFile = LOCAL\n';
  const begin = bytes.indexOf(marker);
  const [across = 0, deep = 0] = (/DimSize = (\d+) (\d+)/.exec(bytes.subarray(0, begin).toString()) ?? [])
    .slice(1)
    .map(Number);
  const data = new Float64Array(Uint8Array.from(bytes.subarray(begin + marker.length)).buffer);
  if (begin < 0 || data.length !== across * deep) throw new Error(`no MetaImage of ${across} x ${deep} cells`);
  const values = Float64Array.from(data, (_, i) => data[(i % deep) * across + Math.floor(i / deep)] ?? 0);
  return { values, width: deep, height: across };
}

/** Reads a square raw image, since every example's detector is square. */
function rawImage(bytes: Buffer): Field {
  const values = new Float32Array(Uint8Array.from(bytes).buffer);
  const width = Math.sqrt(values.length);
  if (!Number.isInteger(width)) throw new Error(`${values.length} pixels are no square`);
  return { values, width, height: width };
}

/** Means over the cells of each pixel; a field of another aspect ratio is cropped to its middle. */
function reduceField({ values, width, height }: Field): Float64Array {
  const wide = Math.min(width, (height * PICTURE.width) / PICTURE.height);
  const high = Math.min(height, (width * PICTURE.height) / PICTURE.width);
  const [left, top] = [(width - wide) / 2, (height - high) / 2];
  return Float64Array.from({ length: PICTURE.width * PICTURE.height }, (_, i) => {
    const [x, y] = [i % PICTURE.width, Math.floor(i / PICTURE.width)];
    const from = [
      Math.floor(left + (x * wide) / PICTURE.width),
      Math.floor(top + (y * high) / PICTURE.height),
    ] as const;
    const to = [left + ((x + 1) * wide) / PICTURE.width, top + ((y + 1) * high) / PICTURE.height] as const;
    let [sum, count] = [0, 0];
    for (let row = from[1]; row < Math.max(to[1], from[1] + 1); row += 1) {
      for (let column = from[0]; column < Math.max(to[0], from[0] + 1); column += 1) {
        sum += values[row * width + column] ?? 0;
        count += 1;
      }
    }
    return sum / count;
  });
}

function encodePicture(field: Field, scale: 'power' | 'log'): Uint8Array {
  const values = reduceField(field);
  const most = values.reduce((a, b) => Math.max(a, b), 0);
  const share = (value: number): number =>
    scale === 'power' ? (value / most) ** GAMMA : 1 + Math.log10(Math.max(value / most, 10 ** -DECADES)) / DECADES;
  const pixels = Uint8Array.from(values, (value) => Math.round(255 * Math.min(1, Math.max(0, share(value)))));
  const { colors } = JSON.parse(readFileSync(path.join(root, 'assets/colormaps/viridis.json'), 'utf8')) as {
    colors: string;
  };
  return indexedPng(PICTURE.width, PICTURE.height, pixels, Uint8Array.from(Buffer.from(colors, 'hex')));
}

const braggbench = (...words: readonly string[]): void =>
  void execFileSync(process.execPath, [path.join(root, 'dist/host/cli.js'), ...words], { stdio: 'pipe' });

function fieldOf(file: string, work: string): Uint8Array | null {
  const { kind, problem } = JSON.parse(readFileSync(path.join(scenarios, file), 'utf8'));
  // Small workloads, and examples that only measure times, have no field to show.
  if (problem !== undefined || file.startsWith('dense')) return null;
  const [run, out] = [path.join(work, 'run.h5'), path.join(work, kind === 'transport' ? 'map.mha' : 'image.raw')];
  braggbench('run', path.join(scenarios, file), '--out', run, '--force');
  braggbench('export', run, kind === 'transport' ? '--map' : '--image', out, '--force');
  const bytes = readFileSync(out);
  return kind === 'transport' ? encodePicture(metaImage(bytes), 'power') : encodePicture(rawImage(bytes), 'log');
}

const work = mkdtempSync(path.join(tmpdir(), 'braggbench-examples-'));
try {
  for (const file of readdirSync(scenarios, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.json'),
  )) {
    const png = fieldOf(file.split(path.sep).join('/'), work);
    if (png === null) continue;
    const target = path.join(folder, file.replace(/\.json$/, '.png'));
    mkdirSync(path.dirname(target), { recursive: true });
    writeFileSync(target, png);
    process.stdout.write(`${path.relative(root, target)}: ${png.length} bytes\n`);
  }
} finally {
  rmSync(work, { recursive: true, force: true });
}
writeFileSync(path.join(folder, 'bars.json'), `${JSON.stringify(exampleBars(), null, 1)}\n`);
