/** Effects of optimisations alone and together, as tables. */
import { factorialRows, setText } from '../../../renderer/base/factorial.ts';
import { timesText } from '../../../renderer/base/measured.ts';
import type { Factorial } from '../../contract/bench/factorial.ts';
import { duration } from '../numbers.ts';
import { table } from '../table.ts';

type Bold = (text: string) => string;

export function factorialReport(all: readonly Factorial[], bold: Bold): readonly string[] {
  return all.flatMap((one) => {
    const { title, cells, absent } = one;
    const [first] = cells;
    const heads = [
      { title },
      { title: 'Variant' },
      { title: 'Time', align: 'right' as const },
      { title: `Over ${first?.label ?? 'the first'}`, align: 'right' as const },
    ];
    const combined = cells.map((cell) => [
      setText(one, cell.with),
      cell.label,
      duration(cell.time_s),
      cell === first ? '1' : timesText(cell.gain) + (cell.wrong ? ', wrong' : ''),
    ]);
    const effects = factorialRows(one).map(({ name, ratio, verdict }) => [name, timesText(ratio), verdict]);
    const reasons = Map.groupBy(absent, ({ reason }) => reason);
    return [
      '',
      ...table(heads, combined, { styleTitle: bold }),
      ...[...reasons].map(
        ([reason, own]) => `Not measured: ${own.map((each) => setText(one, each.with)).join('; ')}: ${reason}.`,
      ),
      '',
      ...table(
        [{ title: 'Alone, in company, and × together' }, { title: 'Times', align: 'right' }, { title: 'Verdict' }],
        effects,
        { styleTitle: bold },
      ),
    ];
  });
}
