/** A host for all tests of a file, closed behind them, and a page that asks it. */
import { afterAll } from 'vitest';
import type { Client } from '../../../renderer/client/index.ts';
import { openTestHost, type TestHost } from './test-host.ts';

export async function hostOfFile(): Promise<Readonly<{ test_: TestHost; page: Client }>> {
  const test_ = await openTestHost();
  afterAll(() => test_.close());
  return { test_, page: await test_.page() };
}
