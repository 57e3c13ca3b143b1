/** The workbench that serves on the other machine: started once, found again by each later connection. */
import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { BraggError } from '../../../contract/errors.ts';
import { quoted } from '../studies/slurm/script.ts';
import { plainLine } from './plain-text.ts';
import type { Ssh } from './ssh.ts';

/** File that the remote server writes once it serves, into a folder that only the user can read. */
export const servingSchema = z.strictObject({
  port: z.number().int().min(1).max(65_535),
  token: z.string().regex(/^[\w-]{20,64}$/),
});
export type Serving = Readonly<z.infer<typeof servingSchema>>;

export const SERVING_FILE = 'serving.json';
export const TOKEN_FILE = 'token';

/** A restarted server takes the same token, so that the page's address stays. */
export const newSessionToken = (): string => randomBytes(24).toString('base64url');

/** Loading a cold program from a network file system takes tens of seconds. */
const START_PATIENCE_S = 90;

/** In one line, as every script here. */
function startScript(folder: string, host: string): string {
  const wait = [
    'i=$((i+1))',
    `if [ $i -gt ${5 * START_PATIENCE_S} ]; then kill $p; echo "it did not serve within ${START_PATIENCE_S} s" >&2; exit 1; fi`,
    'kill -0 $p 2>/dev/null || { tail -n 3 "$s/log" >&2; exit 1; }',
    'sleep 0.2',
  ].join('; ');
  const start = [
    'rm -f "$f"',
    `cat >"$s/${TOKEN_FILE}"`,
    `{ setsid ./braggbench serve --session "$s" --as ${quoted(host)} >"$s/log" 2>&1 </dev/null 9>&- & }`,
    'p=$!',
    'echo $p >"$s/pid"',
    'i=0',
    `until [ -s "$f" ]; do ${wait}; done`,
  ].join('; ');
  return [
    `cd ${quoted(folder)} || exit`,
    'umask 077',
    's=$PWD/session.$(uname -n)',
    'mkdir -p "$s" || exit',
    // One connection at a time starts it.
    'exec 9>"$s/lock"',
    'flock 9 2>/dev/null',
    `f="$s/${SERVING_FILE}"`,
    'p=$(cat "$s/pid" 2>/dev/null)',
    // After a restart of the machine another process may have its number.
    'serves() { [ -s "$f" ] && [ -n "$p" ] && tr "\\0" " " <"/proc/$p/cmdline" 2>/dev/null | grep -q -- "serve --session"; }',
    `if serves; then cat >/dev/null; else ${start}; fi`,
    'cat "$f"',
  ].join('; ');
}

/** Starts the workbench in this program's folder there, or finds the one that serves. Throws a BraggError of one sentence. */
export async function startSession(ssh: Ssh, folder: string, token: string): Promise<Serving> {
  const output = await ssh.run(startScript(folder, ssh.host), { input: token });
  try {
    return servingSchema.parse(JSON.parse(output));
  } catch (error) {
    const says = plainLine(output);
    throw new BraggError(
      'unsupported',
      `${ssh.host}: the workbench there gave no address: ${says || 'no answer'}.`,
      [],
      {
        cause: error,
      },
    );
  }
}
