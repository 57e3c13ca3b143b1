/**
 * The window's connection to another machine, through a real sshd on this one: login, copying the program, forwarding,
 * interruptions and a full disk.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statfsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import WebSocket from 'ws';
import type { RemoteState } from '../../../../../electron/contract/remote.ts';
import { Connection, type ConnectionOptions } from '../../../../../electron/host/app/remote/connection.ts';
import { programSource } from '../../../../../electron/host/app/remote/program.ts';
import { LoginRefusedError, Ssh } from '../../../../../electron/host/app/remote/ssh.ts';
import { openSocketPort } from '../../../../../electron/transports/websocket-page.ts';
import { connect } from '../../../../../renderer/data/client/client.ts';
import { scratchFolder } from '../../../../scratch-folder.ts';
import { freePort, noSshd, startSshd, type TestSshd } from '../../../../sshd.ts';
import { unless } from '../../../../unless.ts';
import { longScenario } from '../../test-host.ts';

const root = path.join(import.meta.dirname, '../../../../..');
const folder = scratchFolder('box');
const neverAborted = new AbortController().signal;
let sshd: TestSshd;
const before = process.env['PATH'] ?? '';

beforeAll(async () => {
  if (noSshd !== null) return;
  sshd = await startSshd(folder);
  process.env['PATH'] = `${sshd.bin}${path.delimiter}${before}`;
});
afterAll(async () => {
  process.env['PATH'] = before;
  if (noSshd !== null) return;
  for (const name of existsSync(programs()) ? readdirSync(programs()) : []) {
    for (const pid of pidsOf(name)) process.kill(pid);
  }
  await sshd.stop();
});

const programs = (): string => path.join(sshd.cache, 'braggbench/programs');
function pidsOf(name: string): readonly number[] {
  const at = path.join(programs(), name);
  return readdirSync(at)
    .filter((each) => each.startsWith('session.'))
    .map((each) => Number(readFileSync(path.join(at, each, 'pid'), 'utf8')));
}

interface WatchedConnection {
  readonly connection: Connection;
  readonly seen: readonly RemoteState[];
  /** Resolves at the first state of that kind from now on, or when the connection ends without it. */
  until(kind: RemoteState['kind']): Promise<RemoteState>;
}

/** A connection that records its states. */
function watchConnection(options: Partial<ConnectionOptions> & Pick<ConnectionOptions, 'host'>): WatchedConnection {
  const seen: RemoteState[] = [];
  let listeners: (() => void)[] = [];
  const connection: Connection = new Connection({
    ...{ id: 1, anyway: false, asking: 'never', source: () => programSource(root), retry_ms: 50 },
    ...options,
    onChange: () => {
      seen.push(connection.info.state);
      for (const listen of listeners) listen();
    },
  });
  const until = async (kind: RemoteState['kind']): Promise<RemoteState> => {
    const from = seen.length;
    const found = (): RemoteState | undefined =>
      connection.info.state.kind === kind
        ? connection.info.state
        : seen.slice(from).find((state) => state.kind === kind);
    await new Promise<void>((resolve) => {
      const look = (): void => {
        if (found() !== undefined || connection.hasEnded) resolve();
      };
      listeners = [...listeners, look];
      look();
    });
    const state = found();
    if (state === undefined) throw new Error(`it never became ${kind}: ${JSON.stringify(seen)}`);
    return state;
  };
  return { connection, seen, until };
}

const urlOf = (state: RemoteState): string => (state.kind === 'open' ? state.url : '');

/** A page of the workbench at that address, without a browser. */
async function pageAt(address: string) {
  const redirect = await fetch(address, { redirect: 'manual' });
  const base = new URL(redirect.headers.get('location') ?? '', address);
  const socketUrl = new URL('socket', base).href.replace(/^http/, 'ws');
  // Sets the page's origin, which a browser sends automatically; the standard WebSocket class cannot.
  class PageSocket extends WebSocket {
    constructor(url: string) {
      super(url, { origin: base.origin });
    }
  }
  const open = async () => {
    const own = globalThis.WebSocket;
    Object.assign(globalThis, { WebSocket: PageSocket });
    try {
      return await openSocketPort(socketUrl);
    } finally {
      Object.assign(globalThis, { WebSocket: own });
    }
  };
  const html = await (await fetch(base)).text();
  return { html, client: await connect(open, { reconnect: true, retry_ms: 50 }) };
}

describe('a machine reached by ssh', { timeout: 300_000, ...unless(noSshd) }, () => {
  test('receives the program, serves its own page through the tunnel, and still has the same runs after the connection was cut', async () => {
    // An earlier version of the program is installed, and nobody uses it.
    const old = path.join(programs(), '0.0.9-0123456789ab');
    mkdirSync(old, { recursive: true });
    writeFileSync(path.join(old, 'braggbench'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
    const box = watchConnection({ host: 'box' });
    const address = urlOf(await box.until('open'));
    expect(box.seen.map(({ kind }) => kind)).toEqual(
      expect.arrayContaining(['connecting', 'copying', 'starting', 'open']),
    );
    const { machine } = box.connection.info;
    expect(machine).toMatchObject({ platform: `linux-${process.arch}`, otherVersions: ['0.0.9-0123456789ab'] });
    // On a machine with a GPU, the probe reports it.
    expect(machine?.gpus.kind).toBe(existsSync('/dev/nvidiactl') ? 'found' : 'none');
    const own = await programSource(root);
    expect(readdirSync(programs())).toEqual([`${own.program.version}-${own.program.digest}`]);

    const { html, client } = await pageAt(address);
    expect(html).toContain('<div id="root">');
    expect(client.capabilities.shell).toMatchObject({ kind: 'browser', remote: 'box' });
    expect(client.capabilities.version).toBe(own.program.version);
    const run = await client.call('run.start', { scenario: longScenario, file: null, name: 'far' });

    sshd.cut();
    const lost = await box.until('lost');
    expect(lost).toEqual({ kind: 'lost', reason: 'the connection to box was lost' });
    expect(urlOf(await box.until('open'))).toBe(address);
    // Requested before the connection was restored, answered afterwards.
    const { runs } = await client.call('run.list', {});
    expect(runs.map(({ id }) => id)).toEqual([run.id]);
    client.close();
    await box.connection.close();

    // A later window: the program is not copied again, and the same server answers.
    const again = watchConnection({ host: 'box' });
    const later = await pageAt(urlOf(await again.until('open')));
    expect(again.seen.map(({ kind }) => kind)).not.toContain('copying');
    expect((await later.client.call('run.list', {})).runs.map(({ id }) => id)).toEqual([run.id]);
    later.client.close();

    // The remote server dies: the next connection starts one at the same address.
    const [name = ''] = readdirSync(programs());
    for (const pid of pidsOf(name)) process.kill(pid, 'SIGKILL');
    sshd.cut();
    await again.until('lost');
    expect(new URL(urlOf(await again.until('open'))).port).toBe(new URL(address).port);
    await again.connection.close();
  });

  test('asks for host keys and passphrases, forwards the answers, and can be cancelled', async () => {
    const box = watchConnection({ host: 'asks', asking: 'page' });
    const trust = await box.until('asks');
    expect(trust).toMatchObject({ kind: 'asks', secret: false });
    expect(trust.kind === 'asks' && trust.prompt).toContain('ED25519 key fingerprint is SHA256:');
    box.connection.answer('yes');
    await box.until('open');
    await box.connection.close();

    const locked = watchConnection({ host: 'locked', asking: 'page' });
    expect(await locked.until('asks')).toMatchObject({ secret: true });
    locked.connection.answer(sshd.passphrase);
    await locked.until('open');
    expect(JSON.stringify(locked.seen)).not.toContain(sshd.passphrase);
    await locked.connection.close();

    const unanswered = watchConnection({ host: 'locked', asking: 'page' });
    await unanswered.until('asks');
    unanswered.connection.answer(null);
    expect(await unanswered.until('failed')).toEqual({
      kind: 'failed',
      reason: 'The ssh prompt was not answered.',
    });
  });

  test('rejects an unknown key once, and does not retry it', async () => {
    const box = watchConnection({ host: 'stranger' });
    const failed = await box.until('failed');
    expect(failed.kind === 'failed' && failed.reason).toMatch(
      /^ssh stranger failed: .*Permission denied \(publickey\)\.$/,
    );
    expect(box.seen.filter(({ kind }) => kind === 'connecting')).toHaveLength(1);
    await expect(Ssh.open({ host: 'stranger', asking: { kind: 'never' }, signal: neverAborted })).rejects.toThrow(
      LoginRefusedError,
    );
  });

  test('is forwarded by a separate process if its ssh has no connection sharing', async () => {
    const ssh = await Ssh.open({ host: 'box', asking: { kind: 'never' }, shares: false, signal: neverAborted });
    expect(await ssh.run('printf "%s" "it\'s $((1 + 1))"')).toBe("it's 2");
    const free = await freePort();
    await ssh.forward(free, sshd.port);
    const banner = execFileSync('bash', ['-c', `exec 3<>/dev/tcp/127.0.0.1/${free}; head -c 7 <&3`], {
      encoding: 'utf8',
    });
    expect(banner).toBe('SSH-2.0');
    await expect(ssh.forward(free, sshd.port)).rejects.toThrow(`box: ssh does not forward port ${sshd.port}: `);
    ssh.close();
    await ssh.ended;
  });

  test("is reached behind a jump host through the user's ssh configuration", async () => {
    const ssh = await Ssh.open({ host: 'beyond', asking: { kind: 'never' }, signal: neverAborted });
    expect(await ssh.run('printf "%s" "$((6 * 7))"')).toBe('42');
    ssh.close();
    await ssh.ended;
  });

  describe('a remote machine with a small disk', () => {
    const mounted = path.join(folder, 'small');
    const mount = (size_MiB: number): boolean => {
      mkdirSync(mounted, { recursive: true });
      try {
        execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size_MiB}m`, 'none', mounted], { stdio: 'ignore' });
        return true;
      } catch {
        process.stdout.write('A full disk over ssh is not tested: mounting a tmpfs needs root.\n');
        return false;
      }
    };
    test('rejects a program that does not fit, and keeps no files of a copy that fills the disk', async () => {
      if (!mount(30)) return;
      const server = await startSshd(path.join(folder, 'other'), mounted);
      process.env['PATH'] = `${server.bin}${path.delimiter}${before}`;
      try {
        const early = await watchConnection({ host: 'box' }).until('failed');
        expect(early.kind === 'failed' && early.reason).toMatch(
          /^box: .*braggbench has [\d.]+ MiB of free space, but the program needs [\d.]+ MiB\.$/,
        );
        execFileSync('mount', ['-o', 'remount,size=700m', mounted]);
        const filler = path.join(mounted, 'filler');
        const box: WatchedConnection = watchConnection({ host: 'box' });
        await box.until('copying');
        // Fills the disk during the connection.
        const { bavail, bsize } = statfsSync(mounted);
        execFileSync('dd', ['if=/dev/zero', `of=${filler}`, `bs=${bsize}`, `count=${bavail}`], { stdio: 'ignore' });
        const late = await box.until('failed');
        expect(late.kind === 'failed' && late.reason).toMatch(/^box: its disk is full \(.*No space left on device/);
        expect(readdirSync(path.join(mounted, 'braggbench/programs'))).toEqual([]);
      } finally {
        process.env['PATH'] = `${sshd.bin}${path.delimiter}${before}`;
        await server.stop();
        execFileSync('umount', ['-l', mounted]);
      }
    });
  });
});
