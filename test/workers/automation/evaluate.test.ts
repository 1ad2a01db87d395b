import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Conditions } from '../../../src/automation/conditions/conditions.ts';
import { createDefinitions } from '../../../src/automation/evaluate/definitions.ts';
import { evaluation, writeEvaluation } from '../../../src/automation/evaluate/evaluate.ts';
import { lookAtEvent } from '../../../src/automation/evaluate/look.ts';
import { ownRows } from '../../../src/platform/database/own.ts';
import { automationEvent, ruleHeld } from '../../../src/platform/events/automation-events.ts';
import { contactDeleted, messageNew } from '../../../src/platform/events/catalogue.ts';
import type { Cause } from '../../../src/platform/events/cause.ts';
import { evaluateEvent } from '../../../workers/automation/evaluate.ts';
import { openRuleHouse, type RuleHouse } from '../../support/evaluations.ts';
import { type ContactMade, contact } from '../../support/factories/contact.ts';
import { conversation } from '../../support/factories/conversation.ts';
import { message } from '../../support/factories/message.ts';
import type { ToyHandler } from '../../support/house.ts';
import { ruleRows } from '../../support/work/automation.ts';
import { contactRows } from '../../support/work/contacts.ts';
import { eventRows } from '../../support/work/events.ts';
import { jobRows } from '../../support/work/jobs.ts';

let at: RuleHouse;
let who: ContactMade;
beforeAll(async () => {
  at = await openRuleHouse();
});
afterAll(() => at.close());
beforeEach(async () => {
  await at.reset();
  who = await contact(at.house.em(), at.organization, { name: 'Ada' });
});

const updated = (cause?: Cause) => at.updated(who.id, cause);
const evaluating = () => ({
  own: ownRows(at.house.database, at.organization),
  stopWords: [],
  read: createDefinitions().read,
});

describe('an event', () => {
  test('begins a run of each rule that its trigger names, with a job each', async () => {
    const [plain, alone, logging] = [await at.rule(), await at.rule({ concurrency: 'skip' }), await at.rule({ mode: 'log' })];
    const event = await updated();
    expect(await at.evaluate(event)).toEqual({ kind: 'done' });
    const about = { subject_type: 'contact', subject_id: who.id, contact_id: who.id, event_id: event };
    for (const [rule, mode, isExclusive] of [
      [plain, 'live', false],
      [alone, 'live', true],
      [logging, 'log', false],
    ] as const) {
      const made = await at.runs(rule);
      expect(made).toHaveLength(1);
      expect(made[0]).toMatchObject({ ...about, mode, version: 1, state: 'queued', trigger: 'event', chain: [rule] });
      expect(made[0]!.is_exclusive).toBe(isExclusive);
      const jobs = await jobRows.all(at, { subject_id: made[0]!.id }, ['id', 'name', 'queue', 'pool', 'state', 'lane']);
      const pool = `automation:${at.organization}`;
      expect(jobs).toEqual([
        { id: made[0]!.job_id, name: 'automation.run', queue: 'automations', pool, state: 'queued', lane: null },
      ]);
    }
    expect(await at.evaluationOf(event)).toBeUndefined();
  });

  test('that was purged, or whose rule was paused meanwhile, begins nothing', async () => {
    const rule = await at.rule();
    const other = await contact(at.house.em(), at.organization);
    const [purged, late] = [await updated(), await at.updated(other.id)];
    await eventRows.remove(at, purged);
    expect(await at.evaluate(purged)).toEqual({ kind: 'done' });
    await ruleRows.change(at, rule, { status: 'paused' });
    expect(await at.evaluate(late)).toEqual({ kind: 'done' });
    expect(await at.runs(rule)).toEqual([]);
  });

  test('begins the other rules where one cannot be evaluated, and wakes the other waits', async () => {
    const [broken, sound] = [
      await at.rule({ conditions: { all: null } as unknown as Conditions }),
      await at.rule({ conditions: { field: 'contact.name', value: 'Ada' } }),
    ];
    const waits = [
      await at.waitsFor({ contactId: who.id, conditions: { not: null } as unknown as Conditions }),
      await at.waitsFor({ contactId: who.id }),
    ];
    const event = await updated();
    expect(await at.evaluate(event)).toEqual({ kind: 'done' });
    expect(await at.runs(broken)).toEqual([]);
    expect(await at.runs(sound)).toHaveLength(1);
    const woken = await Promise.all(waits.map((id) => at.waitSeen(id)));
    expect(woken.map(({ event_id }) => event_id)).toEqual([null, event]);
    expect(at.house.lines.filter(({ rule_id }) => rule_id === broken)).toMatchObject([
      { job: 'automation.evaluate', event_id: event },
    ]);
  });

  test('begins each of more rules than are read at once', async () => {
    const ids: string[] = [];
    for (let n = 0; n < 45; n += 1)
      ids.push(await at.rule({ conditions: { field: 'contact.name', value: n % 2 ? 'Ada' : 'Bo' } }));
    await at.evaluate(await updated());
    const begun = await Promise.all(ids.map(async (id) => (await at.runs(id)).length));
    expect(begun).toEqual(ids.map((_, n) => n % 2));
  });

  test('of rules and runs begins nothing, whatever a rule says', async () => {
    const other = await at.rule();
    const rule = await at.rule({ trigger: { type: 'event', event: 'automation.rule.held' } });
    const event = await at.emit(ruleHeld, { rule_id: other, organization_id: at.organization, reason: 'loop', count: 1 });
    expect(await at.evaluate(event)).toEqual({ kind: 'done' });
    expect(await at.runs(rule)).toEqual([]);
  });

  test('of the deletion of a contact begins a run about nobody', async () => {
    const rule = await at.rule({ trigger: { type: 'event', event: 'contact.deleted' } });
    await contactRows.remove(at, who.id);
    const event = await at.emit(contactDeleted, { contact_id: who.id, organization_id: at.organization, merged_into: '' });
    expect(await at.evaluate(event)).toEqual({ kind: 'done' });
    expect(await at.runs(rule)).toMatchObject([{ subject_type: 'contact', subject_id: who.id, contact_id: null }]);
  });

  test('that a system told begins the rules of its name', async () => {
    const [trial, order] = [
      await at.rule({ trigger: { type: 'api', name: 'trial_started' } }),
      await at.rule({ trigger: { type: 'api', name: 'order_paid' } }),
    ];
    const data = { contact_id: who.id, name: 'trial_started', organization_id: at.organization, data: { plan: 'pro' } };
    await at.evaluate(await at.emit(automationEvent, data, { by: 'key:1' }));
    expect(await at.runs(trial)).toMatchObject([{ trigger: 'api', subject_id: who.id, contact_id: who.id, chain: [trial] }]);
    expect(await at.runs(order)).toEqual([]);
  });

  test('of a message begins keyword rules, about its conversation, in a chain of their own', async () => {
    const keyword = { type: 'keyword' as const, match: 'contains' as const, keywords: ['price'] };
    const [hears, deaf] = [await at.rule({ trigger: keyword }), await at.rule({ trigger: { ...keyword, keywords: ['menu'] } })];
    const talk = await conversation(at.house.em(), at.organization, { contact: who });
    const id = await message(at.house.em(), at.organization, talk, { direction: 'inbound', body: 'What is the PRICE?' });
    const event = await at.emit(messageNew, {
      message_id: id,
      conversation_id: talk.id,
      contact_id: who.id,
      channel_id: talk.channel.id,
      direction: 'inbound',
      from_phone: '',
      msg_type: 'text',
    });
    await at.evaluate(event);
    const about = { trigger: 'keyword', subject_type: 'conversation', subject_id: talk.id, contact_id: who.id, chain: [hears] };
    expect(await at.runs(hears)).toMatchObject([about]);
    expect(await at.runs(deaf)).toEqual([]);
  });
});

describe('exactly once', () => {
  test('an evaluation that runs twice, and three that run at once', async () => {
    const rule = await at.rule();
    const job = (await at.evaluationOf(await updated()))!;
    const handler = evaluateEvent as unknown as ToyHandler;
    const ends = await Promise.all([1, 2, 3].map(() => at.house.run(handler, job)));
    expect(ends.map(({ kind }) => kind).sort()).toEqual(['done', 'stale', 'stale']);
    expect((await at.house.run(handler, job)).kind).toBe('stale');
    expect(await at.runs(rule)).toHaveLength(1);
    expect(await at.house.rows()).toHaveLength(1);
  });

  test.each(['each', 'skip', 'restart'] as const)('another evaluation of the event changes nothing: %s', async (concurrency) => {
    const rule = await at.rule({ concurrency });
    const event = await updated();
    const [own, before] = [evaluating(), await lookAtEvent(evaluating(), event)];
    await at.evaluate(event);
    const runs = await at.runs(rule);
    expect(runs).toHaveLength(1);
    // Also one that looked before the first wrote.
    for (const seen of [before, await lookAtEvent(own, event)]) await at.transact(evaluation(own, seen), writeEvaluation);
    expect([await at.runs(rule), await at.held(rule), await at.told(rule)]).toEqual([runs, [], []]);
    expect(await at.house.rows()).toHaveLength(1);
  });

  test.each([
    ['subject_busy', { concurrency: 'skip' as const }],
    ['too_often', { limits: { starts_per_hour: 1 } }],
  ])('another event begins a run between the look and the write: %s', async (reason, given) => {
    const rule = await at.rule(given);
    const [first, second] = [await updated(), await updated()];
    const own = evaluating();
    const { look, ...more } = evaluation(own, await lookAtEvent(own, second));
    const between = async (attempt: number) => {
      const seen = await look(attempt);
      if (attempt === 1) await at.evaluate(first);
      return seen;
    };
    await at.transact({ ...more, look: between }, writeEvaluation);
    expect((await at.runs(rule)).map(({ event_id }) => event_id)).toEqual([first]);
    expect(await at.held(rule)).toEqual([{ reason, count: 1 }]);
  });

  test('the person is erased between the look and the write: the run is about nobody', async () => {
    const rule = await at.rule();
    const event = await updated();
    const own = evaluating();
    const seen = await lookAtEvent(own, event);
    await contactRows.remove(at, who.id);
    await at.transact(evaluation(own, seen), writeEvaluation);
    expect(await at.runs(rule)).toMatchObject([{ subject_id: who.id, contact_id: null, event_id: event }]);
  });

  test('the events of a subject are evaluated in their order, those of others at once', async () => {
    const rule = await at.rule();
    const other = await contact(at.house.em(), at.organization);
    const events = [await updated(), await updated(), await updated()];
    const beside = await at.updated(other.id);
    const states = async () => Promise.all([...events, beside].map(async (id) => (await at.evaluationOf(id))?.state));
    expect(await states()).toEqual(['queued', 'blocked', 'blocked', 'queued']);
    expect((await at.evaluate(events[1]!)).kind).toBe('stale');
    await at.evaluate(events[0]!);
    expect(await states()).toEqual([undefined, 'queued', 'blocked', 'queued']);
    for (const id of [events[1]!, events[2]!, beside]) await at.evaluate(id);
    expect((await at.runs(rule)).map(({ event_id }) => event_id)).toEqual([...events, beside]);
  });
});
