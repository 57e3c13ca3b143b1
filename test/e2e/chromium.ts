/**
 * The browser of the end-to-end tests: Chromium as @sparticuz/chromium ships
 * it inside an npm package, unpacked once into dist/.chromium. Nothing is
 * downloaded or installed, and it needs no root.
 */

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '../..');
const PACKAGE = path.join(root, 'node_modules/@sparticuz/chromium');

export type Chromium = Readonly<{ executablePath: string; args: readonly string[]; env: Record<string, string> }>;

/** Software WebGL 2, and the sandbox off, which needs rights that a container does not give. */
const ARGS = [
  '--no-sandbox',
  '--headless=shell',
  '--ignore-gpu-blocklist',
  '--use-gl=angle',
  '--use-angle=swiftshader',
  '--enable-unsafe-swiftshader',
  '--font-render-hinting=none',
];

/**
 * Pages and 2D canvases are drawn by the processor directly: through the GPU that it plays for WebGL they take ten
 * times its time. Benchmarks of drawing keep to what users have.
 */
export const DRAWN_BY_PROCESSOR = [
  '--disable-gpu-compositing',
  '--disable-gpu-rasterization',
  '--disable-accelerated-2d-canvas',
];

/**
 * Rendering options for stories. Most pages live for seconds: V8's optimising compilers use a fifth of the processor
 * time, which is not earned back. Long tests measure, and use them as users do.
 */
export const forStories = (): readonly string[] => [
  ...DRAWN_BY_PROCESSOR,
  ...(process.env['BRAGGBENCH_PAGES'] === 'brief' ? ['--js-flags=--no-opt --no-maglev'] : []),
];

/** The package has fonts for machines without any; installed ones come first. */
const fontsConfig = (folder: string) => `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <include ignore_missing="yes">/etc/fonts/fonts.conf</include>
  <dir>${folder}/fonts</dir>
  <cachedir>${folder}/fonts-cache</cachedir>
</fontconfig>
`;

/** Unpacks into a folder of its own first, so that a killed run leaves nothing that looks whole. */
async function unpack(folder: string): Promise<void> {
  mkdirSync(path.dirname(folder), { recursive: true });
  const part = mkdtempSync(`${folder}-`);
  const before = process.env['TMPDIR'];
  process.env['TMPDIR'] = part; // where the package unpacks to
  try {
    const { default: chromium, inflate } = await import('@sparticuz/chromium');
    await chromium.executablePath();
    await inflate(path.join(PACKAGE, 'bin/al2023.tar.br'));
  } finally {
    if (before === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = before;
  }
  try {
    renameSync(part, folder);
  } catch (error) {
    if (!existsSync(folder)) throw error; // else another run was faster
    rmSync(part, { recursive: true, force: true });
  }
}

/** NSS and its like come with the package too; they are used only where the system lacks them. */
function libraries(executablePath: string, folder: string): Record<string, string> {
  const { stderr } = spawnSync(executablePath, ['--version'], { encoding: 'utf8' });
  if (!/error while loading shared libraries/.test(stderr ?? '')) return {};
  return { LD_LIBRARY_PATH: `${folder}/al2023/lib` };
}

/** Unpacks Chromium if needed and says how to start it; rejects with the reason where there is none. */
export async function findChromium(): Promise<Chromium> {
  const own = process.env['BRAGGBENCH_CHROMIUM'];
  const inherited = Object.fromEntries(
    Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
  if (own) return { executablePath: own, args: ARGS, env: inherited };
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new Error(
      `@sparticuz/chromium has no binary for ${process.platform}-${process.arch}; ` +
        'set BRAGGBENCH_CHROMIUM to the path of an installed Chromium or Chrome',
    );
  }
  const { version } = JSON.parse(readFileSync(path.join(PACKAGE, 'package.json'), 'utf8')) as { version: string };
  const folder = path.join(root, 'dist/.chromium', version);
  const executablePath = path.join(folder, 'chromium');
  if (!existsSync(executablePath)) await unpack(folder);
  const fonts = path.join(folder, 'fonts.conf');
  writeFileSync(fonts, fontsConfig(folder));
  return {
    executablePath,
    args: ARGS,
    env: { ...inherited, FONTCONFIG_FILE: fonts, ...libraries(executablePath, folder) },
  };
}
