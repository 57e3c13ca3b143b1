/**
 * `--on HOST` of `run` and `bench`: runs the command on another machine. Sends the files that it needs and fetches its
 * results.
 */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { type Readable, Transform } from 'node:stream';
import { BraggError } from '../../contract/errors.ts';
import { OUTPUT_MARK, outputAfterMark, quoteForShell, type Ssh } from '../../host/api/studies.ts';
import { parseYaml, plainValue, readText } from '../../host/index.ts';
import { type FlagSpec, flagValue, listFlag, UsageError } from '../arguments.ts';
import { checkOutput, writeOutput } from '../output-file.ts';
import { type ExitCode, exitCodes, type Verb, type VerbContext } from '../verb.ts';
import { withRemoteHost } from './remote-host.ts';

const onHostFlag: FlagSpec = {
  name: 'on',
  value: 'HOST',
  help: 'Run on this host, which is reached with your ssh client. The program is copied there once; results are copied back.',
};

/** Matches the file of a user kernel in a command: file name, and suffixes such as precision and GPU. */
const KERNEL_LABEL = /^(.+\.(?:cu|cpp))((?:\[[\w=;-]+\])?(?:@[^:]*)?(?::\d{1,3})?)$/;
const LARGEST_RESULT_BYTES = 2 ** 31;

/** Keys whose values are never file names, even if a folder of that name exists. */
const NON_FILE_KEYS: ReadonlySet<string> = new Set(['kind', 'name', 'variant', 'precision', 'material']);

/** All texts in a document, each of which could be a file name. */
function collectTexts(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => (NON_FILE_KEYS.has(key) ? [] : collectTexts(inner)));
}

interface SentFiles {
  /** Local folder that contains the files. */
  readonly folder: string;
  readonly names: readonly string[];
}

/** Scenario with the files and folders that it names. Throws UsageError for paths outside of its folder. */
async function scenarioFiles(file: string): Promise<SentFiles> {
  const folder = path.dirname(path.resolve(file));
  const read = await readText(file);
  const root = read.ok ? parseYaml(read.text).root : null;
  const named = root === null ? [] : collectTexts(plainValue(root));
  const names = new Set([path.basename(file)]);
  for (const text of named) {
    if (text === '' || text.length > 1000 || text.includes('\0') || !existsSync(path.resolve(folder, text))) continue;
    const relative = path.relative(folder, path.resolve(folder, text));
    if (relative === '') continue;
    if (relative.startsWith('..') || path.isAbsolute(relative)) {
      throw new UsageError(`${file} refers to ${text}, which is outside of its folder; --on copies only files inside`);
    }
    names.add(relative);
  }
  return { folder, names: [...names] };
}

/** User kernel with the files of the same name next to it: description and answer program. */
async function kernelFiles(file: string): Promise<SentFiles> {
  const folder = path.dirname(path.resolve(file));
  const stem = path.basename(file).replace(/\.(cu|cpp)$/, '');
  const all = await readdir(folder).catch(() => []);
  const names = all.filter((name) => name.startsWith(`${stem}.`) && statSync(path.join(folder, name)).isFile());
  if (names.includes(path.basename(file))) return { folder, names };
  throw new BraggError('not-found', `${file} does not exist.`);
}

/** Command to run on the other machine, with the files to send before it and to fetch after it. */
interface RemoteCommand {
  readonly words: readonly string[];
  readonly parcels: readonly SentFiles[];
  /** Output file: its name on the other machine, and its local path; null if there is none. */
  readonly out: { readonly name: string; readonly file: string } | null;
}

/** Translates a local command line. Throws UsageError for flags with local files that are not sent. */
async function remoteCommand(verb: Pick<Verb, 'name' | 'flags'>, { parsed }: VerbContext): Promise<RemoteCommand> {
  const parcels: SentFiles[] = [];
  const kernels = async (text: string): Promise<string> => {
    const [, file, rest = ''] = KERNEL_LABEL.exec(text) ?? [];
    if (file === undefined) return text;
    parcels.push(await kernelFiles(file));
    return `./${path.basename(file)}${rest}`;
  };
  const operands: string[] = [];
  for (const operand of parsed.operands) {
    const isFile = existsSync(operand);
    if (isFile) parcels.push(await scenarioFiles(operand));
    operands.push(isFile ? path.basename(operand) : operand);
  }
  const out = flagValue(parsed, 'out');
  const words: string[] = [];
  for (const [name, values] of parsed.flags) {
    const spec = verb.flags.find((flag) => flag.name === name);
    if (name === onHostFlag.name) continue;
    if (['open', 'counters'].includes(name)) throw new UsageError(`--${name} reads a file on this machine: omit --on`);
    for (const value of values) {
      if (spec?.value === undefined) words.push(`--${name}`);
      else if (name === 'out') words.push(`--out=${path.basename(value)}`);
      else if (name === 'variant') words.push(`--variant=${await kernels(value)}`);
      else if (name === 'variants') {
        const each = await Promise.all((listFlag(parsed, name) ?? []).map(kernels));
        words.push(`--variants=${each.join(',')}`);
      } else words.push(`--${name}=${value}`);
    }
  }
  return {
    words: [verb.name, ...words, '--', ...operands],
    parcels,
    out: out === undefined ? null : { name: path.basename(out), file: path.resolve(out) },
  };
}

async function sendFiles(ssh: Ssh, folder: string, { folder: from, names }: SentFiles): Promise<void> {
  const tar = spawn('tar', ['-cf', '-', '-C', from, '--', ...names], { stdio: ['ignore', 'pipe', 'pipe'] });
  let says = '';
  tar.stderr.setEncoding('utf8').on('data', (piece: string) => {
    says += piece;
  });
  const ended = new Promise<number | null>((resolve) => tar.on('close', resolve).on('error', () => resolve(null)));
  await ssh.run(`cd ${quoteForShell(folder)} && tar -xf -`, { input: tar.stdout });
  if ((await ended) !== 0) throw new BraggError('io', `tar could not pack ${names.join(', ')}: ${says.trim()}.`);
}

async function readStream(stream: Readable, ended: Promise<number | null>, what: string): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of stream) {
    const content = Buffer.from(piece as Uint8Array);
    bytes += content.length;
    if (bytes > LARGEST_RESULT_BYTES)
      throw new BraggError('overflow', `${what} on the remote machine is larger than 2 GiB.`);
    pieces.push(content);
  }
  if ((await ended) !== 0) throw new BraggError('io', `${what} could not be copied from the remote machine.`);
  return outputAfterMark(Buffer.concat(pieces)) ?? Buffer.alloc(0);
}

/**
 * Runs the command over ssh and prints its output line by line. The command is ended by Ctrl+C, and if the connection
 * is lost.
 */
async function runRemoteCommand(ssh: Ssh, { terminal, signal }: VerbContext, work: string, words: readonly string[]) {
  const command = `cd ${quoteForShell(work)} && exec ${words.map(quoteForShell).join(' ')}`;
  // Replace paths in the remote work folder by local names in messages.
  const named = (line: string): string => line.replaceAll(`${work}/`, '');
  // A background process of a shell ignores Ctrl+C on the terminal, but the program handles SIGINT itself.
  const script = [
    'exec 3<&0',
    `{ ${command} </dev/null 3<&- & }`,
    'c=$!',
    '{ { cat <&3 >/dev/null; kill -INT $c; } >/dev/null 2>&1 & }',
    'w=$!',
    'wait $c',
    'r=$?',
    'kill $w 2>/dev/null',
    'exit $r',
  ].join('; ');
  const child = ssh.start(script);
  const stop = (): void => void child.stdin?.end();
  signal.addEventListener('abort', stop, { once: true });
  let marked = false;
  const out = createInterface({ input: child.stdout });
  out.on('line', (line) => {
    if (marked) terminal.print(named(line));
    else marked = line === OUTPUT_MARK;
  });
  createInterface({ input: child.stderr }).on('line', (line) => terminal.printNote(named(line)));
  try {
    return await new Promise<number | null>((resolve) => child.on('close', resolve));
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** Runs the verb on the remote machine: sends files, runs the command, fetches results. */
async function runVerbRemotely(verb: Verb, context: VerbContext, host: string): Promise<ExitCode> {
  const { parsed } = context;
  const remoteCall = await remoteCommand(verb, context);
  if (remoteCall.out !== null) await checkOutput(parsed, remoteCall.out.file);
  return withRemoteHost(context, host, async ({ ssh, probed, folder }) => {
    const work = `${probed.base}/work/${randomBytes(8).toString('hex')}`;
    await ssh.run(`umask 077; mkdir -p -- ${quoteForShell(work)}`);
    try {
      for (const parcel of remoteCall.parcels) await sendFiles(ssh, work, parcel);
      const code = await runRemoteCommand(ssh, context, work, [`${folder}/braggbench`, ...remoteCall.words]);
      if (remoteCall.out !== null && code !== exitCodes.badInput) {
        const file = `${work}/${remoteCall.out.name}`;
        const child = ssh.start(`cat -- ${quoteForShell(file)}`);
        const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
        child.stdin?.end();
        await writeOutput(
          parsed,
          remoteCall.out.file,
          await readStream(child.stdout, ended, `${host}:${remoteCall.out.name}`),
        );
      }
      const found = Object.values(exitCodes).find((one) => one === code);
      if (found !== undefined) return found;
      throw new BraggError('disconnected', `${host}: the connection was lost; the remote command is stopped.`);
    } finally {
      await ssh.run(`rm -rf -- ${quoteForShell(work)}`).catch(() => undefined);
    }
  });
}

/** Adds the flag `--on HOST` to a verb. */
export function withRemoteFlag(verb: Verb): Verb {
  const able: Verb = {
    ...verb,
    usage: `${verb.usage} [--on HOST]`,
    flags: [...verb.flags, onHostFlag],
    run: (context) => {
      const host = flagValue(context.parsed, onHostFlag.name);
      return host === undefined ? verb.run(context) : runVerbRemotely(able, context, host);
    },
  };
  return able;
}

/** Removes output of login scripts, which precedes the command's own output. */
function dropOutputBeforeMark(): Transform {
  let before: Buffer | null = Buffer.alloc(0);
  return new Transform({
    transform(piece: Buffer, _encoding, pass) {
      if (before === null) return pass(null, piece);
      before = Buffer.concat([before, piece]);
      const rest = outputAfterMark(before);
      if (rest !== null) before = null;
      pass(null, rest ?? undefined);
    },
  });
}

/**
 * Adds the flag `--on HOST` to a verb that serves standard input and output. Its folders are on the remote machine.
 */
export function withPipedRemoteFlag(verb: Verb): Verb {
  const able: Verb = {
    ...verb,
    usage: `${verb.usage} [--on HOST]`,
    flags: [
      ...verb.flags,
      { ...onHostFlag, help: 'Serve folders on this host, which is reached with your ssh client.' },
    ],
    run: (context) => {
      const host = flagValue(context.parsed, onHostFlag.name);
      if (host === undefined) return verb.run(context);
      const { flags, operands } = context.parsed;
      if (flags.has('port'))
        throw new UsageError('--port opens a port of the machine that runs the command: omit --on');
      const given = [...flags].filter(([name]) => name !== onHostFlag.name);
      const words = given.flatMap(([name, values]) =>
        values.map((value) => `--${name}${value === '' ? '' : `=${value}`}`),
      );
      return withRemoteHost(context, host, async ({ ssh, folder }) => {
        const command = [`${folder}/braggbench`, verb.name, ...words, '--', ...operands];
        const child = ssh.start(`exec ${command.map(quoteForShell).join(' ')}`);
        if (child.stdin !== null) process.stdin.pipe(child.stdin);
        const stop = (): void => void child.stdin?.end();
        context.signal.addEventListener('abort', stop, { once: true });
        createInterface({ input: child.stderr }).on('line', (line) => context.terminal.printNote(line));
        child.stdout.pipe(dropOutputBeforeMark()).pipe(process.stdout);
        const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
        process.stdin.unpipe().unref();
        const found = Object.values(exitCodes).find((one) => one === code);
        if (found !== undefined) return found;
        throw new BraggError('disconnected', `${host}: the connection was lost.`);
      });
    },
  };
  return able;
}
