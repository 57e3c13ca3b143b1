/** The range of time that is selected, and what it holds. */
import type { TimelineBlocks } from './blocks.ts';
import type { TimelineContext } from './context.ts';

export class TimeSelection {
  readonly #context: TimelineContext;
  readonly #blocks: TimelineBlocks;
  #number = 0;

  constructor(context: TimelineContext, blocks: TimelineBlocks) {
    this.#context = context;
    this.#blocks = blocks;
  }

  /** What is on its way is for nobody. */
  clear(): void {
    this.#number += 1;
    this.#context.state.setState({ selected: null });
  }

  /** On the common axis. */
  async count(from: number, to: number): Promise<void> {
    const { state, workbench } = this.#context;
    const number = ++this.#number;
    state.setState({ selected: { from, to, parts: [] }, tab: 'selection' });
    const parts = await Promise.all(
      this.#blocks.all.map(async ({ info }) => {
        const origin = this.#blocks.origin(info.id);
        const asked = { trace: info.id, from_ns: from + origin, to_ns: to + origin, tracks: null, name: null };
        return {
          trace: info.id,
          title: info.about === '' ? info.name : `${info.name}: ${info.about}`,
          statistics: await workbench.client.call('timeline.statistics', asked),
        };
      }),
    ).catch((error: unknown) => this.#context.fail('The selection could not be counted', error));
    if (parts !== null && number === this.#number) state.setState({ selected: { from, to, parts } });
  }
}
