/**
 * A host in a separate process, as a second server on the same files. Reads calls as lines of JSON `[method, params]`,
 * executes them in order, and answers each with a line: `{ "ok": … }` or `{ "code": …, "message": … }`.
 */
import { createInterface } from 'node:readline';
import type { MethodName, Params } from '../../../../../electron/contract/wire/methods.ts';
import { openHost } from '../../../../../electron/host/index.ts';
import { assetsFolder, memoryLimit_bytes } from '../../small-run.ts';

const [dataFolder = ''] = process.argv.slice(2);
const host = await openHost({
  assetsFolder,
  dataFolder,
  shell: { kind: 'browser', dialogs: false, window: false, menus: false },
  memoryLimit_bytes,
});
const answer = (line: unknown): void => void process.stdout.write(`${JSON.stringify(line)}\n`);
answer({ ok: 'ready' });
for await (const line of createInterface({ input: process.stdin })) {
  const [method, params] = JSON.parse(line) as [MethodName | 'grant', unknown];
  try {
    answer({
      ok: method === 'grant' ? host.grant(String(params)) : await host.call(method, params as Params<MethodName>),
    });
  } catch (error) {
    answer({ code: Reflect.get(error as object, 'code') ?? null, message: String(error) });
  }
}
await host.close();
