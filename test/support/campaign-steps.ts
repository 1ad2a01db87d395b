import type { Answer } from './campaign-provider.ts';
import { campaignMovers, campaignWorks, type Mover, type Work } from './campaign-runs.ts';
import { fc } from './fast-check.ts';

/** `cut`: the round trip after which its process dies; 0: none. `isBeside`: while the campaign is at work. */
export type How = { cut: number; isBeside?: boolean };
export type Change = How & { do: 'suppress' | 'stop' | 'grant' | 'deny' | 'erase'; who: number };
/** `isOfAwaiting`: of two whose message waits, or who are to get one. */
export type Merge = How & { do: 'merge'; who: number; other: number; isOfAwaiting: boolean };
export type Working = How & { do: 'work'; name: Work; answer: Answer };
export type Moving = How & { do: 'move'; name: Mover };
export type Retrying = How & { do: 'retry'; of: number };
export type Telling = { do: 'tell'; of: number; status: 'delivered' | 'read' | 'failed'; code: number };
export type Step =
  | Working
  | Moving
  | Change
  | Merge
  | Retrying
  | Telling
  | { do: 'template'; status: 'approved' | 'paused' }
  | { do: 'hold'; channel: number }
  | { do: 'wait' };

export const peopleCount = 8;
/** Not deliverable, template paused, too much marketing, no marketing, spam, too fast for one person, a fault of theirs. */
const codes = [131026, 132015, 131049, 131050, 131048, 131056, 131000] as const;

const who = fc.nat({ max: peopleCount - 1 });
const cut = fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.integer({ min: 1, max: 20 }) });
const how = { cut, isBeside: fc.boolean() };
const one = <Name extends string>(...names: Name[]) => fc.constantFrom(...names);
const answer: fc.Arbitrary<Answer> = fc.oneof(
  { weight: 6, arbitrary: fc.constant('accepted' as const) },
  { weight: 1, arbitrary: fc.constant('lost' as const) },
  { weight: 4, arbitrary: fc.constantFrom(...codes) },
);
const works = one(...campaignWorks, 'campaigns.feed', 'campaigns.feed');
const movers = one(...(Object.keys(campaignMovers) as Mover[]).filter((name) => name !== 'cancel'), 'resume');
const changes = one('suppress', 'stop', 'grant', 'deny', 'erase');
const status = one('delivered', 'read', 'failed');

/** Weighed so that campaigns get on, and are seldom cancelled. */
const steps: [weight: number, fc.Arbitrary<Step>][] = [
  [12, fc.record({ do: one('work'), name: works, answer, cut })],
  [20, fc.record({ do: one('work'), name: one('messages.send'), answer, cut })],
  [6, fc.record({ do: one('move'), name: movers, ...how })],
  [1, fc.record({ do: one('move'), name: one('cancel'), ...how })],
  [4, fc.record({ do: changes, who, ...how })],
  [4, fc.record({ do: one('merge'), who, other: who, isOfAwaiting: fc.boolean(), ...how })],
  [8, fc.record({ do: one('tell'), of: who, status, code: fc.constantFrom(...codes) })],
  [3, fc.record({ do: one('retry'), of: who, ...how })],
  [2, fc.record({ do: one('template'), status: one('approved', 'paused') })],
  [1, fc.record({ do: one('hold'), channel: fc.nat({ max: 1 }) })],
  [2, fc.record({ do: one('wait') })],
];
export const anyStep: fc.Arbitrary<Step> = fc.oneof(...steps.map(([weight, arbitrary]) => ({ weight, arbitrary })));
