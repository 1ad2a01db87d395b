import type { Path, Round } from './path.ts';
import { median } from './statistics.ts';

export type Measured = { path: Path; kanal: Round[]; floor: Round[] };
type Medians = { rate: number; p50: number; p99: number; rssMb: number; cpuMs: number; loopDelayP99Ms: number };

function mediansOf(rounds: Round[]): Medians {
  const of = (pick: (round: Round) => number | undefined) => median(rounds.map((round) => pick(round) ?? Number.NaN));
  return {
    rate: of(({ rate }) => rate),
    p50: of(({ p50 }) => p50),
    p99: of(({ p99 }) => p99),
    rssMb: of(({ usage }) => usage.rssMb),
    cpuMs: of(({ usage }) => usage.cpuMs),
    loopDelayP99Ms: of(({ usage }) => usage.loopDelayP99Ms),
  };
}

export function summaryOf({ path, kanal, floor }: Measured) {
  const [ours, theirs] = [mediansOf(kanal), mediansOf(floor)];
  const ratio = path.better === 'rate' ? ours.rate / theirs.rate : theirs.p50 / ours.p50;
  return { ratio, kanal: ours, floor: theirs };
}

const whole = (value: number) => (Number.isNaN(value) ? '–' : value.toFixed(0));
const short = (value: number) => (Number.isNaN(value) ? '–' : value.toFixed(1));

/** Ours / floor in each cell. The ratio is above 1 where ours is better. */
export function tableOf(measured: Measured[]): string {
  const head = ['path', 'what', 'ratio', 'rate', 'p50 ms', 'p99 ms', 'memory MB', 'loop delay p99 ms'];
  const rows = measured.map((one) => {
    const { ratio, kanal, floor } = summaryOf(one);
    const rate =
      one.path.better === 'rate'
        ? `${whole(kanal.rate)} / ${whole(floor.rate)} ${one.path.unit}`
        : one.path.name === 'latency'
          ? `${whole(kanal.rate)} webhooks/s`
          : '–';
    return [
      one.path.name,
      one.path.what,
      `**${ratio.toFixed(2)}**`,
      rate,
      `${short(kanal.p50)} / ${short(floor.p50)}`,
      `${short(kanal.p99)} / ${short(floor.p99)}`,
      `${whole(kanal.rssMb)} / ${whole(floor.rssMb)}`,
      `${short(kanal.loopDelayP99Ms)} / ${short(floor.loopDelayP99Ms)}`,
    ];
  });
  const line = (cells: string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
