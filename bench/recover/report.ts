import { median, percentile, slope } from '../statistics.ts';
import type { Met } from '../victims/victim.ts';
import type { Beside, Round } from './beside.ts';
import type { Recovered } from './run.ts';
import type { Sample, Whole } from './whole.ts';

const maxTimes = 2;
const line = (cells: string[]) => `| ${cells.join(' | ')} |`;
const table = (head: string[], rows: string[][]) => [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
const short = (value: number) => (value >= 100 ? value.toFixed(0) : value.toFixed(1));
const of = (among: Met[], pick: (met: Met) => number) => median(among.map(pick));

export const recoverReport = ({ whole, perSecond, beside }: Recovered): string =>
  [...(whole ? [wholeReport(whole, perSecond)] : []), ...(beside.length > 0 ? [besideReport(beside)] : [])].join('\n\n');

function besideReport(beside: Beside[]): string {
  const head = [
    'a recover of',
    'live',
    'p50 / p99 ms without',
    'p50 / p99 ms with',
    'ratio of p50',
    'ratio of p99',
    'late',
    'samples of a side',
    'first one after ms, longest',
    'recovered a second',
    'CPU: machine %',
    'CPU: worker %',
    'worker stalled at most ms',
    'held',
  ];
  const rows = beside.map(({ name, what, idle, busy, firstMs, perSecond }) => {
    const times = (among: Met[]) => `${short(of(among, ({ p50 }) => p50))} / ${short(of(among, ({ p99 }) => p99))}`;
    const ratios = [({ p50 }: Met) => p50, ({ p99 }: Met) => p99].map((pick) => of(busy, pick) / of(idle, pick));
    const both = (pick: (load: Round['load']) => number) =>
      [idle, busy].map((among) => median(among.map(({ load }) => pick(load))).toFixed(0)).join(' / ');
    const late = busy.reduce((total, met) => total + met.late, 0);
    return [
      name,
      what,
      times(idle),
      times(busy),
      ...ratios.map((ratio) => `**${ratio.toFixed(2)}**`),
      String(late),
      String(Math.min(...[idle, busy].map((among) => among.reduce((total, { samples }) => total + samples, 0)))),
      `${short(median(firstMs))}, ${short(Math.max(...firstMs))}`,
      short(median(perSecond)),
      both(({ machine }) => machine * 100),
      both(({ worker }) => worker * 100),
      both(({ workerStallMs }) => workerStallMs),
      late === 0 && ratios.every((ratio) => ratio <= maxTimes) ? 'yes' : 'no',
    ];
  });
  return table(head, rows);
}

const parts = 5;

function wholeReport({ failed, took, firstMs, samples, live }: Whole, perSecond: number): string {
  const partOf = ({ done }: Sample) => Math.min(parts - 1, Math.floor((done / failed) * parts));
  const most = (among: Sample[], pick: (sample: Sample) => number) => short(Math.max(...among.map(pick)));
  const columns = [
    ({ web }: Sample) => web.rssMb,
    ({ web }: Sample) => web.heapMb,
    ({ worker }: Sample) => worker.rssMb,
    ({ worker }: Sample) => worker.heapMb,
  ];
  const row = (name: string, among: Sample[]) => [name, ...columns.map((pick) => most(among, pick))];
  const rows = Array.from({ length: parts }, (_, index) => {
    const upTo = String(Math.round((failed * (index + 1)) / parts));
    return row(
      upTo,
      samples.slice(1).filter((sample) => partOf(sample) === index),
    );
  });
  const late = samples.filter(({ done }) => done >= failed / 4);
  const slopeOf = (pick: (sample: Sample) => number) =>
    slope(late.map((sample) => ({ x: sample.done / 10_000, y: pick(sample) }))).toFixed(2);
  return [
    `${failed} failed deliveries recovered in ${(took / 1000).toFixed(0)} s, ${Math.round((failed / took) * 1000)} a second (WEBHOOK_REPLAYS_PER_SECOND ${perSecond}), each delivered once; the first ${short(firstMs)} ms after the request.`,
    `Live deliveries of another endpoint meanwhile: p50 ${short(of(live, ({ p50 }) => p50))} ms, p99 ${short(of(live, ({ p99 }) => p99))} ms (the worst round ${short(
      percentile(
        live.map(({ p99 }) => p99),
        1,
      ),
    )}), ${live.reduce((total, met) => total + met.late, 0)} late.`,
    '',
    table(
      ['deliveries recovered', 'web RSS MB, most', 'web heap MB, most', 'worker RSS MB, most', 'worker heap MB, most'],
      [row('before', samples.slice(0, 1)), ...rows],
    ),
    '',
    `RSS slope after the first quarter: web ${slopeOf(columns[0]!)} MB, worker ${slopeOf(columns[2]!)} MB per 10,000 deliveries.`,
  ].join('\n');
}
