import { median } from '../statistics.ts';
import type { Met } from '../victims/victim.ts';
import { type Channels, manyCount, manyRate, slowBurst, slowCount, slowRate, type VictimName } from './channels.ts';

const line = (cells: string[]) => `| ${cells.join(' | ')} |`;
const yes = (holds: boolean) => (holds ? 'yes' : '**no**');
const slack = 0.1;
const maxRatio = 2;
const names: Record<VictimName, string> = {
  sameOrganization: 'another channel of the organization',
  otherOrganization: "another organization's channel",
};

/** Medians of the rounds. */
export function channelsReport(channels: Channels): string {
  const { manyPerSecond, isOver } = channels;
  return [
    line(['what', 'measured', 'aim', 'held']),
    line(['---', '---', '---', '---']),
    fourLine(channels),
    besideLine(channels, 'sameOrganization'),
    besideLine(channels, 'otherOrganization'),
    '',
    `The ${manyCount} channels sent ${median(manyPerSecond).toFixed(0)} messages a second meanwhile, of ${manyCount * manyRate}.`,
    ...(isOver ? [] : ['', 'A round had not ended when the next began.']),
  ].join('\n');
}

function fourLine({ one, four }: Channels) {
  const missing = (sent: Channels['one'], count: number) => sent.reduce((sum, { accepted }) => sum + count - accepted, 0);
  const seconds = (sent: Channels['one']) => median(sent.map((each) => each.seconds));
  const lacking = missing(one, slowBurst) + missing(four, slowBurst * slowCount);
  const faster = (slowCount * seconds(one)) / seconds(four);
  return line([
    `${slowBurst} recipients on a channel of ${slowRate} a second, ${slowBurst * slowCount} on ${slowCount} of them`,
    `${seconds(one).toFixed(1)} and ${seconds(four).toFixed(1)} s${lacking > 0 ? `, ${lacking} missing` : ''}: **${faster.toFixed(2)}** times as fast`,
    `${slowCount} ± ${slack * 100} %`,
    yes(lacking === 0 && Math.abs(faster - slowCount) <= slowCount * slack),
  ]);
}

function besideLine({ idle, busy, what }: Channels, name: VictimName) {
  const both = (pick: (met: Met) => number) =>
    [idle, busy].map((rounds) => median(rounds.map((round) => pick(round[name])))) as [number, number];
  const [before, beside] = both(({ p99 }) => p99);
  const late = busy.reduce((sum, round) => sum + round[name].late, 0);
  const halves = both(({ p50 }) => p50).map((ms) => ms.toFixed(1));
  return line([
    `on ${names[name]}, ${what[name]}: p99 ms idle / beside ${manyCount} channels of ${manyRate} a second that send a campaign`,
    `${before.toFixed(1)} / ${beside.toFixed(1)} (p50 ${halves.join(' / ')}), ratio **${(beside / before).toFixed(2)}**, late ${late}`,
    `ratio at most ${maxRatio}`,
    yes(beside / before <= maxRatio && late === 0),
  ]);
}
