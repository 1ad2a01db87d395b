import { median } from '../statistics.ts';
import type { Met } from '../victims/victim.ts';
import type { Memory, Round, Suffered } from './run.ts';
import { sumOf } from './tally.ts';

const maxTimes = 2;
const maxMb = 50;

const short = (value: number) => (value >= 100 ? value.toFixed(0) : value.toFixed(1));
const line = (cells: string[]) => `| ${cells.join(' | ')} |`;

/** Medians of the rounds; refusals and broken connections of the tenant are the sum of the hostile ones. */
export function abuseReport(all: Suffered[]): string {
  const head = [
    'finding',
    'hostile client',
    'the tenant',
    'a second, calm / hostile',
    'p50 / p99 ms calm',
    'p50 / p99 ms hostile',
    'ratio of p99',
    'p99 ms beside strangers, ratio',
    '5xx, refused, lost, late',
    'hostile answers',
    'memory MB before / peak / after',
    'loop delay p99 ms calm / hostile, max',
    'cores calm / hostile',
    'held',
  ];
  const rows = all.flatMap((suffered) => suffered.victims.map((victim, index) => line(rowOf(suffered, victim.what, index))));
  return [line(head), line(head.map(() => '---')), ...rows].join('\n');
}

function rowOf(suffered: Suffered, what: string, index: number): string[] {
  const { abuse, rounds, processes, memory } = suffered;
  const [calm, hostile, stranger] = (['calm', 'hostile', 'stranger'] as const).map((kind) =>
    rounds.filter((round) => round.kind === kind),
  ) as [Round[], Round[], Round[]];
  const of = (among: Round[], pick: (met: Met) => number) => median(among.map(({ met }) => pick(met[index]!)));
  const sum = (pick: (met: Met) => number) => hostile.reduce((total, { met }) => total + pick(met[index]!), 0);
  const times = (among: Round[]) => `${short(of(among, ({ p50 }) => p50))} / ${short(of(among, ({ p99 }) => p99))}`;
  const p99Of = (among: Round[]) => of(among, ({ p99 }) => p99);
  const ratio = p99Of(hostile) / p99Of(calm);
  const faults = [sum(({ failed }) => failed), sum(({ refused }) => refused), sum(({ lost }) => lost), sum(({ late }) => late)];
  const isHeld = ratio <= maxTimes && faults.every((count) => count === 0) && memory.every(isBack);
  const isFirst = index === 0;
  const answers = Object.entries(sumOf(hostile.map((round) => round.answers))).map(answerShown);
  const delays = processes.map((name, at) => {
    const p99 = (among: Round[]) => short(median(among.map(({ usages }) => usages[at]!.loopDelayP99Ms)));
    const maxDelayMs = Math.max(...hostile.map(({ usages }) => usages[at]!.loopDelayMaxMs));
    return `${name} ${p99(calm)} / ${p99(hostile)}, ${short(maxDelayMs)}`;
  });
  const coresOf = (among: Round[], name: string) => median(among.map(({ cores }) => cores[name]!)).toFixed(2);
  const cores = Object.keys(hostile[0]!.cores).map((name) => `${name} ${coresOf(calm, name)} / ${coresOf(hostile, name)}`);
  const unended = rounds.some(({ isOver }) => !isOver) ? ' (what a round began went on for more than a minute)' : '';
  return [
    abuse.finding,
    `${abuse.what}${unended}`,
    what,
    `${short(of(calm, ({ rate }) => rate))} / ${short(of(hostile, ({ rate }) => rate))}`,
    times(calm),
    times(hostile),
    `**${ratio.toFixed(2)}**`,
    `${short(p99Of(stranger))}, ${(p99Of(stranger) / p99Of(calm)).toFixed(2)}`,
    faults.join(', '),
    isFirst ? answers.join(', ') : '',
    isFirst ? memory.map((one, at) => `${processes[at]} ${memoryOf(one)}`).join('; ') : '',
    isFirst ? delays.join('; ') : '',
    isFirst ? cores.join('; ') : '',
    isHeld ? 'yes' : 'no',
  ];
}

/** A 503 is a refusal; any other 5xx is a fault of ours, whoever asked. */
const isFault = (answer: string) => /\b5(?!03)\d\d\b/.test(answer);
const answerShown = ([answer, count]: [string, number]) =>
  isFault(answer) ? `**${answer} × ${count}**` : `${answer} × ${count}`;

const isBack = ({ beforeMb, afterMb }: Memory) => afterMb <= beforeMb + maxMb;
const memoryOf = ({ beforeMb, peakMb, afterMb, afterSeconds }: Memory) =>
  `${beforeMb.toFixed(0)} / ${peakMb.toFixed(0)} / ${afterMb.toFixed(0)} after ${afterSeconds} s`;
