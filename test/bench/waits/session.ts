/** Measures Live without a page: the host's answers to a client that requests one with every frame of a screen. */
import type { MapRequest } from '../../../electron/contract/run.ts';
import type { WhatIfAnswer } from '../../../electron/contract/scenario/transport/what-if.ts';
import { openTestHost } from '../../electron/host/test-host.ts';
import { liveProcessorTime_s, median, milliseconds, type Row, rowWithLowerLimit, rowWithUpperLimit } from './row.ts';

const WARM_UP_MS = 2000;
const MEASURED_MS = 5000;
const FRAME_MS = 16;
const session = 'bench-of-live';

const doseMap: MapRequest = {
  quantity: 'dose',
  horizontal: 'z',
  vertical: 'x',
  viewport: { horizontal: null, vertical: null, pixels: [600, 300] },
};

/** Each answer has readouts, curves and a map of the dose, as a page draws them. */
export async function sessionRows(gpu: boolean, base: object): Promise<readonly Row[]> {
  const host = await openTestHost();
  try {
    const page = await host.page();
    const answers: WhatIfAnswer[] = [];
    let ended: unknown = null;
    const handle = page.stream(
      'whatIf',
      { session },
      {
        frame: (frame) => {
          if (frame.state === 'answer') answers.push(frame);
        },
        end: (error) => {
          ended = error;
        },
      },
    );
    const begun = performance.now();
    let before = process.cpuUsage();
    let [sequence, warm] = [0, 0];
    while (performance.now() - begun < WARM_UP_MS + MEASURED_MS && ended === null) {
      sequence += 1;
      const scenario = { ...base, beam: { energy_MeV: 60 + (sequence % 200) / 10 } };
      await page.call('whatIf.ask', { session, sequence, scenario, name: 'Live', full: false, maps: [doseMap] });
      await new Promise((resolve) => setTimeout(resolve, FRAME_MS));
      if (performance.now() - begun >= WARM_UP_MS) continue;
      warm = answers.length;
      before = process.cpuUsage();
    }
    const passed_s = (performance.now() - begun - WARM_UP_MS) / 1000;
    const { user, system } = process.cpuUsage(before);
    handle.close();
    if (ended !== null) throw ended;
    const counted = answers.slice(warm);
    const way = counted.at(-1)?.way;
    const cells = way === undefined ? '' : `, ${way.variant}, cells ${way.coarser.z.toPrecision(3)}× as deep`;
    const text = (value: number): string => `${value.toPrecision(3)} answers/s`;
    return [
      rowWithLowerLimit(
        { what: `Live without a page, water-70MeV, requested with every frame${cells}`, limit: gpu ? 30 : 5, text },
        counted.length / passed_s,
        1000 / median(counted.map(({ solve_ms }) => solve_ms)),
      ),
      rowWithUpperLimit(
        { what: 'processor time of all cores for such an answer', limit: liveProcessorTime_s(gpu), text: milliseconds },
        (user + system) / 1e6 / counted.length,
      ),
    ];
  } finally {
    await host.close();
  }
}
