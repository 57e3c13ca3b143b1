/** Forwards prompts of ssh to the user: for a password, a code, or trust in a host key. Answers are not saved. */
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { z } from 'zod';
import { findNode } from '../../io/programs.ts';

const LONGEST_PROMPT = 2000;

/** Program that ssh starts. It prints the answer. Without an answer it exits with an error, so that ssh gives up. */
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
/** Control characters except the line feed, and characters that change the text direction. */
const INVISIBLE_CHARACTERS = /(?!\n)[\p{Cc}\u202A-\u202E\u2066-\u2069]/gu;

interface SshPrompt {
  readonly prompt: string;
  /** False for a yes-or-no question, such as trust in a host key. */
  readonly secret: boolean;
}

export interface Askpass {
  /** Environment variables for ssh. */
  readonly environment: NodeJS.ProcessEnv;
  close(): Promise<void>;
}

/**
 * Starts the server for prompts. `ask` returns the answer, or null to give up. Its signal is aborted when ssh no longer
 * waits. Throws if Node is missing.
 */
export async function openAskpass(
  ask: (prompt: SshPrompt, signal: AbortSignal) => Promise<string | null>,
): Promise<Askpass> {
  const node = await findNode('Answering ssh');
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
      void askUser(text, gone.signal).then((answer) => socket.end(answer === null ? 'n' : `y${answer}`));
    });
  });
  const askUser = async (text: string, signal: AbortSignal): Promise<string | null> => {
    try {
      const { prompt, kind } = messageSchema.parse(JSON.parse(text));
      const secret = kind !== 'confirm' && kind !== 'none' && !/\(yes\/no/i.test(prompt);
      return await ask(
        { prompt: prompt.replace(INVISIBLE_CHARACTERS, ' ').slice(0, LONGEST_PROMPT).trim(), secret },
        signal,
      );
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
      // OpenSSH before 8.4 requires a display.
      DISPLAY: process.env['DISPLAY'] ?? ':0',
    },
    close: async () => {
      for (const socket of open) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
      await rm(folder, { recursive: true, force: true });
    },
  };
}
