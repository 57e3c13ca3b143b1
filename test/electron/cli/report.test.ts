/** Verbs on earlier measurements: compare, export, report, replay, and a saved sweep. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findBrowser } from '../../../electron/cli/reports/print-pdf.ts';
import type { ComparedRow } from '../../../electron/contract/bench/comparison.ts';
import { sessionSchema } from '../../../electron/contract/bench/session.ts';
import { DOCUMENT_POLICY } from '../../../electron/contract/wire/page.ts';
import { DRAWN_BY_PROCESSOR, findChromium } from '../../e2e/chromium.ts';
import { unless } from '../../unless.ts';
import { assetsFolder, tinyScenario } from '../host/small-run.ts';
import { smallImage } from '../host/workloads/small-image.ts';
import { braggbenchInProcess, type CommandResult, environmentWith } from './command.ts';

const smallScenario = { ...tinyScenario, name: 'small <beam>' } as const;

const spots = { ...smallImage, name: 'Few spots', detector: { width: 48, height: 48 } } as const;

const recordedSession = path.join(assetsFolder, 'runs', 'h200-uniform-grid-70MeV.json');
let folder: string;
const inFolder = (name: string): string => path.join(folder, name);
const call = (...words: string[]): Promise<CommandResult> =>
  braggbenchInProcess(words, { cwd: folder, environment: environmentWith(folder, { CHROME: '' }) });

async function callSuccessfully(...words: string[]): Promise<CommandResult> {
  const ended = await call(...words);
  expect(ended, ended.stderr).toMatchObject({ code: 0 });
  return ended;
}

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'braggbench-report-'));
  await writeFile(inFolder('small.json'), JSON.stringify(smallScenario));
  await callSuccessfully('run', 'small.json', '--out', 'a.h5', '--set', 'solver.variant=window');
  await callSuccessfully('run', 'small.json', '--out', 'b.h5', '--set', 'solver.variant=gather', '--trace');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('braggbench compare', () => {
  test('prints runs side by side, with their differences', async () => {
    const { stdout } = await callSuccessfully('compare', 'a.h5', 'b.h5');
    const [head, first, second] = stdout.split('\n');
    expect(head).toMatch(/^Run +Variant .*γ 1 %\/1 mm .*R80$/);
    expect(first).toMatch(/^a\.h5 +window fp32 .* 1 .*mm$/);
    expect(second).toMatch(/^b\.h5 +gather fp32 .*× .*100\.0 % +100\.0 %/);
    expect(stdout).toContain('b.h5: solver.variant is "gather", but "window" in the first');
  });

  test('prints one JSON document on request', async () => {
    const { stdout } = await callSuccessfully('compare', 'a.h5', 'b.h5', '--json');
    const { runs } = JSON.parse(stdout) as { runs: { variant: string; against_first: { rel_l2: number } | null }[] };
    expect(runs.map(({ variant }) => variant)).toEqual(['window', 'gather']);
    expect(runs[0]?.against_first).toBeNull();
    expect(runs[1]?.against_first?.rel_l2).toBeLessThan(1e-5);
  });

  test('assigns GPU times to GPU work, as the workbench does', async () => {
    const files = ['depth', 'window'].map((name) =>
      path.join(assetsFolder, 'runs', `h200-water-70MeV-cuda-${name}.h5`),
    );
    const { runs } = JSON.parse((await callSuccessfully('compare', ...files, '--json')).stdout) as {
      runs: { time_s: number; solve_s: number; against_first: { time_ratio: number } | null }[];
    };
    const [depth, window] = runs;
    // The steps' time leaves out launching and waiting on the host.
    for (const { time_s, solve_s } of runs) expect(time_s).toBeLessThan(0.99 * solve_s);
    expect(window?.against_first?.time_ratio).toBe((window?.time_s ?? 0) / (depth?.time_s ?? 1));
    const { stdout } = await callSuccessfully('compare', ...files);
    expect(stdout).toContain(
      'Steps are timed by the clock of the GPU if available, otherwise by that of the host; measured once',
    );
  });

  test('reports invalid operands', async () => {
    expect(await call('compare', 'a.h5')).toMatchObject({ code: 2, stderr: expect.stringContaining('at least two') });
    const missing = await call('compare', 'a.h5', 'none.h5');
    expect(missing).toMatchObject({ code: 2, stderr: expect.stringContaining('The file none.h5 does not exist') });
  });
});

describe('results of other workloads', () => {
  const kept = (name: string): string => path.join(assetsFolder, 'runs', name);

  test('are compared by their own measures, one workload at a time', async () => {
    const { stdout } = await callSuccessfully('compare', kept('linear-relu/layer-1024.json'), '--wide');
    const [head = '', first = ''] = stdout.split('\n');
    expect(head).toMatch(/^Variant +Verdict +Relative error +Time +Times faster .*NaN mismatches +Mask mismatches/);
    expect(first).toMatch(/^cuda-naive +reference +\S+ +2\.20 ms /);
    expect(stdout).toMatch(/^cuda-lt-fp32 +faster .*× \(/m);
    expect(stdout).toMatch(
      /^Noise of cuda-naive: A\/A [\d.]+× \([\d.]+–[\d.]+\); differences below 0\.\d+ % count as noise$/m,
    );
    expect(stdout).toContain('NVIDIA H200 · driver 580.159.04');

    await writeFile(inFolder('spots.json'), JSON.stringify(spots));
    for (const variant of ['diffraction-mixed', 'diffraction-fp64']) {
      await callSuccessfully('run', 'spots.json', '--set', `solver.variant=${variant}`, '--out', `${variant}.h5`);
    }
    const images = await callSuccessfully('compare', 'diffraction-fp64.h5', 'diffraction-mixed.h5', '--json');
    const { rows } = JSON.parse(images.stdout) as { rows: ComparedRow[] };
    const { accuracy = [] } = rows[1] ?? {};
    expect(accuracy.map(({ id }) => id)).toEqual(['rel_l2', 'max', 'bright', 'sum', 'mean', 'correlation']);
    expect(accuracy.slice(0, 5).every(({ value, holds }) => holds && value !== null && value < 1e-4)).toBe(true);
    expect(accuracy[5]?.value).toBeCloseTo(1, 8);
    expect(rows[1]?.note).toBe('too few samples for an interval');

    const mixed = await call('compare', 'a.h5', 'diffraction-fp64.h5');
    expect(mixed).toMatchObject({ code: 2 });
    expect(mixed.stderr).toMatch(
      /Only results of one workload can be compared, but these belong to several workloads: .* of transport, .* of diffraction\./,
    );
  });

  test('can be reported and replayed', async () => {
    const [sweep, row] = [kept('diffraction/h200-sweep-simple-cubic.json'), kept('micro/latency.json')];
    await callSuccessfully('report', sweep, 'diffraction-fp64.h5', '-o', 'images.html');
    const html = await readFile(inFolder('images.html'), 'utf8');
    // The policy precedes all content of the session: no script runs and no resource loads, even if an escape is
    // missed.
    expect(html.slice(0, html.indexOf('<title>'))).toContain(DOCUMENT_POLICY);
    for (const text of ['Bright pixels', 'Size sweep of', 'Photons', 'per million pixels', 'NVIDIA H200']) {
      expect(html, text).toContain(text);
    }
    expect(html).not.toMatch(/NaN|undefined/);
    await callSuccessfully('report', row, '-o', 'latency.html');
    const latency = await readFile(inFolder('latency.html'), 'utf8');
    expect(latency).toContain('Shared memory answers in 1–2 cycles');
    expect(latency).toContain('No size sweep: this session measured one size.');
    const { stdout } = await callSuccessfully('replay', row, '-o', 'latency');
    expect(readdirSync(inFolder('latency'))).toHaveLength(stdout.trim().split('\n').length);
    await callSuccessfully('replay', sweep, '-o', 'images');
    expect(readdirSync(inFolder('images'))).toContain('sweep.svg');
  });
});

describe('braggbench export', () => {
  test('writes a timeline that trace viewers can read', async () => {
    const { stderr } = await callSuccessfully('export', 'b.h5', '--trace', 'trace.json');
    const { traceEvents } = JSON.parse(await readFile(inFolder('trace.json'), 'utf8')) as {
      traceEvents: { ph: string; ts?: number; dur?: number }[];
    };
    const slices = traceEvents.filter(({ ph }) => ph === 'X');
    expect(slices.length).toBeGreaterThan(10);
    expect(stderr).toContain(`${slices.length} spans written to trace.json`);
    for (const { ts, dur } of slices) expect(Number.isFinite(ts) && (dur ?? -1) >= 0).toBe(true);
  });

  test('writes all samples of a session for notebooks, with all digits', async () => {
    await callSuccessfully('export', recordedSession, '--samples', 'samples.csv');
    const [head = '', ...lines] = (await readFile(inFolder('samples.csv'), 'utf8')).trimEnd().split('\n');
    const names = head.split(',');
    expect(names.slice(0, 7)).toEqual(['at', 'variant', 'kind', 'device', 'precision', 'round', 'time_s']);
    const rows = lines.map((line) => Object.fromEntries(line.split(',').map((value, i) => [names[i] ?? '', value])));
    const report = sessionSchema.parse(JSON.parse(readFileSync(recordedSession, 'utf8'))).reports[0];
    const measured = report?.entries.flatMap((entry) => (entry.status === 'measured' ? [entry] : [])) ?? [];
    expect(measured.length).toBeGreaterThan(5);
    for (const { label, samples } of measured) {
      const own = rows.filter(({ variant }) => variant === label);
      expect(own.map(({ time_s }) => Number(time_s))).toEqual(samples.map(({ time_s }) => time_s));
      expect(own[0]).toMatchObject({ device: 'NVIDIA H200', round: '0', sm_MHz: '1980', kind: 'variant' });
    }
    // Other programs are measured in the same rounds as variants.
    expect(measured.map(({ label }) => label)).toContain('cupy-raw');
    expect(await call('export', 'a.h5', '--samples', 'none.csv')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--samples needs sessions saved by bench (.json): a.h5 is a run'),
    });
  });

  test('names missing arguments', async () => {
    expect(await call('export', 'b.h5')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--trace OUT.json'),
    });
  });
});

test('a sweep is measured, fitted, saved, shown and replayed', async () => {
  const words = ['--variants', 'window', '--rounds', '2', '--sweep', 'grid.dx_mm=2,1', '--out', 'sweep.session.json'];
  const { stdout } = await callSuccessfully('bench', 'small.json', ...words);
  expect(stdout).toContain('Sweep of grid.dx_mm');
  expect(stdout).toMatch(/window: (.* fixed, and .* per million cells|these times do not fit a line)/);
  const session = sessionSchema.parse(JSON.parse(await readFile(inFolder('sweep.session.json'), 'utf8')));
  expect(session.sweep?.values).toEqual([2, 1]);
  expect(session.reports[0]?.document).toMatchObject({ name: 'small <beam>' });
  const again = await callSuccessfully('bench', '--open', 'sweep.session.json');
  expect(again.stdout).toBe(stdout);
  const drawn = await callSuccessfully('replay', 'sweep.session.json');
  expect(readdirSync(inFolder('sweep')).sort()).toEqual([
    '1-cold-start.svg',
    '1-roofline.svg',
    '2-cold-start.svg',
    '2-roofline.svg',
    'sweep.svg',
  ]);
  expect(drawn.stdout).toContain(path.join('sweep', 'sweep.svg'));
});

describe('braggbench replay', () => {
  test('draws the figures of a recorded session byte for byte as before', async () => {
    const first = await callSuccessfully('replay', recordedSession, '-o', 'one');
    await callSuccessfully('replay', recordedSession, '--out', 'two');
    const names = readdirSync(inFolder('one')).sort();
    expect(names).toEqual([
      'cold-start.svg',
      'factorial-gpu-steps.svg',
      'gains.svg',
      'ladder.svg',
      'roofline.svg',
      'samples.svg',
    ]);
    expect(first.stdout.trim().split('\n')).toHaveLength(names.length);
    for (const name of names) {
      const [one, two] = ['one', 'two'].map((place) => readFileSync(path.join(inFolder(place), name)));
      expect(one?.equals(two ?? Buffer.alloc(0)), name).toBe(true);
      const text = one?.toString('utf8') ?? '';
      expect(text).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" /);
      expect(text).toContain('NVIDIA H200');
      expect(text).not.toMatch(/NaN|undefined/);
    }
  });

  test('rejects files that are not sessions', async () => {
    expect(await call('replay', 'small.json')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(
        'small.json is a scenario, not a session. Open it with: braggbench bench small.json',
      ),
    });
    expect(await call('replay', 'none.json')).toMatchObject({ code: 2 });
  });
});

describe('braggbench report', () => {
  test('writes one self-contained HTML file', async () => {
    const { stderr } = await callSuccessfully(
      'report',
      'a.h5',
      'b.h5',
      recordedSession,
      '-o',
      'report.html',
      '--title',
      'Mine & yours',
    );
    expect(stderr).toContain('Written to report.html');
    const html = await readFile(inFolder('report.html'), 'utf8');
    const commit = /"commit":"([0-9a-f]{40})"/.exec(await readFile(recordedSession, 'utf8'))?.[1];
    expect(html).toContain('<h1>Mine &amp; yours</h1>');
    // The report fetches nothing and runs no script, and names are escaped.
    expect(html).not.toMatch(/<script|<link|<beam>|url\(|(?:src|href)="(?!data:)/);
    expect(html.match(/<svg /g)?.length).toBeGreaterThanOrEqual(9);
    expect(html.match(/data:image\/png;base64,/g)?.length).toBeGreaterThanOrEqual(6);
    for (const part of [
      'small &lt;beam&gt;: gather',
      'Kernel fusion',
      'driver 580.159.04',
      `Commit</dt><dd>${commit}`,
      'solver.variant',
      '&quot;energy_MeV&quot;: 30',
      'braggbench bench uniform-grid-70MeV',
      'braggbench report a.h5 b.h5',
    ]) {
      expect(html, part).toContain(part);
    }
    expect(html).not.toMatch(/NaN|undefined|\[object/);
  });

  test('marks a wrong variant, even if it is the fastest', async () => {
    const session = JSON.parse(await readFile(recordedSession, 'utf8')) as {
      reports: { entries: { label: string; verdict: string }[] }[];
    };
    for (const entry of session.reports[0]?.entries ?? []) {
      if (entry.label === 'cuda-window') Object.assign(entry, { verdict: 'wrong' });
    }
    await writeFile(inFolder('wrong.json'), JSON.stringify(session));
    await callSuccessfully('report', 'wrong.json', '-o', 'wrong.html');
    const html = await readFile(inFolder('wrong.html'), 'utf8');
    expect(html).toContain('Not counted as correct: cuda-window (wrong).');
    expect(html).toContain('<td data-tone="wrong">wrong, though faster</td>');
  });

  test('rejects an unwritable output before it starts', async () => {
    expect(await call('report', 'a.h5')).toMatchObject({ code: 2, stderr: expect.stringContaining('needs -o') });
    expect(await call('report', 'a.h5', '-o', 'a.docx')).toMatchObject({ code: 2 });
    expect(await call('report', 'small.json', '-o', 'x.html')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('is not a Braggbench benchmark'),
    });
    const missing = await call('report', 'none.h5', '-o', 'x.html');
    expect(missing.stderr).toContain('The file none.h5 does not exist');
    expect(existsSync(inFolder('x.html'))).toBe(false);
  });

  // Whether there is a Chromium. The tests' package contains one for a single platform; elsewhere, BRAGGBENCH_CHROMIUM
  // is the path of a browser.
  const hasChromium = (process.platform === 'linux' && process.arch === 'x64') || process.env['BRAGGBENCH_CHROMIUM'];
  test('is printed by the named browser', unless(!hasChromium && 'there is no Chromium for this system'), async () => {
    const { executablePath, args, env } = await findChromium();
    // The test's Chromium needs additional switches; a user's browser is started without them.
    const wrapper = inFolder('chrome.sh');
    const switches = [...args, ...DRAWN_BY_PROCESSOR].filter((one) => !one.startsWith('--headless')).join(' ');
    await writeFile(wrapper, `#!/bin/sh\nexec '${executablePath}' ${switches} "$@"\n`);
    await chmod(wrapper, 0o755);
    const words = ['report', 'a.h5', 'b.h5', '-o', 'report.pdf', '--browser', wrapper];
    const printed = await braggbenchInProcess(words, { cwd: folder, environment: environmentWith(folder, env) });
    expect(printed, printed.stderr).toMatchObject({ code: 0 });
    const pdf = await readFile(inFolder('report.pdf'));
    expect(pdf.subarray(0, 5).toString()).toBe('%PDF-');
    expect((await stat(inFolder('report.pdf'))).size).toBeGreaterThan(10_000);
  });

  test('names a missing browser', async () => {
    expect(await call('report', 'a.h5', '-o', 'r.pdf', '--browser', '/no/chrome')).toMatchObject({
      stderr: expect.stringContaining('The browser /no/chrome does not exist'),
    });
    await expect(findBrowser(undefined, { PATH: folder })).rejects.toThrow(
      'A PDF needs Chrome, Chromium or Edge, but none was found: name one with --browser PATH or in CHROME',
    );
    await expect(findBrowser(undefined, { CHROME: '/no/chrome' })).rejects.toThrow(
      'The browser /no/chrome does not exist',
    );
  });
});
