import { median } from '../statistics.ts';
import type { Case, Round } from './run.ts';

const maxTimes = 2;
const line = (cells: string[]) => `| ${cells.join(' | ')} |`;
const short = (value: number) => (value >= 100 ? value.toFixed(0) : value.toFixed(1));

/** So many tell a p99 of all rounds together; with fewer it says little. */
const enough = 1_000;

/** Medians of the rounds, idle / busy; what is late counts with the time it had waited when the round was over. */
export function slowProviderReport(cases: Case[]): string {
  const head = [
    'beside it',
    'the tenant',
    'p50 / p99 ms idle',
    'p50 / p99 ms busy',
    'ratio of p50',
    'ratio of p99',
    'late',
    'samples of a side',
    'CPU: machine %',
    'CPU: worker %',
    'worker stalled at most ms',
    'held',
  ];
  const rows = cases.map(({ name, what, idle, busy, isOver }) => {
    const of = (among: Round[], pick: (met: Round) => number) => median(among.map(pick));
    const times = (among: Round[]) => `${short(of(among, ({ p50 }) => p50))} / ${short(of(among, ({ p99 }) => p99))}`;
    const ratio = (pick: (met: Round) => number) => of(busy, pick) / of(idle, pick);
    const ratios = [ratio(({ p50 }) => p50), ratio(({ p99 }) => p99)];
    const both = (pick: (met: Round) => number) => [idle, busy].map((among) => of(among, pick).toFixed(0)).join(' / ');
    const late = busy.reduce((total, met) => total + met.late, 0);
    const samples = Math.min(...[idle, busy].map((among) => among.reduce((total, met) => total + met.samples, 0)));
    return line([
      `${name}${isOver ? '' : ' (not over before the next round)'}`,
      what,
      times(idle),
      times(busy),
      ...ratios.map((value) => `**${value.toFixed(2)}**`),
      String(late),
      samples < enough ? `${samples} (few)` : String(samples),
      both(({ load }) => load.machine * 100),
      both(({ load }) => load.worker * 100),
      both(({ load }) => load.workerStallMs),
      late === 0 && ratios.every((value) => value <= maxTimes) ? 'yes' : 'no',
    ]);
  });
  return [line(head), line(head.map(() => '---')), ...rows].join('\n');
}
