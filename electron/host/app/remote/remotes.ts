/** Connections of this host's pages to remote machines. */
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { BraggError } from '../../../contract/errors.ts';
import { type Remote, sshHostSchema } from '../../../contract/remote.ts';
import { FrameSubscribers } from '../../io/flow/subscribers.ts';
import type { Handlers, Sources } from '../service/service.ts';
import { Connection } from './connection.ts';
import { programSource, type Source } from './program.ts';
import { checkedHost } from './ssh.ts';

const MAX_HOSTS = 200;

/** Returns the names in `Host` lines of an ssh configuration, except patterns. */
export function hostNamesIn(configuration: string): string[] {
  const names = configuration
    .split(/\r?\n/)
    .flatMap((line) => /^\s*Host(?:\s+|\s*=\s*)(.+)$/i.exec(line)?.[1]?.trim().split(/\s+/) ?? [])
    .map((name) => name.replace(/^"|"$/g, ''))
    .filter((name) => sshHostSchema.safeParse(name).success);
  return [...new Set(names)].slice(0, MAX_HOSTS);
}

export class Remotes {
  readonly #root: string;
  readonly #subscribers = new FrameSubscribers<{ remotes: Remote[] }>();
  #connections: readonly Connection[] = [];
  #source: Promise<Source> | null = null;
  #next = 0;

  /** `assetsFolder`: the program's `assets` folder, which is next to its `dist`. */
  constructor(assetsFolder: string) {
    this.#root = path.dirname(assetsFolder);
  }

  get #frame(): { remotes: Remote[] } {
    return { remotes: this.#connections.map(({ info }) => info) };
  }

  connect(given: string, anyway: boolean): number {
    const host = checkedHost(given);
    const same = this.#connections.find((one) => one.info.host === host && !one.hasEnded);
    if (same !== undefined) return same.info.id;
    const id = this.#next++;
    const made = new Connection({
      ...{ id, host, anyway, asking: 'page' },
      source: () => this.#program(),
      onChange: () => this.#subscribers.offerAll(),
    });
    this.#connections = [...this.#connections.filter((one) => one.info.host !== host), made];
    this.#subscribers.offerAll();
    return id;
  }

  /** Whether an open connection forwards this address. */
  serves(url: string): boolean {
    const origin = URL.parse(url)?.origin;
    return this.#connections.some(
      ({ info: { state } }) => state.kind === 'open' && URL.parse(state.url)?.origin === origin,
    );
  }

  async close(): Promise<void> {
    await Promise.all(this.#connections.map((one) => one.close()));
  }

  handlers(): Pick<Handlers, 'remote.hosts' | 'remote.connect' | 'remote.answer' | 'remote.close' | 'host.ping'> {
    return {
      'remote.hosts': async () => {
        const file = path.join(homedir(), '.ssh', 'config');
        return { hosts: hostNamesIn(await readFile(file, 'utf8').catch(() => '')) };
      },
      'remote.connect': ({ host, anyway }) => ({ id: this.connect(host, anyway) }),
      'remote.answer': ({ id, answer }) => {
        this.#requireConnection(id).answer(answer);
        return {};
      },
      'remote.close': async ({ id }) => {
        const one = this.#requireConnection(id);
        this.#connections = this.#connections.filter((each) => each !== one);
        await one.close();
        this.#subscribers.offerAll();
        return {};
      },
      'host.ping': () => ({}),
    };
  }

  source(): Pick<Sources, 'remotes'> {
    return {
      remotes: (_params, sink) => {
        const end = this.#subscribers.add(sink, () => this.#frame);
        this.#subscribers.offer(sink);
        return end;
      },
    };
  }

  /** Read only once, because computing the digest of the program needs a second. An error is not cached. */
  #program(): Promise<Source> {
    this.#source ??= programSource(this.#root).catch((error: unknown) => {
      this.#source = null;
      throw error;
    });
    return this.#source;
  }

  #requireConnection(id: number): Connection {
    const found = this.#connections.find((one) => one.info.id === id);
    if (found !== undefined) return found;
    throw new BraggError('not-found', 'This connection is closed.');
  }
}
