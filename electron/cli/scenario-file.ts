/** Operands that name a scenario, and what --set changes in it. */
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { scenarioKindNames } from '../contract/scenario/index.ts';
import { problemFileIn } from '../host/model/user-kernels/problem-folder.ts';
import { type Override, parseOverride } from '../host/workloads/scenarios/index.ts';
import { type ParsedArguments, UsageError } from './arguments.ts';
import { assetsFolder } from './assets-folder.ts';

/** Shipped scenarios are in a folder of their kind; those of the first kind are at the top level. */
const shippedFolders = ['', ...scenarioKindNames];

/** A file as given, or a scenario that comes with the program by its name. */
export function scenarioPath(operand: string): string {
  if (existsSync(operand)) return (statSync(operand).isDirectory() && problemFileIn(operand)) || operand;
  if (!/^[\w.-]+$/.test(operand)) return operand;
  const name = `${operand.replace(/\.json$/, '')}.json`;
  const shipped = shippedFolders.map((folder) => join(assetsFolder(), 'scenarios', folder, name));
  return shipped.find((file) => existsSync(file)) ?? operand;
}

/** The overrides that --set gives, in order. Throws a UsageError. */
export function overridesOf({ flags }: ParsedArguments): readonly Override[] {
  return (flags.get('set') ?? []).map((text) => {
    const override = parseOverride(text);
    if (typeof override === 'string') throw new UsageError(`--set: ${override}`);
    return override;
  });
}
