/**
 * The browser of the end-to-end tests: Chromium as @sparticuz/chromium ships it inside an npm package, unpacked once
 * into dist/.chromium. No download, installation or root access is needed.
 */

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '../..');
const PACKAGE = path.join(root, 'node_modules/@sparticuz/chromium');

export type Chromium = Readonly<{ executablePath: string; args: readonly string[]; env: Record<string, string> }>;

/** Arguments for software WebGL 2 without a sandbox, which needs rights that a container does not give. */
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
 * Arguments that let the processor draw pages and 2D canvases directly. Through the emulated GPU of WebGL they need ten
 * times as long. Benchmarks of drawing use the defaults that users have.
 */
export const DRAWN_BY_PROCESSOR = [
  '--disable-gpu-compositing',
  '--disable-gpu-rasterization',
  '--disable-accelerated-2d-canvas',
];

/**
 * Arguments for stories. Most pages live for seconds, in which V8's optimising compilers use more processor time than
 * they save. Long tests measure times, so they use the defaults that users have.
 */
export const forStories = (): readonly string[] => [
  ...DRAWN_BY_PROCESSOR,
  ...(process.env['BRAGGBENCH_PAGES'] === 'brief' ? ['--js-flags=--no-opt --no-maglev'] : []),
];

/** The package has fonts for machines without any; installed fonts take precedence. */
const fontsConfig = (folder: string) => `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <include ignore_missing="yes">/etc/fonts/fonts.conf</include>
  <dir>${folder}/fonts</dir>
  <cachedir>${folder}/fonts-cache</cachedir>
</fontconfig>
`;

/** Unpacks into a temporary folder first, so that an interrupted run leaves no incomplete browser. */
async function unpackChromium(folder: string): Promise<void> {
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
    if (!existsSync(folder)) throw error; // otherwise another test run was faster
    rmSync(part, { recursive: true, force: true });
  }
}

/** The package contains NSS and similar libraries; they are used only if the system lacks them. */
function libraryEnvironment(executablePath: string, folder: string): Record<string, string> {
  const { stderr } = spawnSync(executablePath, ['--version'], { encoding: 'utf8' });
  if (!/error while loading shared libraries/.test(stderr ?? '')) return {};
  return { LD_LIBRARY_PATH: `${folder}/al2023/lib` };
}

/** Unpacks Chromium if needed and returns its start options; rejects with the reason if that is impossible. */
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
  if (!existsSync(executablePath)) await unpackChromium(folder);
  const fonts = path.join(folder, 'fonts.conf');
  writeFileSync(fonts, fontsConfig(folder));
  return {
    executablePath,
    args: ARGS,
    env: { ...inherited, FONTCONFIG_FILE: fonts, ...libraryEnvironment(executablePath, folder) },
  };
}
