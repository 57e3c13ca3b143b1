/** Tokens of C++ and CUDA for syntax colours: enough for reading, not a parser. No React. */

type TokenKind = 'plain' | 'comment' | 'string' | 'number' | 'keyword' | 'type' | 'cuda' | 'directive' | 'call';

export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
}

const keywords = new Set(
  `alignas alignof auto break case catch class concept const consteval constexpr const_cast continue decltype default
   delete do dynamic_cast else enum explicit export extern false final for friend if inline mutable namespace new
   noexcept nullptr operator override private protected public reinterpret_cast requires return sizeof static
   static_assert static_cast struct switch template this throw true try typedef typename union using virtual volatile
   while`.split(/\s+/),
);

const types = new Set(
  `bool char double float int long short signed unsigned void size_t ptrdiff_t int8_t int16_t int32_t int64_t uint8_t
   uint16_t uint32_t uint64_t float2 float4 double2 int2 int4 uint2 uint4 dim3 std string span vector array`.split(
    /\s+/,
  ),
);

const cuda =
  /^(__\w+__|__\w+_sync|__(sync|thread)\w*|threadIdx|blockIdx|blockDim|gridDim|warpSize|atomic[A-Z]\w*|BB_\w+|__ldg|__launch_bounds__)$/;

const pattern =
  /(\/\/.*)|(\/\*[\s\S]*?(?:\*\/|$))|("(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?)|(\b(?:0[xX][\da-fA-F']+|\d[\d']*(?:\.[\d']*)?(?:[eE][+-]?\d+)?|\.\d+)[a-zA-Z]*)|([A-Za-z_]\w*)/g;

/** `within`: the line begins inside a block comment that an earlier line opened. */
export function tokensOf(
  line: string,
  within: boolean,
): { readonly tokens: readonly Token[]; readonly within: boolean } {
  if (within) {
    const end = line.indexOf('*/');
    if (end < 0) return { tokens: line === '' ? [] : [{ kind: 'comment', text: line }], within: true };
    const rest = tokensOf(line.slice(end + 2), false);
    return { tokens: [{ kind: 'comment', text: line.slice(0, end + 2) }, ...rest.tokens], within: rest.within };
  }
  const directive = /^\s*#\s*\w+/.exec(line)?.[0] ?? '';
  const tokens: Token[] = directive === '' ? [] : [{ kind: 'directive', text: directive }];
  let last = directive.length;
  let open = false;
  const push = (kind: TokenKind, text: string): void => {
    const before = tokens.at(-1);
    if (kind === 'plain' && before?.kind === 'plain') tokens[tokens.length - 1] = { kind, text: before.text + text };
    else tokens.push({ kind, text });
  };
  const plain = (to: number): void => {
    if (to > last) push('plain', line.slice(last, to));
  };
  pattern.lastIndex = last;
  for (let match = pattern.exec(line); match !== null; match = pattern.exec(line)) {
    const [text, lineComment, blockComment, string, number, word] = match;
    plain(match.index);
    last = match.index + text.length;
    if (lineComment !== undefined) tokens.push({ kind: 'comment', text });
    else if (blockComment !== undefined) {
      tokens.push({ kind: 'comment', text });
      open = !text.endsWith('*/') || text.length < 4;
    } else if (string !== undefined) tokens.push({ kind: 'string', text });
    else if (number !== undefined) tokens.push({ kind: 'number', text });
    else push(kindOfWord(word ?? '', line.slice(last)), text);
  }
  plain(line.length);
  return { tokens, within: open };
}

function kindOfWord(word: string, after: string): TokenKind {
  if (keywords.has(word)) return 'keyword';
  if (types.has(word)) return 'type';
  if (cuda.test(word)) return 'cuda';
  return /^\s*(<[^<>;]*>)?\(/.test(after) ? 'call' : 'plain';
}

/** The tokens of every line of a file. */
export function tokenizeLines(lines: readonly string[]): readonly (readonly Token[])[] {
  let within = false;
  return lines.map((line) => {
    const one = tokensOf(line, within);
    within = one.within;
    return one.tokens;
  });
}
