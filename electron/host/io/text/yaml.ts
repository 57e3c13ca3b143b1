/**
 * YAML with positions: the plain subset that scenarios need. Anchors, tags and
 * further documents are refused, because nothing here needs them and they are
 * how a small file becomes a large one.
 */
import {
  Composer,
  type CST,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  type ParsedNode,
  Parser,
} from 'yaml';
import {
  deepestNesting,
  type ParsedText,
  type SourceEntry,
  type SourceNode,
  type TextFault,
  tooDeep,
} from './source.ts';

/** The parser keeps up to three entries on its stack for one level of nesting. */
const deepestStack = 3 * deepestNesting + 8;

class YamlFault extends Error {
  readonly at: number;

  constructor(at: number, message: string) {
    super(message);
    this.at = at;
  }
}

/** The concrete syntax, stopped at too deep nesting before anything recursive sees it. */
function tokens(text: string): CST.Token[] {
  const parser = new Parser();
  const all: CST.Token[] = [];
  for (const lexeme of new Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) all.push(token);
    if (parser.stack.length > deepestStack) throw new YamlFault(parser.offset, tooDeep);
  }
  for (const token of parser.end()) all.push(token);
  return all;
}

/** One line of what may be several; the library draws the place below it otherwise. */
function firstLine(message: string): string {
  const line = message.split('\n')[0] ?? '';
  return line.length > 200 ? `${line.slice(0, 199)}…` : line;
}

function ownFaults(document: Document.Parsed): TextFault[] {
  const found = [...document.errors, ...document.warnings.filter(({ code }) => code !== 'TAG_RESOLVE_FAILED')];
  const faults = found.map(({ pos, message }) => ({ at: pos[0], message: firstLine(message) }));
  const version = document.directives.yaml;
  if (version.explicit && version.version !== '1.2') {
    faults.push({ at: 0, message: `YAML ${version.version} reads on, off and numbers differently; allowed: YAML 1.2` });
  }
  return faults;
}

function convert(node: ParsedNode | null, at: number, depth: number, faults: TextFault[]): SourceNode {
  if (node === null) return { kind: 'scalar', at, value: null };
  const here = node.range[0];
  if (depth > deepestNesting) throw new YamlFault(here, tooDeep);
  if (isAlias(node)) {
    faults.push({ at: here, message: 'aliases (*name) are not read here; write the value out' });
    return { kind: 'scalar', at: here, value: null };
  }
  if (node.anchor !== undefined) faults.push({ at: here, message: 'anchors (&name) are not read here' });
  if (node.tag !== undefined) {
    faults.push({ at: here, message: 'tags (!name) are not read here' });
    return { kind: 'scalar', at: here, value: null };
  }
  if (isSeq<ParsedNode>(node)) {
    return { kind: 'list', at: here, items: node.items.map((item) => convert(item, here, depth + 1, faults)) };
  }
  if (isMap<ParsedNode, ParsedNode | null>(node)) {
    const entries = node.items.map((pair) => entry(pair.key, pair.value, depth, faults));
    return { kind: 'map', at: here, entries };
  }
  return { kind: 'scalar', at: here, value: scalarValue(node, here, faults) };
}

function entry(key: ParsedNode, value: ParsedNode | null, depth: number, faults: TextFault[]): SourceEntry {
  const keyAt = key.range[0];
  if (!isScalar(key) || key.anchor !== undefined || key.tag !== undefined) {
    faults.push({ at: keyAt, message: 'a key has to be a plain word' });
    return { key: '?', keyAt, value: { kind: 'scalar', at: keyAt, value: null } };
  }
  return { key: String(key.value), keyAt, value: convert(value, keyAt, depth + 1, faults) };
}

function scalarValue(node: ParsedNode, at: number, faults: TextFault[]): string | number | boolean | null {
  const value: unknown = isScalar(node) ? node.value : undefined;
  if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') {
    return value;
  }
  faults.push({ at, message: 'this value is neither text, number, true, false nor null' });
  return null;
}

export function parseYaml(text: string): ParsedText {
  try {
    const composer = new Composer({
      uniqueKeys: false,
      prettyErrors: false,
      logLevel: 'silent',
      schema: 'core',
      version: '1.2',
    });
    const documents = [...composer.compose(tokens(text), true, text.length)];
    const document = documents[0];
    if (document === undefined || document.contents === null) {
      return {
        root: null,
        faults: [...(document ? ownFaults(document) : []), { at: 0, message: 'the file is empty' }],
      };
    }
    const faults = ownFaults(document);
    const second = documents[1];
    if (second) faults.push({ at: second.range[0], message: 'a second document begins here; allowed: one' });
    if (document.errors.length > 0) return { root: null, faults };
    return { root: convert(document.contents, 0, 0, faults), faults };
  } catch (error) {
    if (!(error instanceof YamlFault)) throw error;
    return { root: null, faults: [{ at: error.at, message: error.message }] };
  }
}
