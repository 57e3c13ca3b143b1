/** The problem as the engine is given it, as a file that a program outside reads. */
import type { TaskProblem } from '../../io/addon/task.ts';
import { aside } from '../../io/aside/task.ts';

/** Description of a scenario for a reproducer, supplied by its workload. */
export interface ReproducedProblem {
  /** Which of the program's three ways it goes. */
  readonly kind: 'dose' | 'image' | 'task';
  /** As the addon takes it, with the shipped variant that the kernel was made from. */
  readonly problem: unknown;
  /** Request to the program of an expected answer; absent if there is no such program. */
  readonly answered?: TaskProblem;
  /** Reference variant and error limit; null if the task has its own. */
  readonly held: { readonly reference: string; readonly limit: number } | null;
}

interface ProblemFile extends ReproducedProblem {
  readonly title: string;
  readonly kernel: { readonly workload: string; readonly name: string };
}

/** A map or a list of reflections has millions of numbers: it is made on a thread. */
export const problemBytes = aside(
  'write a problem',
  ({ kind, problem, held, title, kernel }: ProblemFile): Uint8Array => {
    const plain = (_key: string, value: unknown): unknown =>
      ArrayBuffer.isView(value) ? Array.from(value as Float64Array) : value;
    const file = { title, kind, kernel, ...(held ?? {}), problem };
    return new Uint8Array(Buffer.from(`${JSON.stringify(file, plain)}\n`));
  },
);
