/**
 * Compiler options of user kernels: one vocabulary for NVRTC, nvcc, GCC, Clang and Visual C++. No flag is passed
 * through verbatim.
 */
import { z } from 'zod';

/** A macro value must need no quotes on a command line. */
const MACRO_VALUE = /^[\w.+-]{0,64}$/;
const MACRO_NAME = /^[A-Za-z_]\w{0,63}$/;
const MOST_MACROS = 50;

export const compileOptionsSchema = z.strictObject({
  /** Approximate functions, denormals to zero, no care for NaN and infinity. */
  fast_math: z.boolean().optional(),
  /** Whether a*b+c becomes one operation with one rounding. */
  fmad: z.boolean().optional(),
  /** 0 to 3; of a GPU's code that of its assembler. */
  optimize: z.number().int().min(0).max(3).optional(),
  /** Places of the source in the machine code, for debuggers and profilers. */
  lineinfo: z.boolean().optional(),
  /** Most registers of a thread; of CUDA alone. */
  registers: z.number().int().min(16).max(255).optional(),
  defines: z
    .record(
      z.string().regex(MACRO_NAME),
      z.union([z.number(), z.string().regex(MACRO_VALUE, 'allowed: letters, digits, _ . + -')]),
    )
    .refine((all) => Object.keys(all).length <= MOST_MACROS, `allowed: ${MOST_MACROS} at most`)
    .optional(),
});
export type CompileOptions = Readonly<z.infer<typeof compileOptionsSchema>>;

/** Compilers that user kernels go through, here or in a folder that is built elsewhere. */
type CompilerStyle = 'cuda' | 'gnu' | 'msvc';

type Flags = (options: CompileOptions) => readonly (string | false | undefined)[];
const chosen = <T>(value: T | undefined, flag: (value: T) => string): string | undefined =>
  value === undefined ? undefined : flag(value);

const flags: Readonly<Record<CompilerStyle, Flags>> = {
  cuda: ({ fast_math, fmad, optimize, lineinfo, registers }) => [
    fast_math === true && '--use_fast_math',
    chosen(fmad, (on) => `--fmad=${on}`),
    chosen(optimize, (level) => `--ptxas-options=-O${level}`),
    lineinfo === true && '--generate-line-info',
    chosen(registers, (most) => `--maxrregcount=${most}`),
  ],
  gnu: ({ fast_math, fmad, optimize, lineinfo }) => [
    fast_math === true && '-ffast-math',
    chosen(fmad, (on) => `-ffp-contract=${on ? 'fast' : 'off'}`),
    chosen(optimize, (level) => `-O${level}`),
    lineinfo === true && '-g1',
  ],
  msvc: ({ fast_math, fmad, optimize, lineinfo }) => [
    fast_math === true && '/fp:fast',
    fmad === true && '/fp:contract',
    chosen(optimize, (level) => ['/Od', '/O1', '/O2', '/O2'][level] ?? '/O2'),
    lineinfo === true && '/Z7',
  ],
};

/** Compiler flags in addition to the built-in ones; of contradicting flags, the last one applies. */
export function flagsFor(style: CompilerStyle, options: CompileOptions): readonly string[] {
  const macro = style === 'msvc' ? '/D' : '-D';
  const defines = Object.entries(options.defines ?? {}).map(([name, value]) =>
    value === '' ? `${macro}${name}` : `${macro}${name}=${value}`,
  );
  return [...flags[style](options).filter((one) => typeof one === 'string'), ...defines];
}

/** `TILE=16 CHECKED` as a field holds them, to what a description holds; a sentence where it is none. */
export function parseDefines(text: string): NonNullable<CompileOptions['defines']> | string {
  const all: Record<string, string | number> = {};
  for (const word of text.split(/\s+/).filter((one) => one !== '')) {
    const [name = '', ...rest] = word.split('=');
    const value = rest.join('=');
    if (!MACRO_NAME.test(name)) return `${JSON.stringify(name)} is no name of a macro; allowed: letters, digits and _`;
    if (!MACRO_VALUE.test(value)) return `${name} is ${JSON.stringify(value)}; allowed: letters, digits, _ . + -`;
    all[name] = value !== '' && String(Number(value)) === value ? Number(value) : value;
  }
  const count = Object.keys(all).length;
  return count > MOST_MACROS ? `${count} macros; allowed: ${MOST_MACROS} at most` : all;
}

export const definesText = (defines: CompileOptions['defines']): string =>
  Object.entries(defines ?? {})
    .map(([name, value]) => (value === '' ? name : `${name}=${value}`))
    .join(' ');

/** `fast math, no fused multiply-add, optimised at most to level 1, TILE=16`; empty where nothing is said. */
export function optionsText({ fast_math, fmad, optimize, lineinfo, registers, defines }: CompileOptions): string {
  const parts = [
    fast_math === true && 'fast math',
    fmad !== undefined && (fmad ? 'fused multiply-add' : 'no fused multiply-add'),
    chosen(optimize, (level) => `optimised at level ${level}`),
    lineinfo === true && 'places of the source',
    chosen(registers, (most) => `at most ${most} registers`),
    definesText(defines),
  ];
  return parts.filter((one) => typeof one === 'string' && one !== '').join(', ');
}
