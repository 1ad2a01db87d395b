import type { Definition } from '../../src/automation/definition/definition.ts';
import { measureInTurns } from '../measure.ts';
import type { Path } from '../path.ts';
import { deliver } from '../paths/deliver.ts';
import { inbound, postMessage } from '../paths/http.ts';
import { send } from '../paths/send.ts';
import { type Measured, summaryOf } from '../report.ts';
import type { Side, Stage } from '../stage.ts';
import { isLive, takeAway } from '../take-away.ts';
import { addRule, dropRules } from './rule.ts';

/** `heard`: it begins with an event of the path, and its conditions do not hold. `unheard`: with one that the path does not have. */
export type RuleKind = 'heard' | 'unheard';
const kinds: RuleKind[] = ['unheard', 'heard'];
const unheard = 'deal.created';

/** Deliveries are no events. */
const measured: { path: Path; heard?: string }[] = [
  { path: postMessage, heard: 'conversation.updated' },
  { path: send, heard: 'message.sent' },
  { path: deliver },
  { path: inbound, heard: 'message.status_update' },
];

export type Hot = { kind: RuleKind; event: string; measured: Measured }[];

const ruleOf = (event: string): Partial<Definition> => ({
  trigger: { type: 'event', event },
  conditions: { filters: [{ field: 'contact.name', operator: 'eq', value: 'Nobody has this name' }] } as never,
  steps: [{ id: 'tag', type: 'add_tag', tag: 'vip' }],
});

/** Kanal on both sides, in turns: with one live rule that does not match, and with none. What it evaluates is worked off beside the path. */
export async function hotBench(
  stage: Stage,
  { rounds, seconds, count, only }: { rounds: number; seconds: number; count: number; only?: string },
): Promise<Hot> {
  const result: Hot = [];
  for (const kind of kinds.filter((name) => !only || name === only))
    for (const { path, heard } of measured) {
      const event = kind === 'heard' ? heard : unheard;
      if (!event) continue;
      await addRule(stage.kanal.sql, stage.kanal.tenant.organizationId, ruleOf(event));
      try {
        const found = await measureInTurns(path, stage, rounds, { seconds, count, queues: 'automations' });
        result.push({ kind, event, measured: found });
        console.error(`automation-hot: ${path.name}, ${kind}: ${summaryOf(found).ratio.toFixed(2)}`);
      } finally {
        await rest(stage.kanal);
        await dropRules(stage.kanal.sql);
      }
    }
  return result;
}

/** Evaluations that nobody has done. */
async function rest({ sql }: Side) {
  await takeAway(sql, `${isLive} and name = 'automation.evaluate'`);
}

const least = 0.9;

export function hotReport(found: Hot): string {
  const line = (cells: string[]) => `| ${cells.join(' | ')} |`;
  const ms = (value: number) => (Number.isNaN(value) ? '–' : value.toFixed(1));
  return [
    line(['path', 'one rule', 'begins with', 'with it / without', 'rate', 'p50 ms', 'p99 ms', `at least ${least}`]),
    line(Array(8).fill('---')),
    ...found.map(({ kind, event, measured: one }) => {
      const { ratio, kanal, floor } = summaryOf(one);
      return line([
        ...[one.path.name, kind, event, `**${ratio.toFixed(2)}**`],
        `${kanal.rate.toFixed(0)} / ${floor.rate.toFixed(0)} ${one.path.unit}`,
        ...[`${ms(kanal.p50)} / ${ms(floor.p50)}`, `${ms(kanal.p99)} / ${ms(floor.p99)}`],
        ratio >= least ? 'held' : '**not held**',
      ]);
    }),
  ].join('\n');
}
