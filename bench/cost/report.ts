import { loadsTable } from './loads.ts';
import { type Figures, figureNames } from './meter.ts';
import { type Costs, stepNames } from './run.ts';

const heads: Record<keyof Figures, string> = {
  commits: 'commits',
  writes: 'of them writing',
  statements: 'statements',
  walBytes: 'WAL bytes',
  heapBytes: 'table bytes',
  indexBytes: 'index bytes',
  web: 'web µs',
  worker: 'worker µs',
  postgres: 'PostgreSQL µs',
  redis: 'Redis µs',
};
const cpu = ['web', 'worker', 'postgres', 'redis'] as const;
const digits = (name: keyof Figures) => (['commits', 'writes', 'statements'].includes(name) ? 1 : 0);

const line = (cells: string[]) => `| ${cells.join(' | ')} |`;
const cpuOf = (figures: Figures) => cpu.reduce((sum, name) => sum + figures[name], 0);

function rowOf(name: string, what: string, kanal: Figures, floor?: Figures): string {
  const cell = (ours: number, theirs: number | undefined, decimals: number) => {
    const text = ours.toFixed(decimals);
    if (theirs === undefined) return text;
    // Next to nothing, a ratio says nothing.
    const ratio = theirs >= 0.5 ? `, **${(ours / theirs).toFixed(2)}**` : '';
    return `${text} / ${theirs.toFixed(decimals)}${ratio}`;
  };
  const cells = figureNames.map((figure) => cell(kanal[figure], floor?.[figure], digits(figure)));
  return line([name, what, ...cells, cell(cpuOf(kanal), floor && cpuOf(floor), 0)]);
}

const combined = (of: Figures[], combine: (...values: number[]) => number): Figures =>
  Object.fromEntries(figureNames.map((name) => [name, combine(...of.map((figures) => figures[name]))])) as Figures;

/** Kanal / floor, and Kanal's over the floor's: below 1 is cheaper. */
export function costReport({ messages, perSecond, parts, idleASecond }: Costs): string {
  const whole = parts.find(({ name }) => name === 'whole');
  const others = parts.filter(({ name }) => name !== 'whole');
  const columns = ['part', 'what', ...figureNames.map((name) => heads[name]), 'CPU µs'];
  const steps = others.filter(({ name }) => stepNames.includes(name));
  const isComplete = whole && steps.length === stepNames.length;
  const ours = combined(
    steps.map(({ kanal }) => kanal),
    (...values) => values.reduce((sum, value) => sum + value, 0),
  );
  const theirs = combined(
    steps.map(({ floor }) => floor!),
    (...values) => values.reduce((sum, value) => sum + value, 0),
  );
  return [
    `${messages} of each, ${perSecond} a second where a request begins it, as fast as one worker can where a job does. CPU is what the kernel counted for these`,
    'processes (PostgreSQL with all its backends), less what they take with nothing to do. Beside other work a process takes more of it, its caches being cold:',
    'the ratios hold there, the µs are too high. Commits, statements and bytes do not depend on the machine. No checkpoint fell into the time.',
    '',
    line(columns),
    line(columns.map(() => '---')),
    ...others.map(({ name, what, kanal, floor }) => rowOf(name, what, kanal, floor)),
    ...(isComplete ? [rowOf('sum', `of ${stepNames.join(', ')}`, ours, theirs)] : []),
    ...(whole ? [rowOf('**whole**', whole.what, whole.kanal)] : []),
    ...(isComplete
      ? [
          rowOf(
            'rest',
            'whole less sum: the status applied, and what less load at once makes dearer',
            combined([whole.kanal, ours], (all, sum) => all! - sum!),
          ),
        ]
      : []),
    ...(idleASecond ? [rowOf('idle', 'one web and one worker with nothing to do, **a second**', idleASecond)] : []),
    ...(whole ? ['', loadsTable(whole.kanal)] : []),
  ].join('\n');
}
