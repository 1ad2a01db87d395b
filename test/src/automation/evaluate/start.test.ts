import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Definition } from '../../../../src/automation/definition/definition.ts';
import { holdBack } from '../../../../src/automation/evaluate/held.ts';
import { createLiveRuns } from '../../../../src/automation/evaluate/live-runs.ts';
import { admit, admitAll, type StartRule, startRuleOf } from '../../../../src/automation/evaluate/start.ts';
import { ruleLock } from '../../../../src/automation/jobs.ts';
import { AutomationHeld } from '../../../../src/automation/rule.entity.ts';
import { type Own, ownRows } from '../../../../src/platform/database/own.ts';
import { uuidv7 } from '../../../../src/platform/ids.ts';
import { openRuleHouse, type RuleHouse } from '../../../support/evaluations.ts';
import { pauseRule, setRule, setRun } from '../../../support/rules/automation.ts';
import { hourMs, inMs } from '../../../support/rules/clock.ts';
import { eventsOf } from '../../../support/rules/events.ts';
import { fieldsOf } from '../../../support/rules/rows.ts';

let at: RuleHouse;
let own: Own;
beforeAll(async () => {
  at = await openRuleHouse();
  own = ownRows(at.house.database, at.organization);
});
afterAll(() => at.close());

const onEvent = { type: 'event', event: 'contact.updated' } as const;
const about = (id = uuidv7()) => ({ subjectType: 'contact' as const, subjectId: id });
async function rule(given: Partial<StartRule> = {}): Promise<StartRule> {
  const one = { trigger: onEvent, concurrency: 'skip' as const, limits: {}, ...given };
  return { ...one, id: await at.rule(one) };
}
/** So many ended runs of the last minutes. */
async function started({ id }: StartRule, subject: string, count: number, minutesAgo = 1) {
  for (let n = 0; n < count; n += 1) await at.run({ rule: id, subject, minutesAgo });
}

describe('a rule starts', () => {
  test('for a subject it knows nothing of', async () => {
    expect(await admit(own, await rule(), about(), [])).toBe('ok');
  });

  test('not from an effect of its own, unless it may', async () => {
    const [loops, mayLoop] = [await rule(), await rule({ limits: { allow_reentry: true } })];
    expect(await admit(own, loops, about(), [uuidv7(), loops.id])).toBe('loop');
    expect(await admit(own, mayLoop, about(), [uuidv7(), mayLoop.id])).toBe('ok');
  });

  test('not behind five others, even where it may start again from its own effect', async () => {
    const chain = Array.from({ length: 5 }, () => uuidv7());
    expect(await admit(own, await rule(), about(), chain.slice(1))).toBe('ok');
    expect(await admit(own, await rule(), about(), chain)).toBe('chain_too_long');
    const mayLoop = await rule({ limits: { allow_reentry: true } });
    expect(await admit(own, mayLoop, about(), Array(5).fill(mayLoop.id))).toBe('chain_too_long');
  });

  test('ten times in an hour for one subject, and not more', async () => {
    const [one, who] = [await rule(), about()];
    await started(one, who.subjectId, 5, 61);
    await started(one, who.subjectId, 9);
    expect(await admit(own, one, who, [])).toBe('ok');
    await started(one, who.subjectId, 1, 59);
    expect(await admit(own, one, who, [])).toBe('too_often');
    expect(await admit(own, one, about(), [])).toBe('ok');
    expect(await admit(own, await rule(), who, [])).toBe('ok');
  });

  test('less often where its author says so', async () => {
    const [one, who] = [await rule({ limits: { starts_per_hour: 2 } }), about()];
    await started(one, who.subjectId, 1);
    expect(await admit(own, one, who, [])).toBe('ok');
    await started(one, who.subjectId, 1);
    expect(await admit(own, one, who, [])).toBe('too_often');
  });

  test('not more often in an hour than its author says, whatever the subjects', async () => {
    const one = await rule({ limits: { rule_starts_per_hour: 3 } });
    await started(one, about().subjectId, 3, 61);
    for (let n = 0; n < 2; n += 1) await started(one, about().subjectId, 1);
    expect(await admit(own, one, about(), [])).toBe('ok');
    await started(one, about().subjectId, 1);
    expect(await admit(own, one, about(), [])).toBe('rule_too_often');
    expect(await admit(own, await rule(), about(), [])).toBe('ok');
  });

  test('a rule that calls outside has such a bound by itself; its schedule has none', async () => {
    const step = { id: 'a', type: 'http_request', url: 'https://example.com/' };
    const branch = { id: 'b', type: 'branch', branches: [{ conditions: null, steps: [step] }], else: [] };
    const definition = { trigger: { type: 'event', event: 'contact.created' }, concurrency: 'skip', limits: {}, steps: [branch] };
    const one = await rule();
    const calling = { ...startRuleOf(one.id, definition as unknown as Definition) };
    expect(calling.callsOutside).toBe(true);
    expect(startRuleOf(one.id, { ...definition, steps: [] } as unknown as Definition).callsOutside).toBe(false);
    await at.sql(
      `insert into automation_runs (organization_id, id, rule_id, version, subject_type, subject_id, trigger, state, ended_at)
       select organization_id, uuidv7(), id, 1, 'organization', uuidv7(), 'event', 'succeeded', clock_timestamp()
         from automation_rules, generate_series(1, 5000) n
        where id = $1`,
      [one.id],
    );
    expect(await admit(own, calling, about(), [])).toBe('rule_too_often');
    expect(await admit(own, { ...calling, callsOutside: false }, about(), [])).toBe('ok');
    expect(await admit(own, { ...calling, trigger: { type: 'schedule', cron: '* * * * *' } }, about(), [])).toBe('ok');
  });

  test('as often as its schedule says, unless its author says less', async () => {
    const trigger = { type: 'schedule', cron: '*/5 * * * *' } as const;
    const [free, bound] = [await rule({ trigger }), await rule({ trigger, limits: { starts_per_hour: 3 } })];
    const who = about();
    for (const one of [free, bound]) await started(one, who.subjectId, 12);
    expect(await admit(own, free, who, [])).toBe('ok');
    expect(await admit(own, bound, who, [])).toBe('too_often');
  });

  test('at each moment of its schedule, however close to it the run of the last one began', async () => {
    const trigger = { type: 'schedule', cron: '0 * * * *' } as const;
    const [one, who] = [await rule({ trigger, limits: { starts_per_hour: 1 } }), about()];
    const last = await at.run({ rule: one.id, subject: who.subjectId, minutesAgo: 58 });
    await setRun(at.house.em(), last, { occurs_at: '2026-01-05T09:00:00Z' });
    const verdictAt = async (moment: string) =>
      (await admitAll(own, [{ rule: one, subject: who, chain: [], occursAt: new Date(moment) }]))[0]!.verdict;
    expect(await verdictAt('2026-01-05T10:00:00Z')).toBe('ok');
    expect(await verdictAt('2026-01-05T09:59:00Z')).toBe('too_often');
    expect(await admit(own, one, who, [])).toBe('too_often');
  });

  test.each(['queued', 'running'] as const)('with a run that is %s: by its concurrency', async (state) => {
    const who = about();
    const [skip, each, restart] = [
      await rule(),
      await rule({ concurrency: 'each' }),
      await rule({ concurrency: 'restart' }),
    ] as const;
    const live = new Map<string, string>();
    for (const { id } of [skip, each, restart]) live.set(id, await at.run({ rule: id, subject: who.subjectId, state }));
    const verdicts = await admitAll(
      own,
      [skip, each, restart].map((one) => ({ rule: one, subject: who, chain: [] })),
    );
    expect(verdicts).toEqual([
      { verdict: 'subject_busy', restarts: [], isTold: false },
      { verdict: 'ok', restarts: [], isTold: false },
      { verdict: 'ok', restarts: [live.get(restart.id)], isTold: false },
    ]);
  });

  test.each(['succeeded', 'failed', 'cancelled'] as const)('beside a run that is %s', async (state) => {
    const [one, who] = [await rule(), about()];
    await at.run({ rule: one.id, subject: who.subjectId, state });
    expect(await admit(own, one, who, [])).toBe('ok');
  });

  test('not a second time for the same event', async () => {
    const [one, who, eventId] = [await rule({ concurrency: 'restart' }), about(), uuidv7()];
    await at.run({ rule: one.id, subject: who.subjectId, state: 'running', eventId });
    const starts = [eventId, uuidv7()].map((event) => ({ rule: one, subject: who, chain: [], eventId: event }));
    expect((await admitAll(own, starts)).map(({ verdict }) => verdict)).toEqual(['none', 'ok']);
  });

  test('not by an event once it was paused or deleted', async () => {
    const [paused, deleted] = [await rule(), await rule()];
    await pauseRule(at.house.em(), paused.id);
    await setRule(at.house.em(), deleted.id, { deleted_at: inMs(0) });
    const starts = [paused, deleted].map((one) => ({ rule: one, subject: about(), chain: [], eventId: uuidv7() }));
    expect((await admitAll(own, starts)).map(({ verdict }) => verdict)).toEqual(['none', 'none']);
  });

  test('not where the organization has all the live runs it may have', async () => {
    const [one, full] = [await rule(), async () => true];
    const [admission] = await admitAll(own, [{ rule: one, subject: about(), chain: [] }], full);
    expect(admission).toEqual({ verdict: 'too_many_runs', restarts: [], isTold: false });
  });
});

describe('the live runs of an organization', () => {
  test('are counted again when they could have become too many, and ended ones are none of them', async () => {
    const other = await openRuleHouse();
    try {
      let nowMs = 0;
      const isFull = createLiveRuns({ max: 3, perSecond: 1, now: () => nowMs });
      const rows = ownRows(other.house.database, other.organization);
      const ruleId = await other.rule();
      const add = (state: 'queued' | 'running' | 'succeeded') => other.run({ rule: ruleId, subject: uuidv7(), state });
      await add('succeeded');
      await add('queued');
      expect(await isFull(rows)).toBe(false);
      await add('running');
      const last = await add('queued');
      nowMs = 1_999;
      expect(await isFull(rows)).toBe(false);
      nowMs = 2_000;
      expect(await isFull(rows)).toBe(true);
      await setRun(other.house.em(), last, { state: 'succeeded' });
      nowMs = 3_000;
      expect(await isFull(rows)).toBe(false);
    } finally {
      await other.close();
    }
  });
});

describe('what is held back', () => {
  const hold = (ruleId: string, reason: 'loop' | 'too_often', n?: number) =>
    at.transact({ locks: [ruleLock(ruleId)] }, ({ own: tx }) => holdBack(tx, ruleId, reason, n));
  const told = async (ruleId: string) => (await eventsOf(at.house.em(), ruleId)).map(({ data }) => [data.reason, data.count]);
  const counts = (ruleId: string) => at.house.em().find(AutomationHeld, { rule_id: ruleId }, { orderBy: { reason: 'asc' } });
  const anHourLater = (ruleId: string) =>
    at.house.em().nativeUpdate(AutomationHeld, { rule_id: ruleId }, { told_at: inMs(-hourMs) });

  test('is counted by reason, and told once an hour with what came since', async () => {
    const { id } = await rule();
    await hold(id, 'loop');
    await hold(id, 'loop', 3);
    await hold(id, 'too_often', 2);
    await hold(id, 'loop');
    expect(await told(id)).toEqual([
      ['loop', 1],
      ['too_often', 2],
    ]);
    await anHourLater(id);
    await hold(id, 'loop', 5);
    await hold(id, 'loop');
    expect((await told(id)).at(-1)).toEqual(['loop', 9]);
    expect(await told(id)).toHaveLength(3);
    expect(await counts(id)).toMatchObject([
      { reason: 'loop', count: 11, told: 10 },
      { reason: 'too_often', count: 2, told: 2 },
    ]);
  });

  test('is told by the event of the rule, under its lock', async () => {
    const { id } = await rule();
    await hold(id, 'too_often');
    const [event] = await eventsOf(at.house.em(), id);
    expect(fieldsOf(event!, 'type', 'subject_type', 'data', 'cause', 'chain')).toEqual({
      type: 'automation.rule.held',
      subject_type: 'automation_rule',
      data: { rule_id: id, organization_id: at.organization, reason: 'too_often', count: 1 },
      cause: null,
      chain: null,
    });
    await expect(at.transact({}, ({ own: tx }) => holdBack(tx, id, 'loop'))).rejects.toThrow('changed at the same time');
  });
});
