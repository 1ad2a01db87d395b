import { summaryOf } from '../report.ts';
import type { Chore } from './chores.ts';
import type { Filled } from './fill/fill.ts';
import type { Listed } from './lists.ts';
import { keepsUpWith, oneWorkerKeepsUpWith, type Purged } from './purges.ts';
import type { LongTables } from './run.ts';
import type { Statement } from './statements.ts';

const maxRatio = 1.2;
const maxMs = 1_000;

const line = (cells: (string | number)[]) => `| ${cells.join(' | ')} |`;
/** None without rows: that part was not asked for. */
const table = (head: string[], rows: (string | number)[][]) =>
  rows.length > 0 ? [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n') : '';
const count = (value: number) => Math.round(value).toLocaleString('en-US');
const ms = (value: number) => value.toFixed(value < 10 ? 2 : 0);
const held = (isHeld: boolean) => (isHeld ? 'yes' : '**no**');

/** How many times as long a request, or a piece of work, takes with the full database. */
function pathRows({ paths }: LongTables) {
  return paths.map((measured) => {
    const { kanal: full, floor: empty } = summaryOf(measured);
    const isRate = measured.path.better === 'rate';
    const ratio = isRate ? empty.rate / full.rate : full.p50 / empty.p50;
    const show = (of: typeof full) => (isRate ? of.rate.toFixed(0) : of.p50.toFixed(1));
    return [
      measured.path.name,
      measured.path.what,
      measured.path.unit,
      show(empty),
      show(full),
      `**${ratio.toFixed(2)}**`,
      (full.cpuMs / empty.cpuMs / (isRate && isTimed(measured.path.name) ? full.rate / empty.rate : 1)).toFixed(2),
      held(ratio <= maxRatio),
    ];
  });
}

/** Rounds of one length, so that the processor time is that of other numbers of requests. */
const isTimed = (name: string) => !['send', 'deliver', 'latency'].includes(name);

const listRows = (lists: Listed[]) =>
  lists.map(({ name, full, empty }) => {
    const ratio = full.p50 / empty.p50;
    return [name, ms(empty.p50), ms(empty.p99), ms(full.p50), ms(full.p99), `**${ratio.toFixed(2)}**`, held(full.p99 < maxMs)];
  });

const choreRows = (chores: Chore[]) =>
  chores.map(({ name, empty, full, longest }) => [name, ms(empty), ms(full), ms(longest), held(longest < maxMs)]);

const purgeRows = (purged: Purged[]) =>
  purged.map((one) => [
    one.table,
    count(one.deleted),
    one.seconds.toFixed(1),
    count(one.perSecond),
    one.perMessage.toFixed(2),
    count(keepsUpWith(one)),
    one.vacuumSeconds.toFixed(1),
  ]);

/** The arithmetic of a full day, at a hundred messages a second. */
const purgeLine = (purged: Purged[]) => {
  if (purged.length === 0) return '';
  const perDay = purged.map(({ table: name, perMessage }) => `${name} ${count(100 * 86_400 * perMessage)}`).join(', ');
  return `One worker that purges all of them by turns keeps up with ${count(oneWorkerKeepsUpWith(purged))} messages a second; more workers share the tables. A day of 100 messages a second leaves 8,640,000 messages and as rows to delete: ${perDay}.`;
};

const statementRows = (statements: Statement[]) =>
  statements.map(({ text, calls, mean, longest }) => [
    `\`${text.slice(0, 110).replaceAll('|', '\\|')}\``,
    count(calls),
    ms(mean),
    ms(longest),
    held(longest < maxMs),
  ]);

const filledLine = ({ rows, seconds, isWhole }: Filled) =>
  `${rows.map(({ table: name, rows: many }) => `${name} ${count(many)}`).join(', ')}; ${(
    rows.reduce((sum, { mb }) => sum + mb, 0) / 1024
  ).toFixed(1)} GiB, made in ${Math.round(seconds.rows)} s of rows and ${Math.round(seconds.indexes)} s of indexes${
    isWhole ? '' : '; **cut short: the time was over**'
  }.`;

export function longTablesReport(result: LongTables): string {
  return [
    `${count(result.sizes.organizations)} organizations. ${filledLine(result.filled)}`,
    ...(result.skipped.length > 0 ? [`Left out, since the time was over or it failed: ${result.skipped.join(', ')}.`] : []),
    table(['path', 'what', 'unit', 'empty', 'full', 'times as long', 'times the CPU', `≤ ${maxRatio}`], pathRows(result)),
    table(['list', 'empty: p50 ms', 'p99', 'full: p50 ms', 'p99', 'ratio of p50', '< 1 s'], listRows(result.lists)),
    table(['chore', 'empty ms', 'full ms', 'longest', '< 1 s'], choreRows(result.chores)),
    table(
      ['purge', 'deleted', 'in s', 'rows a second', 'rows a message', 'keeps up with messages a second', 'vacuum s'],
      purgeRows(result.purged),
    ),
    purgeLine(result.purged),
    table(["the product's longest statements", 'calls', 'mean ms', 'longest', '< 1 s'], statementRows(result.statements)),
  ]
    .filter(Boolean)
    .join('\n\n');
}
