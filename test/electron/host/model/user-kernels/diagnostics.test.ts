/** Real compiler messages, mapped to the lines of the user's file. */
import { expect, test } from 'vitest';
import { diagnosticsOf } from '../../../../../electron/host/model/user-kernels/diagnostics.ts';

const shown = (output: string, name: string) =>
  diagnosticsOf(output, name, ['/x/kernels']).map(
    ({ severity, line, column, message }) => `${severity} ${line}:${column} ${message}`,
  );

test('GCC: errors and warnings of the file, and an error in our header at the line that led there', () => {
  const output = `my.cpp: In member function 'int Gather<T>::advance()':
my.cpp:64:16: error: 'undefined_thing' was not declared in this scope
my.cpp:70:9: warning: unused variable 'n' [-Wunused-variable]
my.cpp:71:3: note: suggested alternative: 'm'
In file included from /x/kernels/source/transport/gather_ops.hpp:5,
                 from my.cpp:12:
/x/kernels/source/transport/dense_state.hpp: In instantiation of 'class DenseState<std::string>':
my.cpp:33:20:   required from here
/x/kernels/source/transport/dense_state.hpp:40:12: error: static assertion failed: numbers only
my.cpp:90: fatal error: nowhere.hpp: No such file or directory
`;
  expect(shown(output, 'my.cpp')).toEqual([
    "error 64:16 'undefined_thing' was not declared in this scope",
    "warning 70:9 unused variable 'n' [-Wunused-variable]",
    'error 33:20 static assertion failed: numbers only (in dense_state.hpp, line 40)',
    'error 90:null nowhere.hpp: No such file or directory',
  ]);
});

test("NVRTC: columns from its carets, a template's error once, no remarks", () => {
  const output = `mine.cu(17): error: identifier "undefined_thing" is undefined
    const int zz = undefined_thing + 1;
                   ^

mine.cu(16): warning #177-D: variable "unused" was declared but never referenced
    const int z = blockIdx.y; int unused = 5;
                                  ^

Remark: The warnings can be suppressed with "-diag-suppress <warning-number>"

mine.cu(29): error: class "bb::transport::DeviceStep<float>" has no member "fromm"
      const T* p = s.fromm + field_offset(s, e, a0) + i;
                     ^
          detected during instantiation of "void bb::transport::gather_score(…) [with T=float]" at line 215

mine.cu(29): error: class "bb::transport::DeviceStep<double>" has no member "fromm"
      const T* p = s.fromm + field_offset(s, e, a0) + i;
                     ^

7 errors detected in the compilation of "cuda_gather.cu".`;
  expect(shown(output, 'mine.cu')).toEqual([
    'error 17:18 identifier "undefined_thing" is undefined',
    'warning 16:33 variable "unused" was declared but never referenced',
    'error 29:20 class "bb::transport::DeviceStep<float>" has no member "fromm"',
  ]);
});

test('MSVC and linkers', () => {
  expect(shown("my.cpp(12,5): error C2065: 'foo': undeclared identifier\r\n", 'my.cpp')).toEqual([
    "error 12:5 'foo': undeclared identifier",
  ]);
  const linker =
    "/usr/bin/ld: kernel.o: in function `f':\nmy.cpp:(.text+0x12): undefined reference to `bb::helper(int)'\n";
  expect(shown(linker, 'my.cpp')).toEqual(['error null:null bb::helper(int) is used but defined nowhere']);
});

test('messages about files outside the kernel, the shipped sources and the system quote nothing of them', () => {
  const output = [
    "/home/me/key.txt:1:1: error: 'secret' does not name a type",
    '/usr/lib/../../home/me/key.txt:2:1: error: secret',
    "/app/kernels/index.hpp:3:1: error: 'Index' was not declared",
  ].join('\n');
  const all = diagnosticsOf(output, 'my.cpp', ['/app/kernels']);
  expect(JSON.stringify(all)).not.toContain('secret');
  expect(all.map(({ message }) => message).join('\n')).toContain("'Index' was not declared (in index.hpp, line 3)");
});
