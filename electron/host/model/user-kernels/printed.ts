/** Output printed by a kernel's process: its beginning, its end, and the amount left out between them. */
import type { Printed } from '../../../contract/user-kernels.ts';

/** Characters of each end: a kernel that prints in every thread and repetition writes gigabytes. */
const KEPT = 32 * 1024;

export class PrintedText {
  #first = '';
  #last = '';
  #left_out = 0;

  add(text: string): void {
    const room = KEPT - this.#first.length;
    this.#first += text.slice(0, room);
    const after = this.#last + text.slice(Math.max(room, 0));
    this.#last = after.slice(-KEPT);
    this.#left_out += after.length - this.#last.length;
  }

  get text(): Printed {
    return { first: this.#first, last: this.#last, left_out: this.#left_out };
  }
}
