/**
 * Parses conditions of studies: `beam.energy_MeV / grid.dx_mm < 400 && solver.variant != "scatter"`. Evaluating a
 * condition only reads values and executes no code.
 */
import { parsePath, valueAt } from './path.ts';

type ExpressionValue = number | string | boolean;

/** Error in a condition, with its position in the text. */
export class ExpressionError extends Error {
  readonly at: number;

  constructor(at: number, message: string) {
    super(message);
    this.at = at;
  }
}

type Evaluate = (document: unknown) => ExpressionValue;

export interface Expression {
  readonly text: string;
  /** Evaluates the condition. Throws an ExpressionError if a path does not exist or a value has the wrong type. */
  readonly evaluate: Evaluate;
}

interface Token {
  readonly kind: 'number' | 'text' | 'name' | 'sign' | 'end';
  readonly text: string;
  readonly at: number;
}

/** Limit on nesting, far beyond conditions written by people. */
const MAX_DEPTH = 64;
export const MAX_EXPRESSION_LENGTH = 1000;

const tokenShape =
  /\s*(?:(?<number>\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)|(?<text>"[^"]*"|'[^']*')|(?<name>[A-Za-z_$][\w$]*(?:\[\d{1,6}\]|\.[A-Za-z_$][\w$]*)*)|(?<sign>&&|\|\||[<>=!]=|[-+*/%<>!(),]))/y;

function tokenize(text: string): readonly Token[] {
  const tokens: Token[] = [];
  tokenShape.lastIndex = 0;
  while (text.slice(tokenShape.lastIndex).trim() !== '') {
    const from = tokenShape.lastIndex;
    const groups = tokenShape.exec(text)?.groups;
    if (groups === undefined) {
      const at = from + (/^\s*/.exec(text.slice(from))?.[0].length ?? 0);
      throw new ExpressionError(at, `${JSON.stringify(text.slice(at, at + 8))} cannot be parsed`);
    }
    const [kind, found] = Object.entries(groups).find(([, value]) => value !== undefined) ?? ['end', ''];
    tokens.push({ kind: kind as Token['kind'], text: found ?? '', at: tokenShape.lastIndex - (found ?? '').length });
  }
  return [...tokens, { kind: 'end', text: 'the end', at: text.length }];
}

function requireNumber(value: ExpressionValue, at: number): number {
  if (typeof value === 'number') return value;
  throw new ExpressionError(at, `${JSON.stringify(value)} is not a number`);
}

function requireBoolean(value: ExpressionValue, at: number): boolean {
  if (typeof value === 'boolean') return value;
  throw new ExpressionError(at, `${JSON.stringify(value)} is neither true nor false`);
}

const arithmetic: Readonly<Record<string, (a: number, b: number) => ExpressionValue>> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => a / b,
  '%': (a, b) => a % b,
  '<': (a, b) => a < b,
  '<=': (a, b) => a <= b,
  '>': (a, b) => a > b,
  '>=': (a, b) => a >= b,
};

const precedence: Readonly<Record<string, number>> = {
  '||': 1,
  '&&': 2,
  '==': 3,
  '!=': 3,
  '<': 4,
  '<=': 4,
  '>': 4,
  '>=': 4,
  '+': 5,
  '-': 5,
  '*': 6,
  '/': 6,
  '%': 6,
};

const functions: Readonly<Record<string, (...values: readonly number[]) => number>> = {
  abs: (x = Number.NaN) => Math.abs(x),
  min: (...all) => Math.min(...all),
  max: (...all) => Math.max(...all),
  sqrt: (x = Number.NaN) => Math.sqrt(x),
  log2: (x = Number.NaN) => Math.log2(x),
  log10: (x = Number.NaN) => Math.log10(x),
  floor: (x = Number.NaN) => Math.floor(x),
  ceil: (x = Number.NaN) => Math.ceil(x),
};

/** List of the allowed elements of a condition, for messages. */
export const allowedInExpressions = `paths, numbers, "text", true, false, ${Object.keys(precedence).join(' ')}, !, parentheses, ${Object.keys(functions).join(', ')}`;

function pathValue(name: string, at: number): Evaluate {
  const path = parsePath(name);
  if (path === null) throw new ExpressionError(at, `${JSON.stringify(name)} is not a path`);
  return (document) => {
    const value = valueAt(document, path);
    if (typeof value === 'number' || typeof value === 'string' || typeof value === 'boolean') return value;
    const says = value === undefined ? 'is not set for this point' : 'is not a single value';
    throw new ExpressionError(at, `${name} ${says}`);
  };
}

class Parser {
  readonly #tokens: readonly Token[];
  #next = 0;
  #depth = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  parseCondition(): Evaluate {
    const parsed = this.#parseBinary(0);
    const { kind, text, at } = this.#peek();
    if (kind !== 'end') throw new ExpressionError(at, `unexpected ${JSON.stringify(text)}`);
    return parsed;
  }

  #peek(): Token {
    return this.#tokens[this.#next] ?? { kind: 'end', text: 'the end', at: 0 };
  }

  #nextToken(): Token {
    const token = this.#peek();
    this.#next += 1;
    return token;
  }

  #skipSign(sign: string): boolean {
    const { kind, text } = this.#peek();
    if (kind !== 'sign' || text !== sign) return false;
    this.#next += 1;
    return true;
  }

  #requireSign(sign: string): void {
    const { at, text } = this.#peek();
    if (!this.#skipSign(sign)) throw new ExpressionError(at, `${JSON.stringify(text)}: expected ${sign}`);
  }

  #parseBinary(least: number): Evaluate {
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH) throw new ExpressionError(this.#peek().at, 'is nested too deeply');
    let left = this.#parseUnary();
    for (;;) {
      const { kind, text, at } = this.#peek();
      const own = kind === 'sign' ? precedence[text] : undefined;
      if (own === undefined || own <= least) break;
      this.#nextToken();
      left = binaryOperation(text, at, left, this.#parseBinary(own));
    }
    this.#depth -= 1;
    return left;
  }

  #parseUnary(): Evaluate {
    const { kind, text, at } = this.#nextToken();
    if (kind === 'number') {
      const value = Number(text);
      return () => value;
    }
    if (kind === 'text') return () => text.slice(1, -1);
    if (kind === 'name') return this.#parseName(text, at);
    if (text === '(' && kind === 'sign') {
      const inner = this.#parseBinary(0);
      this.#requireSign(')');
      return inner;
    }
    if ((text === '-' || text === '!') && kind === 'sign') {
      const inner = this.#parseBinary(precedence['*'] ?? 0);
      if (text === '-') return (document) => -requireNumber(inner(document), at);
      return (document) => !requireBoolean(inner(document), at);
    }
    throw new ExpressionError(at, `${JSON.stringify(text)}: expected a value`);
  }

  #parseName(name: string, at: number): Evaluate {
    if (name === 'true' || name === 'false') return () => name === 'true';
    if (!this.#skipSign('(')) return pathValue(name, at);
    const call = Object.hasOwn(functions, name) ? functions[name] : undefined;
    if (call === undefined) throw new ExpressionError(at, `${name} is not a known function`);
    const given = [this.#parseBinary(0)];
    while (this.#skipSign(',')) given.push(this.#parseBinary(0));
    this.#requireSign(')');
    return (document) => call(...given.map((one) => requireNumber(one(document), at)));
  }
}

function binaryOperation(sign: string, at: number, left: Evaluate, right: Evaluate): Evaluate {
  if (sign === '&&') return (document) => requireBoolean(left(document), at) && requireBoolean(right(document), at);
  if (sign === '||') return (document) => requireBoolean(left(document), at) || requireBoolean(right(document), at);
  if (sign === '==') return (document) => left(document) === right(document);
  if (sign === '!=') return (document) => left(document) !== right(document);
  const compute = arithmetic[sign];
  if (compute === undefined) throw new Error(`${sign} is not a known operator`);
  return (document) => compute(requireNumber(left(document), at), requireNumber(right(document), at));
}

/** Parses a condition. Throws an ExpressionError if it is invalid. */
export function parseExpression(text: string): Expression {
  return { text, evaluate: new Parser(tokenize(text)).parseCondition() };
}

/** Evaluates a condition. Throws an ExpressionError if the result is neither true nor false. */
export function isTrue(expression: Expression, document: unknown): boolean {
  return requireBoolean(expression.evaluate(document), 0);
}
