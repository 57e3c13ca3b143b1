import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, statSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { createGzip } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { TraceProcess } from '../../../../../../electron/host/app/timelines/timelines.ts';
import { forkChild } from '../../../../../../electron/host/io/processes/link.ts';
import { JsonEvents } from '../../../../../../electron/host/model/timeline/import/json-events.ts';
import { useFolder } from '../make.ts';

const folder = useFolder();

/** An event as a profiler writes it: most of the text is arguments. */
function eventText(i: number, padding = 80): string {
  return `{"ph":"X","cat":"kernel","name":"kernel ${i % 50}","pid":0,"tid":${i % 4},"ts":${i * 2},"dur":1.5,"args":{"stream":${i % 4},"correlation":${i},"grid":[${i % 8},1,1],"block":[256,1,1],"registers per thread":40,"padding":"${'x'.repeat(padding)}"}}`;
}

async function writeTrace(name: string, spans: number, padding: number): Promise<string> {
  const file = folder.path(name);
  const out = createWriteStream(file);
  out.write('{"traceEvents":[');
  for (let i = 0; i < spans; i += 1) {
    if (!out.write(`${i === 0 ? '' : ','}\n${eventText(i, padding)}`)) await once(out, 'drain');
  }
  out.end('\n]}');
  await once(out, 'finish');
  return file;
}

/** Opens a file in a separate process, and returns that process's peak memory. */
async function peakOf(
  file: string,
): Promise<Readonly<Record<'size_bytes' | 'spans' | 'memory_bytes' | 'peak_bytes', number>>> {
  const host = path.resolve(import.meta.dirname, '../../../../../../electron/host');
  const script = `
    const { peakMemory_bytes } = await import(${JSON.stringify(`${host}/io/peak-memory.ts`)});
    const { openTrace } = await import(${JSON.stringify(`${host}/app/timelines/open.ts`)});
    const { traceDescription } = await import(${JSON.stringify(`${host}/model/timeline/trace.ts`)});
    const about = traceDescription(await openTrace(${JSON.stringify(file)}, 'trace'));
    console.log(JSON.stringify({ spans: about.spans, memory_bytes: about.memory_bytes, peak_bytes: peakMemory_bytes() }));`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script]);
  return { size_bytes: statSync(file).size, ...JSON.parse(stdout) };
}

describe('a large trace file', () => {
  it('is split into events while only one chunk and one event are in memory', () => {
    // The length of an event is no divisor of the chunk size, so each chunk ends at another position within an event.
    const pattern = Buffer.from(`${Array.from({ length: 1000 }, (_, i) => eventText(i)).join(',')},`);
    const sizes = { events: 0, bytes: 0 };
    const json = new JsonEvents({
      event: (text) => {
        sizes.events += 1;
        sizes.bytes = Math.max(sizes.bytes, text.length);
      },
      damaged: (text) => expect.fail(text),
      value: () => undefined,
    });
    json.push(Buffer.from('{"traceEvents":['));
    const before = process.memoryUsage();
    let highest = 0;
    const rounds = 400;
    for (let round = 0; round < rounds; round += 1) {
      const cut = 1 + ((round * 7919) % (pattern.length - 1));
      json.push(pattern.subarray(0, cut));
      json.push(pattern.subarray(cut));
      highest = Math.max(highest, process.memoryUsage().external);
    }
    json.push(Buffer.from(']}'));
    json.end();
    expect(sizes.events).toBe(rounds * 1000);
    expect(sizes.bytes).toBeLessThan(400);
    expect(highest - before.external).toBeLessThan(16 * 2 ** 20);
  });

  it('is opened with memory for its spans, whatever the length of its text', async () => {
    const short = await peakOf(await writeTrace('short.json', 100_000, 10));
    const long = await peakOf(await writeTrace('long.json', 100_000, 900));
    expect([short.spans, long.spans]).toEqual([100_000, 100_000]);
    expect(long.size_bytes - short.size_bytes).toBeGreaterThan(85e6);
    // 42 bytes per span; repeated arguments are stored once.
    expect(long.memory_bytes / 100_000).toBeLessThan(50);
    expect(long.peak_bytes - short.peak_bytes).toBeLessThan(60e6);
  });

  it('reports its progress, and can be cancelled', async () => {
    const file = await writeTrace('progress.json', 200_000, 300);
    const timeline = new TraceProcess(forkChild);
    const heard: number[] = [];
    let total = 0;
    const opening = timeline.openFile(file, 'progress.json', ({ read_bytes, total_bytes }) => {
      heard.push(read_bytes);
      total = total_bytes;
      if (heard.length === 3) void timeline.close();
    });
    await expect(opening).rejects.toThrow('This timeline was closed.');
    expect(total).toBe(statSync(file).size);
    expect([...heard].sort((a, b) => a - b)).toEqual(heard);
    expect(heard[2]).toBeLessThan(total);
  });

  it('is decompressed in pieces, even at a ratio of one thousand', async () => {
    const gzip = createGzip();
    const file = folder.path('bomb.json.gz');
    const done = once(gzip.pipe(createWriteStream(file)), 'finish');
    gzip.write('[');
    const blank = Buffer.alloc(2 ** 20, 0x20);
    for (let i = 0; i < 300; i += 1) if (!gzip.write(blank)) await once(gzip, 'drain');
    gzip.end('{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":1}]');
    await done;
    const timeline = new TraceProcess(forkChild);
    try {
      const before = process.memoryUsage().rss;
      expect((await timeline.openFile(file, 'bomb.json.gz', () => undefined)).spans).toBe(1);
      expect(process.memoryUsage().rss - before).toBeLessThan(200 * 2 ** 20);
    } finally {
      await timeline.close();
    }
  });
});
