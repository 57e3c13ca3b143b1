/** Text from files is always shown as text: no part of it runs, navigates or loads anything. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sessionSchema } from '../../electron/contract/bench/session.ts';
import { BenchPage, selectSpan } from './bench-page.ts';
import { useChromium } from './browser.ts';
import { type RunningServer, serve } from './served.ts';

const root = path.resolve(import.meta.dirname, '../..');
const chrome = useChromium();
const home = mkdtempSync(path.join(tmpdir(), 'braggbench-hostile-text-'));
const folder = path.join(home, 'library');

/** Markup that would run, load or link to something if a page inserted text as HTML. */
const IMAGE = '<img src="//evil.example/a" onerror="ran=1">';
const SCRIPT = '<script>ran=2</script>';
const LINK = '<a href="javascript:ran=3">press</a><a href="//evil.example">here</a>';
const EVIL = `${IMAGE}${SCRIPT}${LINK}`;

const scenario = JSON.stringify({
  kind: 'transport',
  version: 1,
  name: `Beam ${EVIL}`,
  notes: `Notes ${EVIL}`,
  beam: { energy_MeV: 30 },
  geometry: {
    width_mm: 12,
    depth_mm: 11,
    regions: [{ name: `Region ${EVIL}`, material: 'lung', x_mm: [-6, 6], z_mm: [2, 4] }],
  },
  grid: { dx_mm: 1, dz_mm: 0.5, dtheta_mrad: 80, theta_max_mrad: 400, energy: { kind: 'range', step_mm: 0.5 } },
  solver: { step_mm: 0.5 },
});

/** A recorded session in which every visible text is hostile. */
function hostileSession(): string {
  const file = path.join(root, 'assets/runs/h200-uniform-grid-70MeV.json');
  const kept = sessionSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  const renamed = new Map<string, string>();
  for (const report of kept.reports) {
    for (const entry of report.entries) renamed.set(entry.label, `${entry.label} ${EVIL}`);
  }
  const hostile = (name: string | null): string | null => (name === null ? null : (renamed.get(name) ?? name));
  return JSON.stringify({
    ...kept,
    command: `bench ${EVIL}`,
    reports: kept.reports.map((report) => ({
      ...report,
      scenario: `Scenario ${EVIL}`,
      reference: hostile(report.reference),
      machine: {
        ...report.machine,
        cpu: `CPU ${EVIL}`,
        os: `System ${EVIL}`,
        gpu: report.machine.gpu === null ? null : { ...report.machine.gpu, name: `GPU ${EVIL}`, driver: `1 ${EVIL}` },
      },
      program: { ...report.program, version: `0 ${EVIL}`, compiler: `gcc ${EVIL}` },
      entries: report.entries.map((entry) => ({
        ...entry,
        label: hostile(entry.label),
        title: `Title ${EVIL}`,
        note: `Note ${EVIL}`,
      })),
      external: report.external.map((external) => ({ ...external, title: `Program ${EVIL}` })),
      claims: report.claims.map((claim) => ({ ...claim, claim: `Claim ${EVIL}` })),
    })),
  });
}

let server: RunningServer;
beforeAll(async () => {
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'beam.json'), scenario);
  writeFileSync(path.join(folder, 'evil.session.json'), hostileSession());
  if (process.platform !== 'win32') {
    writeFileSync(path.join(folder, '<img src=x onerror=window.ran=4>.json'), scenario);
  }
  server = await serve([], { BRAGGBENCH_HOME: home });
});
afterAll(async () => {
  await server.stop();
  rmSync(home, { recursive: true, force: true });
});

/** Records the URLs that the page requests from now on. */
function watchRequests(page: Page): readonly string[] {
  const requested: string[] = [];
  page.on('request', (request) => requested.push(request.url()));
  return requested;
}

/** Checks that no script from the text ran, and that no element of the page could run one. */
async function expectInert(page: Page): Promise<void> {
  const found = await page.evaluate(() => ({
    ran: (window as { ran?: unknown }).ran ?? null,
    handlers: document.querySelectorAll('[onerror], [onload], [onclick]').length,
    scripts: [...document.scripts].filter(({ src }) => src === '').length,
    away: [...document.querySelectorAll('a, image, img, use')].filter((one) =>
      [...one.attributes].some(({ value }) => /javascript:|evil\.example|^x$/i.test(value)),
    ).length,
  }));
  expect(found).toEqual({ ran: null, handlers: 0, scripts: 0, away: 0 });
}

describe('hostile text', () => {
  it('is shown as plain text in the workbench: in scenarios, curves, file names, tags and sessions', async () => {
    const open = await chrome.open(server.url);
    const { page, problems } = open;
    const asked = watchRequests(page);
    const bench = new BenchPage(page);
    await bench.drop('evil.json', scenario);
    await expect.poll(() => bench.title.textContent()).toContain(EVIL);
    await bench.runToEnd();
    const unit = 'dose (<img src=x onerror="window.ran=5">)';
    const curve = `${IMAGE.replaceAll('/', '')}.csv`;
    // This is no unit of dose, so a notice rejects the column and quotes the unit.
    await bench.drop(curve, `depth_mm,"${unit}"\n0,1\n4,3\n8,0\n`, 'text/csv');
    await page.getByRole('button', { name: 'Dismiss', exact: true }).waitFor();
    await expectInert(page);
    await page.getByRole('button', { name: 'Dismiss', exact: true }).click();
    await bench.drop(curve, 'depth_mm,dose\n0,1\n4,3\n8,0\n', 'text/csv');
    await expectInert(page);
    // Pointing at a curve shows its name.
    const plot = page.locator('.js-plotly-plot').first();
    await plot.hover();
    await expectInert(page);

    await bench.panel('Library').click();
    const entry = page.locator('.library-entry').filter({ hasText: 'beam.json' });
    await expect.poll(() => entry.first().textContent()).toContain('onerror="ran=1"');
    await page.getByRole('button', { name: 'More for beam.json' }).click();
    await page.getByRole('menuitem', { name: 'Tags and notes' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Tags, separated by commas').fill(LINK);
    await dialog.getByLabel('Remark').fill(EVIL);
    await dialog.getByRole('button', { name: 'Keep' }).click();
    await expect.poll(() => entry.first().textContent()).toContain('press</a>');
    await expectInert(page);

    await bench.layout('Alt+Shift+2', 'Compare');
    const compare = page.getByRole('group', { name: 'Compare', exact: true });
    await compare
      .locator('.segmented__option', { hasText: /^Choose$/ })
      .first()
      .click();
    const listed = page.locator('.compare-session', { hasText: 'evil' }).first();
    await listed.locator('summary').click();
    await listed.getByText('all of them').click();
    for (const name of await compare.locator('.segmented__option').allTextContents()) {
      await compare
        .locator('.segmented__option', { hasText: new RegExp(`^${name}$`) })
        .first()
        .click();
      await bench.drawn();
      await expectInert(page);
    }
    expect(await page.locator('body').textContent()).toContain('onerror');

    await bench.layout('Alt+Shift+3', 'Timeline');
    // The timeline of the run is much longer than a trace of a few microseconds.
    const blocks = page.getByRole('list', { name: 'Timelines shown' }).getByRole('button');
    await blocks.click();
    await page.getByRole('menuitem', { name: 'Close' }).click();
    await expect.poll(() => blocks.count()).toBe(0);
    const trace = path.join(root, 'test/electron/host/app/timelines/cases/evil-trace.json');
    await bench.drop('evil-trace.json', readFileSync(trace));
    await page.getByTestId('timeline-summaries').getByText('onerror=window.ran=1').first().waitFor();
    await expectInert(page);
    // Pointing at a span shows its name, and a click shows all of its text.
    await selectSpan(page);
    await expect.poll(() => page.getByTestId('span-details').textContent()).toContain('onerror=window.ran=1');
    await expectInert(page);

    await page.keyboard.press('F1');
    await page.getByLabel('Search the handbook').fill(EVIL);
    await bench.drawn();
    await expectInert(page);
    expect(asked.filter((url) => !url.startsWith('http://127.0.0.1:') && !/^(?:data|blob):/.test(url))).toEqual([]);
    // A violation of the content security policy would be reported among these.
    expect(problems).toEqual([]);
  });

  it('is shown as plain text in a report, without scripts and network access', async () => {
    const report = path.join(home, 'report.html');
    const words = ['report', path.join(folder, 'evil.session.json'), '-o', report, '--title', EVIL];
    execFileSync(process.execPath, [path.join(root, 'dist/host/cli.js'), ...words], {
      env: { ...process.env, BRAGGBENCH_HOME: home },
    });
    const open = await chrome.open(pathToFileURL(report).href);
    expect(await open.page.locator('body').textContent()).toContain('onerror');
    await expectInert(open.page);
    // Failed requests would be listed here.
    expect(open.problems).toEqual([]);
    await open.close();
  });

  it('is not executed when it is injected into the page', async () => {
    const open = await chrome.open(server.url);
    const { page } = open;
    await new BenchPage(page).run.waitFor();
    const refused = await page.evaluate(async () => {
      const seen: string[] = [];
      document.addEventListener('securitypolicyviolation', ({ effectiveDirective }) => seen.push(effectiveDirective));
      const place = document.createElement('div');
      place.innerHTML = '<img src="data:," onerror="window.ran=6"><a href="javascript:window.ran=7">press</a>';
      const script = document.createElement('script');
      script.textContent = 'window.ran = 8';
      const frame = document.createElement('iframe');
      frame.srcdoc = '<script>parent.ran = 9</script>';
      document.body.append(place, script, frame);
      place.querySelector('a')?.click();
      await fetch('https://evil.example/').catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, 300));
      for (const one of [place, script, frame]) one.remove();
      return { ran: (window as { ran?: unknown }).ran ?? null, seen };
    });
    expect(refused.ran).toBeNull();
    expect(refused.seen).toContain('connect-src');
    expect(refused.seen.filter((directive) => directive.startsWith('script-src')).length).toBeGreaterThanOrEqual(3);
    await open.close();
  });
});
