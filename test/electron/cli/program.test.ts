/** `braggbench help VERB` prints short sentences. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path, { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Verb } from '../../../electron/cli/verb.ts';
import { driverAndLibraryLines } from '../../../electron/cli/verbs/devices.ts';
import { scratchFolder } from '../../scratch-folder.ts';
import { onPosix } from '../../unless.ts';
import { layeredPhantom, metaImageOf } from '../host/io/volumes/phantom.ts';
import { assetsFolder } from '../host/small-run.ts';
import {
  braggbench,
  braggbenchInProcess,
  type CommandOptions,
  type CommandResult,
  entry,
  environmentWith,
  LONG_WORK_BEGINS,
  longWork,
} from './command.ts';

describe('texts of the help', async () => {
  const folder = path.resolve(import.meta.dirname, '../../../electron/cli/verbs');
  const isVerb = (value: unknown): value is Verb => typeof value === 'object' && value !== null && 'usage' in value;
  const verbs = (
    await Promise.all(readdirSync(folder).map((file) => import(path.join(folder, file)) as Promise<object>))
  ).flatMap((module) => Object.values(module).filter(isVerb));

  test('have no sentence of 25 words or more', () => {
    expect(verbs.length).toBeGreaterThan(15);
    const sentences = verbs
      .flatMap(({ summary, details, flags }) => [summary, ...details, ...flags.map(({ help }) => help)])
      .flatMap((text) => text.split(/(?<=[.:;?!])\s+/));
    expect(
      sentences.filter((sentence) => sentence.split(/\s+/).filter((word) => /\w/.test(word)).length >= 25),
    ).toEqual([]);
  });
});

describe('the program', () => {
  const folder = scratchFolder('cli');
  const traced = join(assetsFolder, 'runs', 'h200-uniform-grid-70MeV-cuda-fused.h5');
  const small = {
    kind: 'transport',
    version: 1,
    name: 'Small',
    beam: { energy_MeV: 30 },
    geometry: { width_mm: 10, depth_mm: 10 },
    grid: { dx_mm: 0.5, dz_mm: 0.25, dtheta_mrad: 50 },
    output: { keyframes: 4 },
  };

  beforeAll(async () => {
    await writeFile(join(folder, 'small.json'), JSON.stringify(small));
    await writeFile(join(folder, 'bad.yaml'), 'kind: transport\nversion: 1\nbeam: {energy_MeV: 900}\ngrid: {dx: 1}\n');
  });

  function run(
    words: readonly string[],
    options: Omit<CommandOptions, 'cwd' | 'environment'> & { more?: NodeJS.ProcessEnv } = {},
  ): Promise<CommandResult> {
    const { more, ...rest } = options;
    return braggbench(words, { cwd: folder, environment: environmentWith(join(folder, 'home'), more), ...rest });
  }

  /** Runs the command in this process, for tests of the output rather than of the exit. */
  const say = (words: readonly string[], more: NodeJS.ProcessEnv = {}): Promise<CommandResult> =>
    braggbenchInProcess(words, { cwd: folder, environment: environmentWith(join(folder, 'home'), more) });

  describe('help', () => {
    test('is printed for every usual spelling of the option', async () => {
      const [help, flag, verb] = await Promise.all([run(['help']), run(['--help']), run(['help', 'run'])]);
      expect(help.code).toBe(0);
      expect(help.stdout).toContain('Usage: braggbench VERB [arguments]');
      expect(help.stdout).toContain('Exit codes: 0 done, 1 failed, 2 bad input, 130 interrupted.');
      expect(flag).toEqual(help);
      expect(verb.stdout).toMatch(/^Usage: braggbench run SCENARIO \[--variant ID\|FILE\] \[--set path=value …\] /);
    });

    test('lists each flag of every verb', async () => {
      const { stdout } = await say(['help']);
      const verbs = [...stdout.matchAll(/^ {2}([a-z-]+) {2,}/gm)].map((match) => match[1] ?? '');
      expect(verbs).toEqual(expect.arrayContaining(['run', 'validate', 'variants', 'devices', 'bench', 'serve']));
      const helps = await Promise.all(verbs.map(async (verb) => ({ verb, ...(await say([verb, '--help'])) })));
      for (const { verb, code, stdout: text } of helps) {
        expect(code).toBe(0);
        expect(text.startsWith(`Usage: braggbench ${verb}`)).toBe(true);
        for (const [, flag] of (text.split('\n\n')[0] ?? '').matchAll(/(--[a-z-]+)/g))
          expect(text).toMatch(new RegExp(`^  ${flag}\\b`, 'm'));
        // Commands in examples are to be copied: they are not wrapped.
        const [printed = ''] = text.split('\nExamples:\n');
        expect(printed.split('\n').filter((line) => line.length > 88)).toEqual([]);
      }
      expect(stdout.split('\n').filter((line) => line.length > 90)).toEqual([]);
    });

    test('goes to standard error with exit code 2 if no verb is given', async () => {
      const { code, stdout, stderr } = await say([]);
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr).toContain('Usage: braggbench VERB');
    });

    test('version', async () => {
      const { version } = JSON.parse(await readFile(join(import.meta.dirname, '../../../package.json'), 'utf8')) as {
        version: string;
      };
      expect(await run(['--version'])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
    });
  });

  describe('examples', () => {
    test('are listed by question under the names that verbs accept', async () => {
      const { code, stdout } = await say(['examples']);
      expect(code).toBe(0);
      expect(stdout).toMatch(/^Proton beams\n\n {2}Where does a beam stop\?\n {4}water-70MeV +Water, 70 MeV\n/);
      const { groups } = JSON.parse((await say(['examples', '--json'])).stdout) as {
        groups: { examples: { name: string }[] }[];
      };
      const names = groups.flatMap(({ examples }) => examples.map(({ name }) => name));
      expect(names.length).toBeGreaterThan(60);
      expect(new Set(names).size).toBe(names.length);
      expect((await say(['validate', ...names.slice(0, 5)])).stdout.match(/: valid; /g)).toHaveLength(5);
    });

    test('show a Bragg peak at another energy, with the box fitted to the range', async () => {
      const { code, stdout } = await say(['run', 'water-70MeV', '--set', 'beam.energy_MeV=120', '--json']);
      expect(code).toBe(0);
      // PSTAR: 106.6 mm in water at 120 MeV.
      expect((JSON.parse(stdout) as { metrics: { r80_mm: number } }).metrics.r80_mm).toBeCloseTo(106.6, 0);
    });
  });

  describe('an invalid command line', () => {
    test.each([
      [['rum', 'small.json'], 'error "rum" is not a known verb (did you mean run?)'],
      [['--foo'], 'error --foo is not a flag of braggbench; allowed: --help, --version. Flags of a verb follow it.\n'],
      [['compare', 'none.h5'], 'error The file none.h5 does not exist.\n'],
      [['run'], 'error run needs a scenario; usage: braggbench run SCENARIO'],
      [['run', 'small.json', 'b.json'], 'error unexpected argument "b.json"; usage:'],
      [
        ['bench', 'small.json', '--variants', 'window', 'depth'],
        'error unexpected argument "depth"; write a list with commas: --variants window,depth; usage:',
      ],
      [['run', 'small.json', '--varaint', 'window'], 'error --varaint is not a known flag (did you mean --variant?)'],
      [['run', 'small.json', '--variant', 'windwo'], 'error --variant: "windwo" is not known (did you mean window?)'],
      [['run', 'small.json', '--set', 'beam'], `error --set: "beam" has no '='`],
      [
        ['run', 'none.json'],
        'error none.json: there is no such file, nor an example with that name (braggbench examples lists them)\n',
      ],
      [['run', 'smal.json'], 'error smal.json: there is no such file (did you mean small.json?)\n'],
      [['run', 'water-70Mev'], 'error water-70Mev: there is no such file (did you mean water-70MeV?)\n'],
      [['run', 'layer-8129'], 'error layer-8129: there is no such file (did you mean layer-8192?)\n'],
      [
        ['bench', '--open', traced],
        `error ${traced} is HDF5, the format of saved runs, not a session. Open it with: braggbench compare ${traced}\n`,
      ],
      [
        ['replay', 'small.json'],
        'error small.json is a scenario, not a session. Open it with: braggbench bench small.json\n',
      ],
      [['bench', '--open', 'bad.yaml'], 'error bad.yaml is not JSON: it is damaged or from another program.\n'],
      [['bench', '--open', tmpdir()], `error ${tmpdir()} is a folder, not a session.`],
      [['refine', 'simple-cubic-1024', tmpdir()], `error ${tmpdir()} is a folder, not an image.`],
      [
        ['bench', 'small.json', '--rounds', '0'],
        'error --rounds: "0" is not allowed; allowed: a whole number, 1 to 100000',
      ],
    ])('%j', async (words, message) => {
      const { code, stdout, stderr } = await say(words);
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr).toContain(message);
      expect(stderr).not.toMatch(/ {4}at /);
    });
  });

  describe('run', () => {
    test('prints aligned readouts, without colour or progress in a pipe', async () => {
      const { code, stdout, stderr } = await run(['run', 'small.json']);
      expect([code, stderr]).toEqual([0, '']);
      expect(stdout).not.toContain('\u001B');
      expect(stdout).toMatch(/^Small\nmoments, fp32, \d+ threads?, /);
      expect(stdout).toMatch(
        /\ndone: \d+ steps in .*\nauto chose moments: matter is layered, and --out does not request the phase space\nprimary protons only; --set physics\.nuclear=icru63 includes nuclear reactions and their products\n/,
      );
      const r80 = Number(/R80 +(\d+\.\d\d) mm/.exec(stdout)?.[1]);
      expect(r80).toBeGreaterThan(8.6);
      expect(r80).toBeLessThan(9.1);
      expect(stdout).toMatch(/CSDA range +8\.85 mm in water, NIST PSTAR \(ICRU 49\)/);
      // The memory is in the same units as on the page and in `validate`.
      expect(stdout).toMatch(/; peak memory [\d.]+ MiB\n/);
    });

    test('reports the range through a CT along the axis, since it differs from the range in water', async () => {
      await mkdir(join(folder, 'ct'), { recursive: true });
      // Low density throughout, at −750 HU, so that the range is some four times that in water.
      await writeFile(join(folder, 'ct/lung.mha'), metaImageOf(layeredPhantom(Array(80).fill(-750), 40, 1)));
      const { code, stdout } = await say(['run', 'small.json', '--set', 'geometry={"ct":{"file":"ct/lung.mha"}}']);
      expect(code).toBe(0);
      expect(Number(/CSDA range +(\d+\.\d\d) mm along the axis, water by NIST/.exec(stdout)?.[1])).toBeGreaterThan(20);
    });

    test('reads the width of a tilted beam at its position, not at its path length', async () => {
      const { code, stdout } = await say(['run', 'small.json', '--set', 'beam.angle_deg=30']);
      expect(code).toBe(0);
      const [r80, z] = [/R80 +(\d+\.\d\d) mm/, /σx at z = (\d+\.\d) mm/].map((text) => Number(text.exec(stdout)?.[1]));
      // The depth is printed to a tenth, and R80 to a hundredth.
      expect(Math.abs((z ?? 0) - 0.9 * (r80 ?? 0) * Math.cos(Math.PI / 6))).toBeLessThan(0.056);
    });

    test('includes exactly the notes of the printed output in --json, each with a code', async () => {
      const regions = [{ material: 'bone-compact-icru', x_mm: [-5, 5], z_mm: [2, 4] }];
      const words = ['run', 'small.json', '--set', 'beam.angle_deg=20', '--set', 'physics.stopping_power=icru90'];
      words.push('--set', `geometry.regions=${JSON.stringify(regions)}`);
      const [text, json] = [await say(words), await say([...words, '--json'])];
      expect([text.code, json.code]).toEqual([0, 0]);
      const { notes } = JSON.parse(json.stdout) as { notes: { code: string; text: string }[] };
      expect(notes.map(({ code }) => code)).toEqual(expect.arrayContaining(['table-of-water']));
      expect(new Set(notes.map(({ code }) => code)).size).toBe(notes.length);
      const lines = text.stdout.split('\n');
      const first = lines.indexOf(`  ${notes[0]?.text}`);
      const block = lines.slice(first - 1, first + notes.length + 1);
      expect(block).toEqual(['', ...notes.map((note) => `  ${note.text}`), '']);
    });

    test('prints only one document of the documented form with --json', async () => {
      const { code, stdout, stderr } = await run(['run', 'small.json', '--json']);
      expect([code, stderr]).toEqual([0, '']);
      const document = JSON.parse(stdout) as {
        metrics: { sigma_x_mm: [number, number][] };
        ledger: { number: object; energy: object };
      };
      expect(document).toMatchObject({
        scenario: 'Small',
        variant: 'moments',
        precision: 'fp32',
        status: 'done',
        error: null,
        steps: expect.any(Number),
        wall_s: expect.any(Number),
        solve_s: expect.any(Number),
        min_psi_over_max: expect.any(Number),
        extra_straggling_mm: 0,
        cell_steps: expect.any(Number),
        peak_rss_MB: expect.any(Number),
        grid: { ne: expect.any(Number), ntheta: 17, nz: 40, nx: 20 },
      });
      expect(Object.keys(document.metrics).sort()).toEqual([
        'energy_deposited_MeV',
        'fwhm_mm',
        'mean_range_mm',
        'peak_mm',
        'peak_to_entrance',
        'penumbra_half_mm',
        'penumbra_peak_mm',
        'plateau_MeV_per_mm',
        'practical_range_mm',
        'r50_mm',
        'r80_mm',
        'r90_mm',
        'sigma_x_mm',
        'theta_rms_mrad',
        'w80_20_mm',
      ]);
      const balance = ['in', 'in_flight', 'stopped', 'escaped_x', 'escaped_z', 'escaped_theta', 'nuclear', 'skipped'];
      const { number, energy } = document.ledger;
      const faces = ['x', 'z', 'theta'].flatMap((axis) => [`escaped_${axis}_low`, `escaped_${axis}_high`]);
      expect(Object.keys(number)).toEqual([...balance, 'rel_error', ...faces]);
      expect(Object.keys(energy)).toEqual([...balance, 'deposited', 'rel_error', ...faces]);
      const widths = document.metrics.sigma_x_mm;
      expect(widths[0]?.[0]).toBeCloseTo(0.125, 10);
      expect(widths.every((pair) => pair.length === 2)).toBe(true);
    });

    test('applies --set and --variant, and reports the values that a variant forces', async () => {
      const { code, stdout, stderr } = await say([
        'run',
        'small.json',
        '--variant',
        'depth',
        '--set',
        'beam.energy_MeV=25',
        '--json',
      ]);
      expect(code).toBe(0);
      expect(stderr).toBe('depth offers depth stepping only: solver.stepping is depth in this run\n');
      const document = JSON.parse(stdout) as { variant: string; metrics: { r80_mm: number } };
      expect(document.variant).toBe('depth');
      expect(document.metrics.r80_mm).toBeGreaterThan(6.1);
      expect(document.metrics.r80_mm).toBeLessThan(6.6);
    });

    test('prints the time of nuclear reactions next to that of the steps', async () => {
      const coarse = ['--set', 'grid.dx_mm=1', '--set', 'grid.dz_mm=0.5', '--set', 'beam.energy_MeV=20'];
      const followed = ['run', 'small.json', '--variant', 'gather', '--set', 'physics.nuclear=icru63', ...coarse];
      const { code, stdout } = await say(followed);
      expect(code).toBe(0);
      expect(stdout).toMatch(/solve [^)]+, reaction products \d[^)]+\)/);
      expect(stdout).toMatch(/by secondary protons/);
      expect(stdout).not.toContain('primary protons only');
      const document = JSON.parse((await say([...followed, '--json'])).stdout) as {
        products_s: number;
        wall_s: number;
      };
      expect(document.products_s).toBeGreaterThan(0);
      expect(document.products_s).toBeLessThan(document.wall_s);
    });

    test('saves an HDF5 file with --out', async () => {
      const { code, stdout } = await say(['run', 'small.json', '--out', 'small.h5']);
      expect(code).toBe(0);
      expect(stdout).toContain(`Saved as ${join(folder, 'small.h5')}`);
      const bytes = await readFile(join(folder, 'small.h5'));
      expect(bytes.subarray(1, 4).toString()).toBe('HDF');
    });

    test('finds a shipped scenario by its name', async () => {
      // Use a child process, because runs that ended in this process would change the time forecast.
      const { code, stdout } = await run(['validate', 'water-70MeV']);
      expect(code).toBe(0);
      expect(stdout).toMatch(
        /water-70MeV\.json: valid; needs 409 × 161 × 250 × 160 cells, .* with window and .*iB of keyframes, about \d0* m?s on a server with AVX-512\n$/,
      );
    });

    test('prints all scenario errors together with exit code 2, also as JSON', async () => {
      const text = await say(['run', 'bad.yaml']);
      expect([text.code, text.stdout]).toEqual([2, '']);
      expect(text.stderr.split('\n').map((line) => line.split(': ').slice(0, 2).join(' '))).toEqual([
        'error bad.yaml:3:20 beam.energy_MeV',
        'error bad.yaml:4:8 grid.dx',
        '',
      ]);
      const json = await say(['run', 'bad.yaml', '--json']);
      expect(json.code).toBe(2);
      const { error } = JSON.parse(json.stdout) as {
        error: { code: string; issues: { path: string; line: number }[] };
      };
      expect(error.code).toBe('invalid');
      expect(error.issues.map(({ path, line }) => `${path} ${line}`)).toEqual(['beam.energy_MeV 3', 'grid.dx 4']);
    });

    test('prints warnings on standard error and continues', async () => {
      const { code, stderr, stdout } = await say(['run', 'small.json', '--json', '--set', 'geometry.depth_mm=5']);
      expect(code).toBe(0);
      expect(stderr).toContain(
        'warning --set: geometry.depth_mm: the beam reaches 8.852 mm, but the box ends at 5 mm; without depth_mm the box follows the range',
      );
      expect(JSON.parse(stdout)).toMatchObject({ status: 'done', metrics: { r80_mm: null } });
    });

    test('rejects an unwritable output path before the run', async () => {
      await mkdir(join(folder, 'taken.h5'));
      const refused: [string, string][] = [
        ['no/such/folder/x.h5', `x.h5 cannot be written: the folder ${join(folder, 'no/such/folder')} does not exist`],
        ['taken.h5', 'taken.h5 cannot be written: it is a folder'],
        ['small.json/x.h5', 'x.h5 cannot be written: '],
        ['', '--out needs a file name'],
      ];
      if (process.platform !== 'win32') refused.push(['/dev/null', 'it is a device, not a file']);
      await Promise.all(
        refused.map(async ([out, reason]) => {
          const { code, stdout, stderr } = await say(['run', 'small.json', '--out', out]);
          expect([code, stdout]).toEqual([2, '']);
          expect(stderr).toContain(reason);
          expect(stderr).not.toContain('.tmp');
        }),
      );
    });

    test('still prints a result that cannot be saved, and exits with code 1', async (context) => {
      if (process.platform === 'win32') return context.skip('file size limits are set with a POSIX shell');
      // A limit on file sizes is the closest to a full disk that an unprivileged process can have.
      const limited = await promisify(execFile)(
        'sh',
        [
          '-c',
          'ulimit -f 8; exec "$0" "$@"',
          process.execPath,
          entry,
          'run',
          'small.json',
          '--out',
          'big.h5',
          '--json',
        ],
        { cwd: folder, env: environmentWith(join(folder, 'home')) },
      ).then(
        () => ({ code: 0, stdout: '', stderr: '' }),
        (error: { code: number; stdout: string; stderr: string }) => error,
      );
      expect(limited.code).toBe(1);
      expect(JSON.parse(limited.stdout)).toMatchObject({ status: 'done', metrics: { r80_mm: expect.any(Number) } });
      expect(limited.stderr).toContain('big.h5 cannot be written');
      expect((await readdir(folder)).filter((name) => name.includes('big.h5'))).toEqual([]);
    });

    test('reads the widths at the named depth, interpolated between grid planes', async () => {
      // With this energy, nine tenths of the range are half-way between two depth planes.
      const args = ['run', 'small.json', '--set', 'beam.energy_MeV=30.1'];
      const [text, json] = await Promise.all([say(args), say([...args, '--json'])]);
      const { metrics } = JSON.parse(json.stdout) as {
        metrics: { r80_mm: number; theta_rms_mrad: [number, number][] };
      };
      const depth = 0.9 * metrics.r80_mm;
      const after = metrics.theta_rms_mrad.findIndex(([z]) => z >= depth);
      const [[z0, v0] = [0, 0], [z1, v1] = [0, 0]] = metrics.theta_rms_mrad.slice(after - 1, after + 1);
      const printed = Number(/σθ at z = \d+\.\d mm +(\d+\.\d) mrad/.exec(text.stdout)?.[1]);
      expect(printed).toBeCloseTo(v0 + ((v1 - v0) * (depth - z0)) / (z1 - z0), 0.9);
      expect(Math.abs(printed - v0)).toBeGreaterThan(0.1);
    });

    test('prints colour if it is forced', async () => {
      const { stdout } = await say(['run', 'small.json'], { FORCE_COLOR: '1' });
      expect(stdout).toContain('\u001B[1mSmall\u001B[22m');
    });
  });

  describe('Ctrl+C', () => {
    const interruptAt = { text: LONG_WORK_BEGINS, signals: 1 };

    test('keeps the partial result, marks it as partial, and exits with 130', async () => {
      const { code, stdout } = await run(['run', 'small.json', ...longWork, '--out', 'part.h5', '--json'], {
        interruptAt,
      });
      expect(code).toBe(130);
      const document = JSON.parse(stdout) as { status: string; steps: number };
      expect(document.status).toBe('cancelled');
      expect(document.steps).toBeLessThan(300);
      expect((await readFile(join(folder, 'part.h5'))).subarray(1, 4).toString()).toBe('HDF');
    });

    test('keeps the partial result when the terminal is closed, too', async (context) => {
      if (process.platform === 'win32') return context.skip('there is no such signal');
      const { code } = await run(['run', 'small.json', ...longWork, '--out', 'closed.h5', '--json'], {
        interruptAt: { ...interruptAt, signal: 'SIGHUP' },
      });
      expect(code).toBe(130);
      expect((await readFile(join(folder, 'closed.h5'))).subarray(1, 4).toString()).toBe('HDF');
    });

    test('exits at once when pressed twice', async () => {
      const { code, stdout } = await run(['run', 'small.json', ...longWork, '--json'], {
        interruptAt: { ...interruptAt, signals: 2 },
      });
      expect(code).toBe(130);
      if (stdout !== '') expect(JSON.parse(stdout)).toMatchObject({ status: 'cancelled' });
    });
  });

  describe('validate', () => {
    test('lists every error of every file, and the resources that valid files need', async () => {
      const { code, stdout } = await say(['validate', 'small.json', 'bad.yaml', 'none.json']);
      expect(code).toBe(2);
      expect(stdout.split('\n').map((line) => line.replace(/\d+ × .*/, '…'))).toEqual([
        'small.json: valid; needs …',
        'error bad.yaml:3:20: beam.energy_MeV: 900 MeV is above the stopping power table of water, NIST PSTAR (ICRU 49); allowed: at most 300 MeV',
        'error bad.yaml:4:8: grid.dx: is not a known key (did you mean dx_mm?); allowed here: dx_mm, dz_mm, dtheta_mrad, theta_max_mrad, energy, cutoff_MeV',
        'bad.yaml: cannot be run',
        'error none.json: there is no such file, nor an example with that name (braggbench examples lists them)',
        'none.json: cannot be run',
        '',
      ]);
    });

    test("runs the engine's checks too, and names the field that the engine rejects", async () => {
      await writeFile(
        join(folder, 'depth.yaml'),
        'kind: transport\nversion: 1\nbeam: {energy_MeV: 70}\nsolver: {stepping: path, variant: depth}\n',
      );
      const refusal =
        'error depth.yaml:4:35: solver.variant: "depth" does not offer solver.stepping = path; allowed: auto, which chooses a variant that does\n';
      const validated = await say(['validate', 'depth.yaml']);
      expect([validated.code, validated.stdout]).toEqual([2, `${refusal}depth.yaml: cannot be run\n`]);
      const started = await say(['run', 'depth.yaml', '--json']);
      expect([started.code, started.stderr]).toEqual([2, refusal]);
      expect(JSON.parse(started.stdout)).toMatchObject({
        error: { code: 'unsupported', issues: [{ path: 'solver.variant', line: 4, value: '"depth"' }] },
      });
      const both = ['--set', 'solver.stepping=path', '--set', 'solver.variant=depth'];
      const set = await say(['validate', 'water-70MeV', ...both]);
      expect(set.stdout).toContain('error --set: solver.variant: "depth" does not offer solver.stepping = path');
      // Without a setting of the stepping, the variant decides it.
      const alone = await say(['validate', 'water-70MeV', ...both.slice(2)]);
      expect(alone).toMatchObject({ code: 0, stdout: expect.stringMatching(/valid; .* with depth/) });
    });

    test('prints the issues and the plans with --json', async () => {
      const { code, stdout } = await say(['validate', 'small.json', 'bad.yaml', '--json']);
      expect(code).toBe(2);
      const { scenarios } = JSON.parse(stdout) as {
        scenarios: { valid: boolean; issues: object[]; plan: object | null }[];
      };
      expect(scenarios.map(({ valid, issues }) => [valid, issues.length])).toEqual([
        [true, 0],
        [false, 2],
      ]);
      expect(scenarios[0]?.plan).toMatchObject({ variant: 'window', grid: { ntheta: 17, nz: 40, nx: 20 } });
    });
  });

  describe('variants and devices', () => {
    test('list every entry, as text and as JSON', async () => {
      const [text, json, devices] = await Promise.all([
        say(['variants']),
        say(['variants', '--json']),
        say(['devices', '--json']),
      ]);
      const { variants } = JSON.parse(json.stdout) as { variants: { id: string }[] };
      expect(variants.map(({ id }) => id)).toEqual(
        expect.arrayContaining(['reference', 'scatter', 'gather', 'fused', 'window', 'depth']),
      );
      for (const { id } of variants) expect(text.stdout).toMatch(new RegExp(`(^| )${id} `, 'm'));
      expect(text.stdout.split('\n').filter((line) => [...line].length > 120)).toEqual([]);
      const found = JSON.parse(devices.stdout) as {
        cpu: { logicalCores: number };
        cuda: { available: boolean; reason: string | null };
      };
      expect(found.cpu.logicalCores).toBeGreaterThan(0);
      expect(found.cuda.available || (found.cuda.reason ?? '').length > 10).toBe(true);
    });

    test('give the missing driver as the reason, and list only libraries that are missing too', async () => {
      const nothing = { available: false, reason: 'not on the path of libraries' };
      const report = {
        cuda: { available: false, driver: null, devices: [], reason: 'no driver' },
        nvrtc: nothing,
        cupti: { available: true, reason: null },
        cublas: nothing,
      };
      expect(driverAndLibraryLines(report as unknown as Parameters<typeof driverAndLibraryLines>[0], 120)).toEqual([
        '  cuda          missing: no driver',
        '  cupti         available',
        '  also missing  nvrtc, cublas',
      ]);
    });

    test('end without an error when the output pipe is closed', async () => {
      const { code, stderr } = await run(['variants'], { closeOutput: true });
      expect(stderr).toBe('');
      expect(code).toBe(0);
    });
  });

  test('serve starts with few file descriptors, and reports if there are too few', onPosix, async () => {
    const limited = async (limit: number): Promise<string> => {
      const words = [process.execPath, entry, 'serve', '--port', '0'].map((word) => `'${word}'`).join(' ');
      const shell = spawn('/bin/sh', ['-c', `ulimit -n ${limit}; exec ${words}`], {
        env: environmentWith(join(folder, `descriptors-${limit}`)),
      });
      let said = '';
      for (const stream of [shell.stdout, shell.stderr]) {
        stream.setEncoding('utf8').on('data', (text: string) => {
          said += text;
          if (said.includes('http://127.0.0.1:')) shell.kill('SIGINT');
        });
      }
      await once(shell, 'close');
      return said;
    };
    expect(await limited(64)).toMatch(/^http:\/\/127\.0\.0\.1:/);
    expect(await limited(30)).not.toContain('bug in the program');
  });

  test('serve prints its address and ends on Ctrl+C', async () => {
    const { code, stdout } = await run(['serve', '--port', '0'], {
      interruptAt: { text: 'http://127.0.0.1:', signals: 1 },
    });
    expect(stdout).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/\?token=[\w-]{20,}\n$/);
    expect(code).toBe(0);
  });
});
