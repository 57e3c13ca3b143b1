/**
 * The history of sessions and its claims about implementation choices, in a real browser. Questions: dismissed, found
 * again, and viewed in every appearance. A small workload in a real browser: measured from a shipped scenario, checked,
 * compared with its claims, saved and opened again.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { getDefaultEnvironment, StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { Locator, Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { questions } from '../../renderer/base/questions.ts';
import { braggbench, entry } from '../electron/cli/command.ts';
import { tracedSession } from '../electron/host/model/timeline/make.ts';
import { cacheWithUserKernels, scratchFolder } from '../scratch-folder.ts';
import { accessibilityViolations } from './accessible.ts';
import { type Appearance, checkVisibility, inEveryAppearance } from './appearance-page.ts';
import { type BenchPage, focused, selectSpan } from './bench-page.ts';
import type { OpenPage } from './browser.ts';
import { code, compileTimeout, useWorkbench } from './workbench-page.ts';

describe('recorded sessions and claims', () => {
  const recorded = path.resolve(import.meta.dirname, '../../assets/runs/h200-water-70MeV.json');
  const { workbench, home } = useWorkbench('claims');

  it('orders saved sessions by date', async () => {
    const session = JSON.parse(readFileSync(recorded, 'utf8')) as object;
    mkdirSync(path.join(home, 'library'), { recursive: true });
    for (const day of [1, 2]) {
      const text = JSON.stringify({ ...session, created: `2026-12-0${day}T08:00:00.000Z` });
      writeFileSync(path.join(home, 'library', `day-${day}.session.json`), text);
    }
    const { open, page, bench } = await workbench();
    await bench.layout('Alt+Shift+2', 'Compare');
    await bench.panel('History').click();
    await page.getByRole('button', { name: 'Enlarge History' }).click();
    await page.getByLabel('Search the history').fill('cuda-depth water NVIDIA');
    const series = page.getByTestId('history-series').filter({ hasText: 'day-2' });
    await series.first().waitFor();
    expect(await series.first().textContent()).toContain('2026-12-02 08:00');
    await checkVisibility(open, 'history');
    await open.close();
  });

  it('shows which programming style is faster, from the recorded sessions', async () => {
    const { open, page, bench } = await workbench();
    await bench.layout('Alt+Shift+2', 'Compare');
    await bench.panel('Programming style').click();
    await page.getByRole('button', { name: 'Enlarge Programming style' }).click();
    const problem = page.getByTestId('decision').filter({ hasText: 'h200-dense-36M' });
    await problem.waitFor();
    // A session with several instances gives advice.
    await expect
      .poll(() => page.getByTestId('decision').filter({ hasText: 'h200-water-70MeV-5-steps' }).textContent())
      .toContain('C++ and CUDA pays off');
    expect(await problem.locator('li').last().textContent()).toContain('An hour of development is paid back after');
    await page.getByLabel('Number of runs that you plan').fill('1000000');
    await expect.poll(() => problem.locator('li').last().textContent()).toContain('1\u202f000\u202f000 runs it saves');
    await checkVisibility(open, 'decision');
    await open.close();
  });
});

describe('submissions from a coding agent', () => {
  const folder = scratchFolder('climb-problem');
  const problem = path.join(folder, 'sum');
  const environment = { CXXFLAGS: '-O1', BRAGGBENCH_CACHE: cacheWithUserKernels(folder) };
  beforeAll(async () => {
    const words = ['new-kernel', 'reduction', 'sum.cpp', '--answer', 'typescript'];
    expect((await braggbench(words, { cwd: folder, environment: { ...process.env, ...environment } })).code).toBe(0);
    const document = path.join(problem, 'problem.json');
    writeFileSync(document, readFileSync(document, 'utf8').replace('1000000', '4099'));
  });
  const served = useWorkbench('climb', ['--scenario', path.join(problem, 'problem.json')], () => environment);

  it('appear in History as they are submitted, with differences, and are replayed as a candidate', async () => {
    const { open, page, bench } = await served.workbench();
    await bench.layout('Alt+Shift+2', 'Compare');
    await bench.panel('History').click();
    await page.getByRole('button', { name: 'Enlarge History' }).click();

    const agent = new Client({ name: 'test', version: '1' });
    const args = [entry, 'mcp', '--trust', folder, '--time', '2s'];
    const env = { ...getDefaultEnvironment(), ...environment, BRAGGBENCH_HOME: served.home };
    await agent.connect(
      new StdioClientTransport({ command: process.execPath, args, cwd: folder, env, stderr: 'ignore' }),
    );
    const source = readFileSync(path.join(problem, 'sum.cpp'), 'utf8');
    const row = (attempt: number) =>
      page
        .getByTestId('climb')
        .locator('tr[data-verdict]')
        .filter({ has: page.getByRole('rowheader', { name: `${attempt}`, exact: true }) });
    const verdicts = ['correct', 'wrong', 'not measured'];
    const texts = [source, source.replace('k < n', 'k + 1 < n'), source.replace('double sum = 0;', 'double sum = no;')];
    for (const [i, text] of texts.entries()) {
      const input = { problem: 'sum', source: text, seconds: 0.5 };
      await agent.callTool({ name: 'submit_kernel', arguments: input }, undefined, { timeout: 300_000 });
      await expect.poll(() => row(i + 1).getAttribute('data-verdict'), compileTimeout).toBe(verdicts[i]);
    }
    await agent.close();
    await row(2).getByRole('button', { name: 'Difference' }).click();
    await expect.poll(() => page.getByTestId('climb').locator('tr[data-kind=changed]').count()).toBe(1);
    await checkVisibility(open, 'climb');

    await row(2).getByRole('button', { name: 'Add to folder' }).click();
    await expect.poll(() => code(page).textContent()).toContain('k + 1 < n');
    expect(readFileSync(path.join(problem, 'sum-attempt-0002.cpp'), 'utf8')).toBe(texts[1]);
    await open.screenshot('climb-replayed');
    await open.close();
  }, 300_000);
});

/** Timeout for solving an example on cores that other tests keep busy. */
const solveTimeout = { timeout: 180_000 } as const;

type ShownQuestion = Readonly<{ page: Page; bench: BenchPage; panel: (title: string) => Locator }>;

/** Selects a view of Compare. */
const view = (panel: ShownQuestion['panel'], name: string): Promise<void> =>
  panel('Compare').getByRole('radio', { name, exact: true }).check({ force: true });

/**
 * Checkbox of a variant. Its label continues with a description and a time. Sessions below it have rows with the same
 * names.
 */
const tick = (panel: ShownQuestion['panel'], variant: string): Locator =>
  panel('Compare')
    .getByRole('group', { name: 'Variants to benchmark' })
    .getByRole('checkbox', { name: new RegExp(`^${variant}`) });

/** Checks of the hints against their panels, by the id of the question. */
const promisedViews: Readonly<Record<string, (shown: ShownQuestion) => Promise<void>>> = {
  beam: async ({ page, bench, panel }) => {
    await expect.poll(() => bench.state('Done').count(), solveTimeout).toBe(1);
    await bench.map.click({ position: { x: 150, y: 60 } });
    await panel('Dose map').getByTitle('Pinned; Esc releases it').waitFor();
    await expect.poll(() => panel('Depth dose').textContent()).toMatch(/R80 \d+\.\d\d mm/);
    await page
      .getByText(/mm of compact bone at 40 to 60 mm depth/)
      .first()
      .waitFor();
    await page.getByRole('banner').getByText('Live', { exact: true }).click();
    await bench.field('Energy').fill('140');
    await expect.poll(() => page.getByTestId('live-note').textContent(), solveTimeout).toMatch(/[Ff]ull/);
    await page.getByRole('banner').getByText('Live', { exact: true }).click();
  },
  fastest: async ({ page, panel }) => {
    const rows = page.getByTestId('compare-row');
    await expect.poll(() => rows.count()).toBe(6);
    await expect.poll(() => page.locator('[data-testid=compare-row][data-verdict=wrong]').count()).toBe(2);
    // The ladder has the times of the table above it, and leaves out variants with wrong results.
    const ladder = panel('Speedup ladder');
    const tableTime = await rows
      .filter({ hasText: 'cuda-packed' })
      .getByText(/^[\d.]+ µs/)
      .first()
      .textContent();
    await expect
      .poll(() => ladder.getByTestId('ladder-ladder').textContent())
      .toContain(tableTime?.split(' (')[0] ?? '');
    expect(await ladder.getByTestId('ladder-ladder').textContent()).not.toContain('ignored');
    await expect.poll(() => ladder.textContent()).toContain('Left out of the ladder: cpu-ignored (wrong)');
    for (const name of ['Rows', 'Columns']) await panel('Scenario').getByLabel(name, { exact: true }).waitFor();
    await view(panel, 'Choose');
    const ticked = (variant: string) => tick(panel, variant).isChecked();
    await expect.poll(() => ticked('cpu-packed')).toBe(true);
    expect(await ticked('cpu-ignored')).toBe(false);
    await tick(panel, 'cpu-ignored').check();
    await expect.poll(() => page.getByRole('button', { name: 'Benchmark', exact: true }).isEnabled()).toBe(true);
  },
  time: async ({ page, panel }) => {
    const about = page.getByText(/ ms visible\. The wheel zooms/);
    await about.waitFor();
    const before = await about.textContent();
    await page.getByTestId('timeline-canvas').focus();
    await page.keyboard.press('w');
    await expect.poll(() => about.textContent()).not.toBe(before);
    await page.keyboard.press('s');
    await selectSpan(page);
    const run = () => panel('Run').textContent();
    await expect.poll(run).toMatch(/Solve.*Steps.*Cell-steps/);
    expect(await run()).not.toContain('The form has changed');
    const launch = () => panel('Launch explorer').textContent();
    await expect.poll(launch).toMatch(/This launch is valid.*Occupancy.*Waves/s);
    await expect.poll(launch).toMatch(/[Tt]ail/);
  },
  image: async ({ page, panel }) => {
    await expect.poll(() => panel('Peaks').getByRole('row').count(), solveTimeout).toBeGreaterThan(3);
    await page.getByRole('img', { name: /^Image of/ }).hover({ position: { x: 200, y: 200 } });
    await expect.poll(() => page.getByTestId('image-readout').textContent()).toMatch(/photons.*h k l.*Å/s);
    await panel('Peaks')
      .getByRole('button')
      .filter({ hasText: /^\d+, \d+$/ })
      .first()
      .click();
    await page.getByTestId('image-readout').getByTitle('Pinned; Esc releases it').waitFor();
    await expect.poll(() => panel('Scenario').textContent()).toMatch(/Misset.*About x/s);
    await expect.poll(() => panel('Scenario').textContent()).toContain('Detector');
  },
  claim: async ({ page, bench, panel }) => {
    const claims = panel('Claims').getByTestId('claim');
    await page.getByLabel('Search the claims').fill('coalescing');
    const found = claims.filter({ hasText: 'Coalesced access instead of strided' });
    await expect.poll(() => found.count(), solveTimeout).toBe(1);
    await found.locator('summary').click();
    const asClaimed = /\d\.\d\d× \(\d\.\d\d–\d\.\d\d\)as claimedCoalescingNVIDIA H200/;
    await expect.poll(() => found.textContent()).toMatch(asClaimed);
    await expect.poll(() => panel('Compare').getByTestId('compare-row').count()).toBe(5);
    await view(panel, 'Samples');
    await bench.field('Stride').waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'Benchmark', exact: true }).isEnabled()).toBe(true);
  },
  kernel: async ({ page, panel }) => {
    for (const name of ['Save copy', 'New kernel'])
      await panel('Kernel editor').getByRole('button', { name, exact: true }).waitFor();
    await expect.poll(() => panel('Scenario').textContent()).toContain('Elements');
    await page.getByRole('tab', { name: 'Compare', exact: true }).click();
    await view(panel, 'Choose');
    await tick(panel, 'cpu-fused').waitFor();
  },
  'monte-carlo': async ({ page, bench, panel }) => {
    await expect.poll(() => bench.state('Done').count(), solveTimeout).toBe(1);
    await expect.poll(() => panel('Depth dose').textContent(), solveTimeout).toContain('TOPAS, 138.143 MeV');
    await panel('Depth dose').getByText('Overlay', { exact: true }).click();
    await expect.poll(() => page.locator('.depth-dose__overlay').textContent()).toMatch(/TOPAS.*γ/);
    await page.keyboard.press('Escape');
    await expect.poll(() => panel('Ledger').textContent()).toMatch(/at reactions.*Nuclear/s);
    await bench.section('Physics');
    await expect.poll(() => panel('Scenario').textContent()).toMatch(/[Nn]uclear reactions/);
  },
};

describe('hints of the questions', () => {
  const { workbench } = useWorkbench('hints');

  it.each(questions.map(({ id, title }) => [title, id] as const))(
    'describe what their panels show: “%s”',
    async (title, id) => {
      const { open, page, bench } = await workbench({ width: 1440, height: 900 });
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: 'Find a command' }).fill(title.replace(/\?$/, ''));
      await page.keyboard.press('Enter');
      await expect.poll(focused(page)).toBe(`Hint 1 of 3: ${title}`);
      const panel = (name: string): Locator => page.getByRole('tabpanel', { name: new RegExp(`^${name}\\s*\\d?$`) });
      await promisedViews[id]?.({ page, bench, panel });
      await open.screenshot(`hints-${id}`);
      expect(open.problems).toEqual([]);
      await open.close();
    },
    300_000,
  );

  it('each have a check', () => {
    expect(Object.keys(promisedViews)).toEqual(questions.map(({ id }) => id));
  });
});

describe('questions', () => {
  const { workbench } = useWorkbench('questions', ['--scenario', 'assets/scenarios/water-70MeV.json', '--run']);

  it('the question panel stays closed, can be found by name and under Help, and compares a beam with Monte Carlo', async () => {
    const { open, page, bench } = await workbench({ firstVisit: true });
    await page.getByRole('button', { name: 'Hide questions' }).click();
    await expect.poll(() => bench.panel('Questions').count()).toBe(0);
    await page.reload();
    await bench.state('Done').waitFor();
    expect(await bench.panel('Questions').count()).toBe(0);

    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Find a command' }).fill('monte');
    await page.keyboard.press('Enter');
    await expect.poll(focused(page)).toMatch(/^Hint 1 of 3: Check against Monte Carlo/);
    await expect.poll(() => bench.r80.textContent()).toContain('137.0');
    await page.getByRole('button', { name: 'Curves over the depth dose' }).click();
    // More than nine points in ten agree within 1 % and 1 mm, in absolute units.
    await expect.poll(() => page.locator('.depth-dose__overlay').textContent()).toMatch(/TOPAS.*γ (9\d\.\d|100) ?%/);
    await open.screenshot('question-monte-carlo');
    await page.keyboard.press('Escape');

    await bench.menu('Help', 'Questions to begin with');
    await expect.poll(() => bench.panel('Questions').getAttribute('aria-selected')).toBe('true');
    await page.getByRole('button', { name: /^Where does the time go/ }).click();
    await expect.poll(() => page.getByText('cuda-fused', { exact: false }).first().isVisible()).toBe(true);
    await expect.poll(focused(page)).toMatch(/^Hint 1 of 3: Where does the time go/);
    // The example was recorded on a GPU; the scenario in the form runs on this machine.
    await expect.poll(() => bench.run.isEnabled()).toBe(true);
    await open.screenshot('question-time');
    expect(await page.getByText('edited', { exact: true }).count()).toBe(0);
    expect(open.problems).toEqual([]);
  });

  it('every other question works by keyboard in a narrow window and at 200 % zoom, in both themes', async () => {
    const { open, page } = await workbench({ firstVisit: true });
    await page.locator('.question').first().waitFor();
    const narrow: Appearance = { name: '900-dark', width: 900, height: 700, theme: 'dark' };
    const zoomed: Appearance = { name: '720-light', width: 720, height: 450, theme: 'light' };
    for (const title of ['See a beam stop', 'An X-ray image', 'Is this claim true?', 'Write my own kernel']) {
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: 'Find a command' }).fill(title.replace('?', ''));
      await page.keyboard.press('Enter');
      await expect.poll(focused(page)).toBe(`Hint 1 of 3: ${title}`);
      await inEveryAppearance(
        page,
        async ({ name }) => {
          // Hints of panels in the same area are visited one by one.
          for (const hint of [2, 3, 1]) {
            const from = page.getByRole('region', { name: `Hint ${hint === 1 ? 3 : hint - 1} of 3: ${title}` });
            await from.getByRole('button', { name: 'Next' }).press('Enter');
            await expect.poll(focused(page)).toBe(`Hint ${hint} of 3: ${title}`);
          }
          await open.screenshot(`question-${title.split(' ').at(-1)?.replace('?', '')}-${name}`);
          expect(await accessibilityViolations(page), `${title}, ${name}`).toEqual([]);
        },
        [narrow, zoomed],
      );
    }
    expect(open.problems).toEqual([]);
  });
});

const root = path.resolve(import.meta.dirname, '../..');
const { workbench } = useWorkbench('results', [
  '--scenario',
  path.join(root, 'assets/scenarios/micro/launch-small.json'),
]);

let open: OpenPage;
let bench: BenchPage;

describe('results of a small workload', () => {
  it('show the speed-up and correctness of every variant, and the measured value of each claim', async () => {
    ({ open, bench } = await workbench());
    await expect.poll(() => bench.title.textContent()).toContain('launch-small.json');
    await expect.poll(() => bench.panel('Results').count()).toBe(1);
    // The form is generated from the schema of this small workload.
    await bench.field('Steps').waitFor();
    await bench.run.click();
    await bench.state('Done').waitFor();
    const table = open.page.getByTestId('results-variants');
    await table.waitFor();
    const text = (await table.textContent()) ?? '';
    expect(text).toMatch(/reference/);
    expect(text).toMatch(/± [\d.]+ %/);
    await open.page.getByTestId('results-claims').waitFor();
    await expect
      .poll(() => open.page.getByTestId('results-claims').textContent())
      .toMatch(/not measured|as claimed|less|more/);
    await expect.poll(() => open.page.getByTestId('best-gain').textContent()).toMatch(/×/);
    await open.screenshot('results-light');
    expect(await accessibilityViolations(open.page)).toEqual([]);
    const [download] = await Promise.all([open.page.waitForEvent('download'), bench.menu('File', /Variants \(CSV\)/)]);
    expect(readFileSync(await download.path(), 'utf8')).toMatch(/^at,variant,device,precision,status,time_s/);
    // The timeline has every variant's samples, in the order in which they were taken.
    await bench.layout('Alt+Shift+3', 'Timeline');
    await open.page.getByLabel('Search spans by name').fill('repetitions');
    await expect.poll(() => open.page.getByTestId('search-count').textContent()).toMatch(/^\d+$/);
    await open.page.getByLabel('Search spans by name').press('Enter');
    await expect.poll(() => open.page.getByTestId('span-details').textContent()).toMatch(/samples.*Repetitions/s);
    await open.screenshot('timeline-task-light');
    expect(open.problems).toEqual([]);
  });

  it('show each stream of a traced session as a timeline lane, with copies next to kernels', async () => {
    ({ open, bench } = await workbench({ theme: 'dark' }));
    await bench.drop('overlap.task.json', JSON.stringify(tracedSession()));
    await bench.state('Done').waitFor();
    await bench.layout('Alt+Shift+3', 'Timeline');
    await open.page.getByLabel('Search spans by name').fill('micro_stream_work');
    await expect.poll(() => open.page.getByTestId('search-count').textContent()).toBe('9');
    await open.page.getByLabel('Search spans by name').press('Enter');
    await expect
      .poll(() => open.page.getByTestId('span-details').textContent())
      .toMatch(/stream 7.*Grid.*cuLaunchKernel/s);
    await open.screenshot('timeline-streams-dark');
    expect(await accessibilityViolations(open.page)).toEqual([]);
    expect(open.problems).toEqual([]);
  });

  it('show recorded sessions without a GPU, next to the upper limit of the gain from fusion', async () => {
    ({ open, bench } = await workbench({ theme: 'dark' }));
    // The file is dropped at once, while the page still draws and opens its first scenario.
    const layer = readFileSync(path.join(root, 'assets/scenarios/linear-relu/layer-1024.json'), 'utf8');
    await bench.drop('layer.json', layer);
    await open.page.getByTestId('results-variants').waitFor();
    await expect
      .poll(() => open.page.getByTestId('results-fusion').textContent())
      .toMatch(/fusion can save [\d.]+ % at most/);
    await expect.poll(() => open.page.getByTestId('results-variants').textContent()).toContain('cuda-lt-fp32');
    await open.screenshot('results-recorded-dark');
    expect(await accessibilityViolations(open.page)).toEqual([]);
    expect(open.problems).toEqual([]);
  });
});
