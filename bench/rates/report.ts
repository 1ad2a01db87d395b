import { median } from '../statistics.ts';
import type { Met } from '../victims/victim.ts';
import { burst, type Rates, rate } from './run.ts';

const line = (cells: string[]) => `| ${cells.join(' | ')} |`;
const aimSeconds = burst / (rate * 0.95);
const slack = 0.1;
const maxRatio = 2;
const yes = (holds: boolean) => (holds ? 'yes' : 'no');

/** Medians of the rounds, but the most in one second, which no round may exceed. */
export function ratesReport({ what, idle, busy, bursts, isOver }: Rates): string {
  const took = median(bursts.map(({ seconds }) => seconds));
  const most = Math.max(...bursts.map(({ maxInOneSecond }) => maxInOneSecond));
  const missing = bursts.reduce((sum, { accepted }) => sum + burst - accepted, 0);
  const of = (among: Met[], pick: (met: Met) => number) => median(among.map(pick));
  const both = (pick: (met: Met) => number) => `${of(idle, pick).toFixed(1)} / ${of(busy, pick).toFixed(1)}`;
  const ratio = of(busy, ({ p99 }) => p99) / of(idle, ({ p99 }) => p99);
  const late = busy.reduce((sum, met) => sum + met.late, 0);
  const isPaced = missing === 0 && Math.abs(took - aimSeconds) <= aimSeconds * slack;
  return [
    line(['what', 'measured', 'aim', 'held']),
    line(['---', '---', '---', '---']),
    line([
      `a burst of ${burst} messages on one channel of ${rate} a second`,
      `${took.toFixed(1)} s${missing > 0 ? `, ${missing} missing` : ''}`,
      `${aimSeconds.toFixed(1)} s ± ${slack * 100} %`,
      yes(isPaced),
    ]),
    line(['most in any sliding second, as the provider counts', String(most), `at most ${rate}`, yes(most <= rate)]),
    line([
      `another channel's ${what}: p99 ms idle / beside the burst`,
      `${both(({ p99 }) => p99)} (p50 ${both(({ p50 }) => p50)}), ratio **${ratio.toFixed(2)}**, late ${late}`,
      `ratio at most ${maxRatio}`,
      yes(ratio <= maxRatio && late === 0),
    ]),
    ...(isOver ? [] : ['', 'A round had not ended when the next began.']),
  ].join('\n');
}
