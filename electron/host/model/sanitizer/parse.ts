/** Reads what compute-sanitizer prints: its own lines begin with `=========`, the program's do not. */
import type { Finding } from '../../../contract/user-kernels/sanitizer.ts';

const OWN = /^========= ?(.*)$/;
const SUMMARY = /^(?:ERROR|RACECHECK) SUMMARY: (\d+) (?:errors?|hazards?)/;
/** `at my_kernel(float *)+0x90 in /place/my.cu:18`, and of older ones `at 0x90 in /place/my.cu:18:my_kernel(float*)`. */
const PLACE = /\bat (.+?)(?:\+0x[0-9a-f]+)? in ([^\s:][^:]*?):(\d+)(?::(.+))?$/;
/** Without places of the source: `at my_kernel+0x90`. */
const KERNEL = /\bat (.+?)\+0x[0-9a-f]+(?: in (?!.*:\d+).*)?$/;
/** What begins a finding. Hints and backtraces follow, further in. */
const HEAD =
  /^(?:Invalid |Uninitialized |Error: |Warning: |Barrier error|Misaligned |Race |Leaked |Program hit |Potential |Unused )/;

/** Backtraces are of the program's host code, and long. */
const SKIPPED = /^\s*(?:Saved host backtrace|Host Frame|\[0x|$)/;

interface Parsed {
  readonly findings: readonly Finding[];
  readonly errors: number | null;
}

const sameFinding = (a: Finding, b: Finding): boolean =>
  a.what === b.what && a.kernel === b.kernel && a.file === b.file && a.line === b.line;

/** A kernel's name without its parameters. */
const nameOf = (text: string): string | null => {
  const name = text.replace(/\(.*$/, '').trim();
  return name === '' || /^0x[0-9a-f]+$/.test(name) ? null : name;
};

function findingOf(lines: readonly string[]): Finding {
  const [what = '', ...rest] = lines;
  // The head of a race itself says where.
  const told = lines.map((line) => PLACE.exec(line.trim())).find((match) => match !== null);
  const [, before = '', file = null, line = null, after] = told ?? [];
  const plain = lines.map((one) => KERNEL.exec(one.trim())?.[1]).find((one) => one !== undefined);
  const more = rest.filter((one) => !PLACE.test(one.trim()) && !KERNEL.test(one.trim())).map((one) => one.trim());
  return {
    what: what.trim(),
    kernel: nameOf(after ?? before) ?? nameOf(plain ?? ''),
    file,
    line: line === null ? null : Number(line),
    more: more.join('; '),
    times: 1,
  };
}

export function parseSanitizer(output: string): Parsed {
  const blocks: string[][] = [];
  let errors: number | null = null;
  let open: string[] | null = null;
  for (const text of output.split(/\r?\n/)) {
    const own = OWN.exec(text)?.[1];
    if (own === undefined) continue;
    const summary = SUMMARY.exec(own);
    if (summary !== null) {
      errors = (errors ?? 0) + Number(summary[1]);
      open = null;
    } else if (HEAD.test(own)) {
      open = [own];
      blocks.push(open);
    } else if (open !== null && /^\s+\S/.test(own) && !SKIPPED.test(own)) open.push(own);
    else if (/^\s*(?:Saved host backtrace|$)/.test(own)) open = null;
  }
  const findings: Finding[] = [];
  for (const finding of blocks.map(findingOf)) {
    const at = findings.findIndex((one) => sameFinding(one, finding));
    const known = findings[at];
    if (known === undefined) findings.push(finding);
    else findings[at] = { ...known, times: known.times + 1 };
  }
  return { findings, errors };
}
