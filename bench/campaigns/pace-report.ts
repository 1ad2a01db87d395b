import { median } from '../statistics.ts';
import type { Met } from '../victims/victim.ts';
import { rate } from './campaigner.ts';
import { burst, channelCount, type Pace } from './pace.ts';

const line = (cells: string[]) => `| ${cells.join(' | ')} |`;
const yes = (holds: boolean) => (holds ? 'yes' : '**no**');
const aimSeconds = 26;
const slack = 0.1;
const maxMoreMs = 300;
const maxRatio = 2;

/** Medians of the rounds, but the most in one second and after a pause, which no round may exceed. */
export function paceReport(pace: Pace): string {
  const { one, two, four, idle, maxInOneSecond, afterPause, isOver } = pace;
  return [
    line(['what', 'measured', 'aim', 'held']),
    line(['---', '---', '---', '---']),
    ...(one.length > 0 ? [oneLine(pace)] : []),
    line([
      'most in any sliding second, as the provider counts',
      String(maxInOneSecond),
      `at most ${rate}`,
      yes(maxInOneSecond <= rate),
    ]),
    ...(two.length > 0 ? [twoLine(pace)] : []),
    ...(four.length > 0 && one.length > 0 ? [fourLine(pace)] : []),
    ...(idle.length > 0 ? besideLines(pace) : []),
    ...(afterPause.length > 0 ? [pauseLine(Math.max(...afterPause))] : []),
    ...(isOver ? [] : ['', 'A round had not ended when the next began.']),
  ].join('\n');
}

const secondsOf = (sent: Pace['one']) => median(sent.map(({ seconds }) => seconds));
const missingOf = (sent: Pace['one'], count: number) => sent.reduce((sum, { accepted }) => sum + count - accepted, 0);

function oneLine({ one }: Pace) {
  const [took, missing] = [secondsOf(one), missingOf(one, burst)];
  return line([
    `${burst} recipients on one channel of ${rate} a second, from the start's request to the provider's last answer`,
    `${took.toFixed(1)} s${missing > 0 ? `, ${missing} missing` : ''}`,
    `${aimSeconds} s ± ${slack * 100} %`,
    yes(missing === 0 && Math.abs(took - aimSeconds) <= aimSeconds * slack),
  ]);
}

function twoLine({ two }: Pace) {
  const apart = median(two.map(([left, right]) => (200 * Math.abs(left - right)) / (left + right)));
  return line([
    'two campaigns on one channel: messages in the same seconds',
    `${two.map(([left, right]) => `${left} and ${right}`).join('; ')}: ${apart.toFixed(1)} % apart`,
    `within ${slack * 100} %`,
    yes(apart <= slack * 100),
  ]);
}

function fourLine({ one, four }: Pace) {
  const missing = missingOf(four, burst * channelCount);
  const faster = (channelCount * secondsOf(one)) / secondsOf(four);
  return line([
    `${channelCount * burst} recipients on four channels`,
    `${secondsOf(four).toFixed(1)} s${missing > 0 ? `, ${missing} missing` : ''}: **${faster.toFixed(2)}** times as fast`,
    `${channelCount} ± ${slack * 100} %`,
    yes(missing === 0 && Math.abs(faster - channelCount) <= channelCount * slack),
  ]);
}

function besideLines({ what, idle, busy }: Pace) {
  const of = (name: 'reply' | 'other') => {
    const both = (pick: (met: Met) => number) =>
      [idle, busy].map((rounds) => median(rounds.map((round) => pick(round[name])))) as [number, number];
    const [before, beside] = both(({ p99 }) => p99);
    const late = busy.reduce((sum, round) => sum + round[name].late, 0);
    const halves = both(({ p50 }) => p50).map((ms) => ms.toFixed(1));
    return { before, beside, late, shown: `${before.toFixed(1)} / ${beside.toFixed(1)} (p50 ${halves.join(' / ')})` };
  };
  const [reply, other] = [of('reply'), of('other')];
  return [
    line([
      `on the campaign's channel, ${what.reply}: p99 ms idle / beside it`,
      `${reply.shown}, **${(reply.beside - reply.before).toFixed(0)}** ms more, late ${reply.late}`,
      `at most ${maxMoreMs} ms more`,
      yes(reply.beside - reply.before <= maxMoreMs && reply.late === 0),
    ]),
    line([
      `on another organization's channel, ${what.other}: p99 ms`,
      `${other.shown}, ratio **${(other.beside / other.before).toFixed(2)}**, late ${other.late}`,
      `ratio at most ${maxRatio}`,
      yes(other.beside / other.before <= maxRatio && other.late === 0),
    ]),
  ];
}

const pauseLine = (most: number) =>
  line(['most that arrived after the reply to pause', String(most), `at most ${rate}`, yes(most <= rate)]);
