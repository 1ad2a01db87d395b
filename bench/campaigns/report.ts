import { median } from '../statistics.ts';

/** Recipients a second of each round. */
export type InTurns = { rows: number; kanal: number[]; floor: number[] };

export function inTurnsReport({ rows, kanal, floor }: InTurns, names: { kanal: string; floor: string }, least: number): string {
  const line = (name: string, perSecond: number[]) =>
    `| ${name} | ${median(perSecond).toFixed(0)} | ${perSecond.map((value) => value.toFixed(0)).join(', ')} |`;
  const ratio = median(kanal) / median(floor);
  return [
    '| recipients a second | median | rounds |',
    '| --- | --- | --- |',
    line(names.kanal, kanal),
    line(names.floor, floor),
    '',
    `Kanal / floor: **${ratio.toFixed(2)}**, at least ${least}: ${ratio >= least ? 'held' : '**not held**'}. ${rows.toLocaleString('en-US')} recipients a round.`,
  ].join('\n');
}

export const prepareReport = (found: InTurns) =>
  inTurnsReport(found, { kanal: 'campaigns.prepare', floor: 'one insert … select of the same rows' }, 0.5);
export const feedReport = (found: InTurns) =>
  inTurnsReport(found, { kanal: 'the feed, room unlimited', floor: 'the same rows by hand, in transactions of 50' }, 0.6);
