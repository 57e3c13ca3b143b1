/** The table of what compute-sanitizer says of a kernel without its check. */
import path from 'node:path';
import { type KeptSanitized, readSanitized } from '../bench/sanitized.ts';
import { root } from './documents.ts';
import { code, table } from './text.ts';

const COMMAND = code('npm run bench -- sanitized --keep');

function says({ errors, findings }: KeptSanitized['runs'][number]): string {
  if (errors === 0) return 'nothing';
  return findings.map(({ what, file, line }) => `${what}${file === null ? '' : `, ${file}:${line ?? '?'}`}`).join('; ');
}

export function sanitizedTable(kept: KeptSanitized | null): string {
  if (kept === null) return `Not recorded yet. ${COMMAND} does it, where there is a GPU and the CUDA toolkit.`;
  const rows = kept.runs.map((run) => [code(run.variant), run.tool, String(run.errors), says(run)]);
  const first = kept.runs.flatMap(({ findings }) => findings)[0]?.more ?? '';
  return [
    table(['Variant', 'Tool', '>Errors', 'What it says'], rows),
    '',
    `${kept.gpu}, ${kept.created.slice(0, 10)}, commit ${code(kept.commit?.slice(0, 10) ?? 'unknown')}, by ${COMMAND}.${
      first === '' ? '' : ` The first of them: ${first}.`
    }`,
  ].join('\n');
}

export const sanitized = (): string => sanitizedTable(readSanitized(path.resolve(root)));
