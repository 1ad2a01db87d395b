import type { Figures } from './meter.ts';

const loads = [10, 100, 1_000];
const line = (cells: string[]) => `| ${cells.join(' | ')} |`;
const perDay = 86_400;

/** A message's cost times so many a second: cores are CPU seconds a second. */
export function loadsTable(whole: Figures): string {
  const head = ['messages a second', 'web cores', 'worker cores', 'PostgreSQL cores', 'Redis cores', 'commits a second'];
  const cores = (us: number, load: number) => ((us * load) / 1e6).toFixed(2);
  return [
    line([...head, 'WAL MB a second', 'rows and indexes GB a day']),
    line([...head, '', ''].map(() => '---')),
    ...loads.map((load) =>
      line([
        load.toLocaleString('en-US'),
        ...(['web', 'worker', 'postgres', 'redis'] as const).map((name) => cores(whole[name], load)),
        (whole.commits * load).toFixed(0),
        ((whole.walBytes * load) / 1e6).toFixed(2),
        (((whole.heapBytes + whole.indexBytes) * load * perDay) / 1e9).toFixed(1),
      ]),
    ),
  ].join('\n');
}
