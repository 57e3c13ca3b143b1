/** Connects to a GPU server from the window, in a real browser. The server is this machine, through a real sshd. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { scratchFolder } from '../scratch-folder.ts';
import { noSshd, startSshd } from '../sshd.ts';
import { unless } from '../unless.ts';
import { accessibilityViolations } from './accessible.ts';
import { type Appearance, appearances, checkVisibility } from './appearance-page.ts';
import { BenchPage } from './bench-page.ts';
import { smallScenario } from './compare-page.ts';
import { useWorkbench } from './workbench-page.ts';

const sshd = noSshd === null ? await startSshd(scratchFolder('connect-ssh')) : null;
const { workbench } = useWorkbench('connect', [], () => ({
  PATH: `${sshd?.bin ?? ''}${path.delimiter}${process.env['PATH']}`,
}));
afterAll(async () => {
  if (sshd === null) return;
  const programs = path.join(sshd.cache, 'braggbench/programs');
  for (const name of readdirSync(programs)) {
    const [session] = readdirSync(path.join(programs, name)).filter((each) => each.startsWith('session.'));
    if (session !== undefined) process.kill(Number(readFileSync(path.join(programs, name, session, 'pid'), 'utf8')));
  }
  await sshd.stop();
});
const bothThemes: readonly [Appearance, ...Appearance[]] = [appearances[0], ...appearances.slice(1, 2)];

describe('Connect…', unless(noSshd), () => {
  it('rejects an invalid host, forwards ssh prompts, and opens the remote window, which survives a lost connection', async () => {
    const { open, page, bench } = await workbench();
    await bench.menu('File', 'Connect…');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Host').fill('-oProxyCommand=x');
    await dialog.getByRole('button', { name: 'Connect' }).click();
    await expect.poll(() => dialog.getByRole('alert').textContent()).toContain('is not a valid ssh host');

    await dialog.getByLabel('Host').fill('stranger');
    await page.keyboard.press('Enter');
    await expect
      .poll(() => dialog.getByRole('alert').textContent())
      .toMatch(/ssh stranger failed: .*Permission denied/);
    await checkVisibility(open, 'connect-failed', bothThemes);

    await dialog.getByLabel('Host').fill('locked');
    await page.keyboard.press('Enter');
    const requested = dialog.locator('input[type=password]');
    await requested.waitFor();
    expect(await dialog.locator('label').textContent()).toContain('Enter passphrase for key');
    await checkVisibility(open, 'connect-asks', bothThemes);
    await requested.fill(sshd?.passphrase ?? '');
    await page.keyboard.press('Enter');
    const way = dialog.getByRole('link', { name: 'Open its window' });
    await way.waitFor({ timeout: 300_000 });
    await checkVisibility(open, 'connect-open', bothThemes);
    const address = await way.getAttribute('href');
    const opened = page.context().waitForEvent('page');
    await way.click();
    const far = await opened;
    const farBench = new BenchPage(far);
    await farBench.waitUntilRunnable();
    const bar = far.locator('.status-bar');
    await expect.poll(() => bar.textContent()).toMatch(/^On locked · [\d.]+ ms/);
    expect(await far.title()).toMatch(/ – Braggbench on locked$/);
    await farBench.run.click();
    await farBench.state('Done').waitFor();
    expect(await accessibilityViolations(far, '.status-bar')).toEqual([]);
    await far.screenshot({ path: path.join(import.meta.dirname, '../../dist/screenshots/connect-far.png') });

    // After the connection is cut, the passphrase is requested again, and the window shows the same run.
    await expect.poll(() => page.locator('.status-bar').textContent()).toContain('locked: connected');
    sshd?.cut();
    await expect.poll(() => bar.textContent()).toContain('Reconnecting…');
    await page.getByRole('button', { name: /^locked: / }).click();
    await requested.fill(sshd?.passphrase ?? '', { timeout: 60_000 });
    await page.keyboard.press('Enter');
    await expect.poll(() => bar.textContent(), { timeout: 60_000 }).not.toContain('Reconnecting…');
    await farBench.state('Done').waitFor();
    expect(await way.getAttribute('href')).toBe(address);

    // Files open from either machine: from the remote library and examples, or chosen on the local one.
    await farBench.menu('File', 'Open scenario…');
    const pick = far.getByRole('dialog', { name: 'Open scenario' });
    await pick.getByRole('heading', { name: 'Examples' }).waitFor();
    await pick.getByTestId('pick-local').setInputFiles({
      ...{ name: 'here.json', mimeType: 'application/json', buffer: Buffer.from(smallScenario) },
    });
    await expect.poll(() => far.title()).toMatch(/^Small beam – Braggbench on locked$/);
    await expect.poll(() => farBench.field('Energy').inputValue()).toBe('30');
    await farBench.waitUntilRunnable();
    await farBench.menu('File', 'Save as…');
    await far.getByRole('dialog').getByRole('textbox').first().fill('kept there');
    await far.keyboard.press('Enter');
    // The file is in the remote machine's library, and is opened from it.
    const there = path.join(sshd?.cache ?? '', 'data', 'library');
    await expect.poll(() => existsSync(there) && readdirSync(there).some((each) => each.startsWith('kept'))).toBe(true);
    await farBench.menu('File', 'Open scenario…');
    await pick.getByRole('heading', { name: 'Yours, on locked' }).waitFor();
    await pick.getByRole('button', { name: 'Cancel' }).click();
    await far.close();
  }, 600_000);
});
