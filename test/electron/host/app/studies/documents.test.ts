/** Files that the scenarios of a study name, whatever they are. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { besides } from '../../../../../electron/host/app/studies/documents.ts';
import { StudyFolder } from '../../../../../electron/host/model/studies/folder.ts';
import { scratchFolder } from '../../../../scratch-folder.ts';
import { smallScenario } from '../../small-run.ts';

const folder = scratchFolder('study-files');
const named = (file: string) => ({ ...smallScenario, physics: { stopping_power: { file } } });

test('a table that has changed makes other points', async () => {
  const digests: string[] = [];
  for (const text of ['T_MeV,S\n1,2\n', 'T_MeV,S\n1,3\n']) {
    writeFileSync(path.join(folder, 'table.csv'), text);
    digests.push(...(await besides(named('table.csv'), folder)));
  }
  expect(new Set(digests).size).toBe(2);
  expect(await besides(named('none.csv'), folder)).toEqual(['none.csv missing']);
});

test.skipIf(process.platform === 'win32')('a pipe is no table and no plan, and nobody waits for it', async () => {
  execFileSync('mkfifo', [path.join(folder, 'pipe.csv')]);
  expect(await besides(named('pipe.csv'), folder)).toEqual(['pipe.csv missing']);
  const study = path.join(folder, 'study');
  mkdirSync(study);
  execFileSync('mkfifo', [path.join(study, 'plan.json')]);
  await expect(StudyFolder.open(study)).rejects.toThrow('plan.json is a pipe or a device, not a file');
});
