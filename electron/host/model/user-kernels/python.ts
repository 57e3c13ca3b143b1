/** The installed Python: candidates and references of problems run in it. */
import { BraggError, type Issue } from '../../../contract/errors.ts';
import { compilerLimits, runContained } from './contained.ts';

const names = process.platform === 'win32' ? ['python', 'py'] : ['python3', 'python'];

/** Found programs, by PATH: an environment that is activated later has another. */
const found = new Map<string, string>();

/** Path of the first Python with NumPy. Throws BraggError `unsupported`; `need` is the beginning of its message. */
export async function findPython(need: string, signal?: AbortSignal): Promise<string> {
  const key = process.env['PATH'] ?? '';
  const known = found.get(key);
  if (known !== undefined) return known;
  const last: string[] = [];
  for (const program of names) {
    const args = ['-c', 'import sys, numpy; print(sys.executable)'];
    const { failed, output } = await runContained({ title: 'Python', program, args, folder: '.', signal }).catch(
      (error: unknown) => {
        if (error instanceof BraggError && error.code === 'unsupported') return { failed: true, output: error.message };
        throw error;
      },
    );
    const line = output.trim().split('\n').at(-1) ?? '';
    if (!failed) {
      found.set(key, line);
      return line;
    }
    last.push(`${program}: ${line}`);
  }
  throw new BraggError('unsupported', `${need}, which needs a Python with NumPy (${last.join('; ')})`);
}

/** Parses the file, runs nothing of it, and prints one line of JSON where something is wrong. */
const CHECK = `
import ast, json, sys
name, wanted = sys.argv[1], sys.argv[2:]
def wrong(line, column, message):
    print(json.dumps({"line": line, "column": column, "message": message}))
    sys.exit()
try:
    with open(name, "rb") as file:
        tree = ast.parse(file.read(), name)
except (SyntaxError, ValueError) as error:
    wrong(getattr(error, "lineno", None), getattr(error, "offset", None), getattr(error, "msg", str(error)))
made = [one for one in tree.body if isinstance(one, ast.FunctionDef) and one.name == "run"]
if not made:
    wrong(None, None, "has no function run; allowed: def run(" + ", ".join(wanted) + ")")
of = made[-1].args
least = len(of.posonlyargs) + len(of.args) - len(of.defaults)
most = len(of.posonlyargs) + len(of.args)
if least > len(wanted) or (most < len(wanted) and of.vararg is None):
    wrong(made[-1].lineno, None, f"run has {most} parameters; allowed: " + ", ".join(wanted))
`;

interface Checked {
  readonly python: string;
  readonly folder: string;
  /** Name of the file in the folder. */
  readonly id: string;
  readonly parameters: readonly string[];
  readonly signal: AbortSignal | undefined;
}

/** Null if Python can parse the file and its function `run` has the parameters of the problem. */
export async function checkPython({ python, folder, id, parameters, signal }: Checked): Promise<Issue | null> {
  const work = { title: 'Python', program: python, args: ['-c', CHECK, id, ...parameters], folder, signal };
  const { failed, output } = await runContained({ ...work, limits: compilerLimits });
  const text = output.trim();
  const usual = { severity: 'error', file: id, path: '', value: null, allowed: null } as const;
  if (failed) return { ...usual, line: null, column: null, message: `cannot be parsed: ${text.slice(-1000)}` };
  if (text === '') return null;
  const { line, column, message } = JSON.parse(text) as Pick<Issue, 'line' | 'column' | 'message'>;
  return { ...usual, line, column, message };
}
