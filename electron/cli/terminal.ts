/** Where output goes and how it may look. Results go to standard output, everything else to standard error. */
import { styleText } from 'node:util';

type Style = Parameters<typeof styleText>[0];

/** The parts of a writable stream that output needs. */
export interface OutputStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

export class Terminal {
  private readonly stdout: OutputStream;
  private readonly stderr: OutputStream;
  private readonly environment: NodeJS.ProcessEnv;

  constructor(stdout: OutputStream, stderr: OutputStream, environment: NodeJS.ProcessEnv) {
    this.stdout = stdout;
    this.stderr = stderr;
    this.environment = environment;
  }

  /** A line of the result. */
  print(line = ''): void {
    this.stdout.write(`${line}\n`);
  }

  /** The result as one JSON document. Numbers that JSON lacks become null. */
  printJson(value: unknown): void {
    this.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
  }

  /** A line beside the result: notes, warnings, errors. */
  say(line = ''): void {
    this.stderr.write(`${line}\n`);
  }

  /** Standard error, for what redraws itself. */
  get live(): OutputStream {
    return this.stderr;
  }

  /** Whether someone watches standard error as it is written. */
  get isLive(): boolean {
    return this.stderr.isTTY === true && this.environment['TERM'] !== 'dumb';
  }

  /** Columns of standard output; null where it is no terminal. */
  get width(): number | null {
    return this.stdout.isTTY === true ? this.stdout.columns || null : null;
  }

  /** Styles text for standard output, where that shows styles. */
  style(style: Style, text: string): string {
    return this.styled(this.stdout, style, text);
  }

  /** Styles text for standard error. */
  styleSaid(style: Style, text: string): string {
    return this.styled(this.stderr, style, text);
  }

  /** https://no-color.org: set and not empty means no colour. FORCE_COLOR overrules a missing terminal. */
  private styled(stream: OutputStream, style: Style, text: string): string {
    const { NO_COLOR, FORCE_COLOR, TERM } = this.environment;
    const refused = NO_COLOR !== undefined && NO_COLOR !== '';
    const forced = FORCE_COLOR !== undefined && FORCE_COLOR !== '' && FORCE_COLOR !== '0';
    const wanted = forced || (stream.isTTY === true && TERM !== 'dumb' && FORCE_COLOR !== '0');
    return wanted && !refused ? styleText(style, text, { validateStream: false }) : text;
  }
}
