/** Passes on what ssh asks: a password, a code, whether to trust a host key. Answers are passed on and not saved. */
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { z } from 'zod';
import { nodeProgram } from '../../io/node-program.ts';

const LONGEST_PROMPT = 2000;

/** Prints the answer, or fails where there is none: ssh then gives up. */
const PROGRAM = `
const socket = require('node:net').connect(process.env.BRAGGBENCH_ASK);
const parts = [];
socket.on('data', (piece) => parts.push(piece));
socket.on('end', () => {
  const text = Buffer.concat(parts).toString();
  if (text[0] !== 'y') process.exit(1);
  process.stdout.write(text.slice(1) + '\\n', () => process.exit(0));
});
socket.on('error', () => process.exit(1));
socket.end(JSON.stringify({ prompt: process.argv[2] ?? '', kind: process.env.SSH_ASKPASS_PROMPT ?? '' }));
`;

const messageSchema = z.strictObject({ prompt: z.string(), kind: z.string() });
/** Control characters but the line feed, and what turns the direction of text. */
const HIDDEN = /(?!\n)[\p{Cc}\u202A-\u202E\u2066-\u2069]/gu;

interface Question {
  readonly prompt: string;
  /** A yes or no: whether to trust a host key. */
  readonly secret: boolean;
}

export interface Askpass {
  /** For ssh. */
  readonly environment: NodeJS.ProcessEnv;
  close(): Promise<void>;
}

/** `ask` gives the answer, or null to give up; its signal is aborted when ssh no longer waits. Throws where Node is missing. */
export async function openAskpass(
  ask: (question: Question, signal: AbortSignal) => Promise<string | null>,
): Promise<Askpass> {
  const node = await nodeProgram('Answering ssh');
  const folder = await mkdtemp(path.join(tmpdir(), 'bb-ask-'));
  const windows = process.platform === 'win32';
  const socketPath = windows ? `\\\\.\\pipe\\${path.basename(folder)}` : path.join(folder, 's');
  const code = path.join(folder, 'ask.cjs');
  const program = path.join(folder, windows ? 'ask.cmd' : 'ask');
  const script = windows ? `@"${node}" "${code}" %*\r\n` : `#!/bin/sh\nexec "$BRAGGBENCH_NODE" '${code}' "$@"\n`;
  await Promise.all([writeFile(code, PROGRAM), writeFile(program, script)]);
  await chmod(program, 0o700);
  const open = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    open.add(socket);
    const gone = new AbortController();
    let text = '';
    socket.on('error', () => undefined);
    socket.on('close', () => {
      open.delete(socket);
      gone.abort();
    });
    socket.setEncoding('utf8').on('data', (piece: string) => {
      text = `${text}${piece}`.slice(0, 4 * LONGEST_PROMPT);
    });
    socket.on('end', () => {
      void answered(text, gone.signal).then((answer) => socket.end(answer === null ? 'n' : `y${answer}`));
    });
  });
  const answered = async (text: string, signal: AbortSignal): Promise<string | null> => {
    try {
      const { prompt, kind } = messageSchema.parse(JSON.parse(text));
      const secret = kind !== 'confirm' && kind !== 'none' && !/\(yes\/no/i.test(prompt);
      return await ask({ prompt: prompt.replace(HIDDEN, ' ').slice(0, LONGEST_PROMPT).trim(), secret }, signal);
    } catch {
      return null;
    }
  };
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(socketPath, resolve);
  });
  return {
    environment: {
      ...{ SSH_ASKPASS: program, SSH_ASKPASS_REQUIRE: 'force', BRAGGBENCH_ASK: socketPath, BRAGGBENCH_NODE: node },
      // Before OpenSSH 8.4 a display had to be named for it.
      DISPLAY: process.env['DISPLAY'] ?? ':0',
    },
    close: async () => {
      for (const socket of open) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
      await rm(folder, { recursive: true, force: true });
    },
  };
}
