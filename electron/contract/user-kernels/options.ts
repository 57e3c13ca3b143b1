/**
 * Compiler options of user kernels, named in the same way for NVRTC, nvcc, GCC, Clang and Visual C++. Users cannot pass
 * arbitrary flags.
 */
import { z } from 'zod';

/** Allowed values of a macro, which need no quoting on a command line. */
const MACRO_VALUE = /^[\w.+-]{0,64}$/;
const MACRO_NAME = /^[A-Za-z_]\w{0,63}$/;
const MAX_MACROS = 50;

export const compileOptionsSchema = z.strictObject({
  /** Allows approximate functions, flushes denormals to zero, and ignores NaN and infinity. */
  fast_math: z.boolean().optional(),
  /** Whether a*b+c may become one operation with one rounding. */
  fmad: z.boolean().optional(),
  /** Optimisation level, 0 to 3; for GPU code, that of the assembler. */
  optimize: z.number().int().min(0).max(3).optional(),
  /** Whether to include source line numbers in the machine code, for debuggers and profilers. */
  lineinfo: z.boolean().optional(),
  /** Maximum registers per thread, CUDA only. */
  registers: z.number().int().min(16).max(255).optional(),
  defines: z
    .record(
      z.string().regex(MACRO_NAME),
      z.union([z.number(), z.string().regex(MACRO_VALUE, 'allowed: letters, digits, _ . + -')]),
    )
    .refine((all) => Object.keys(all).length <= MAX_MACROS, `allowed: at most ${MAX_MACROS}`)
    .optional(),
});
export type CompileOptions = Readonly<z.infer<typeof compileOptionsSchema>>;

/** Families of compilers that accept the same flags. */
type CompilerStyle = 'cuda' | 'gnu' | 'msvc';

type Flags = (options: CompileOptions) => readonly (string | false | undefined)[];
const flagIfSet = <T>(value: T | undefined, flag: (value: T) => string): string | undefined =>
  value === undefined ? undefined : flag(value);

const flags: Readonly<Record<CompilerStyle, Flags>> = {
  cuda: ({ fast_math, fmad, optimize, lineinfo, registers }) => [
    fast_math === true && '--use_fast_math',
    flagIfSet(fmad, (on) => `--fmad=${on}`),
    flagIfSet(optimize, (level) => `--ptxas-options=-O${level}`),
    lineinfo === true && '--generate-line-info',
    flagIfSet(registers, (most) => `--maxrregcount=${most}`),
  ],
  gnu: ({ fast_math, fmad, optimize, lineinfo }) => [
    fast_math === true && '-ffast-math',
    flagIfSet(fmad, (on) => `-ffp-contract=${on ? 'fast' : 'off'}`),
    flagIfSet(optimize, (level) => `-O${level}`),
    lineinfo === true && '-g1',
  ],
  msvc: ({ fast_math, fmad, optimize, lineinfo }) => [
    fast_math === true && '/fp:fast',
    fmad === true && '/fp:contract',
    flagIfSet(optimize, (level) => ['/Od', '/O1', '/O2', '/O2'][level] ?? '/O2'),
    lineinfo === true && '/Z7',
  ],
};

/**
 * Compiler flags for the options. They follow the built-in flags, because compilers use the last of contradicting
 * flags.
 */
export function flagsFor(style: CompilerStyle, options: CompileOptions): readonly string[] {
  const macro = style === 'msvc' ? '/D' : '-D';
  const defines = Object.entries(options.defines ?? {}).map(([name, value]) =>
    value === '' ? `${macro}${name}` : `${macro}${name}=${value}`,
  );
  return [...flags[style](options).filter((one) => typeof one === 'string'), ...defines];
}

/** Parses macro definitions such as `TILE=16 CHECKED`. For invalid text, returns an error sentence. */
export function parseDefines(text: string): NonNullable<CompileOptions['defines']> | string {
  const all: Record<string, string | number> = {};
  for (const word of text.split(/\s+/).filter((one) => one !== '')) {
    const [name = '', ...rest] = word.split('=');
    const value = rest.join('=');
    if (!MACRO_NAME.test(name))
      return `${JSON.stringify(name)} is not a valid macro name; allowed: letters, digits and _`;
    if (!MACRO_VALUE.test(value)) return `${name} is ${JSON.stringify(value)}; allowed: letters, digits, _ . + -`;
    all[name] = value !== '' && String(Number(value)) === value ? Number(value) : value;
  }
  const count = Object.keys(all).length;
  return count > MAX_MACROS ? `${count} macros; allowed: at most ${MAX_MACROS}` : all;
}

export const definesText = (defines: CompileOptions['defines']): string =>
  Object.entries(defines ?? {})
    .map(([name, value]) => (value === '' ? name : `${name}=${value}`))
    .join(' ');

/**
 * Formats the options: `fast math, no fused multiply-add, optimised at most to level 1, TILE=16`. Empty for the
 * defaults.
 */
export function optionsText({ fast_math, fmad, optimize, lineinfo, registers, defines }: CompileOptions): string {
  const parts = [
    fast_math === true && 'fast math',
    fmad !== undefined && (fmad ? 'fused multiply-add' : 'no fused multiply-add'),
    flagIfSet(optimize, (level) => `optimised at level ${level}`),
    lineinfo === true && 'source line information',
    flagIfSet(registers, (most) => `at most ${most} registers`),
    definesText(defines),
  ];
  return parts.filter((one) => typeof one === 'string' && one !== '').join(', ');
}
