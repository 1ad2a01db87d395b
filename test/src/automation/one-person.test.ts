import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { forgetInRules } from '../../../src/automation/erasure/forget-in-rules.ts';
import { forgetInRuns } from '../../../src/automation/erasure/forget-in-runs.ts';
import { AutomationRule, AutomationRuleVersion } from '../../../src/automation/rule.entity.ts';
import { AutomationRun, AutomationStep, AutomationWait } from '../../../src/automation/run.entity.ts';
import { runJobOfRule } from '../../../src/automation/runs/run-job.ts';
import type { RunState } from '../../../src/automation/states.ts';
import { eraseContact, eraseLocks, type Remains } from '../../../src/contacts/erasure/erase.ts';
import { scrubEvents } from '../../../src/contacts/erasure/scrub-events.ts';
import { lookAtPair, mergeContacts, mergeLocks } from '../../../src/contacts/merging/merge.ts';
import { ownRows } from '../../../src/platform/database/own.ts';
import { uuidv7 } from '../../../src/platform/ids.ts';
import { transactFor } from '../../../src/platform/ledger/tenant.ts';
import { automationRun, rule, stepOf } from '../../support/factories/automation.ts';
import { channel } from '../../support/factories/channel.ts';
import { conversation } from '../../support/factories/conversation.ts';
import { type House, openHouse } from '../../support/house.ts';
import { setRun, stepsOfRun, storedRun, waitForMessage } from '../../support/rules/automation.ts';
import { inMs } from '../../support/rules/clock.ts';
import { eventsOfType, storeEvent } from '../../support/rules/events.ts';
import { fieldsOf } from '../../support/rules/rows.ts';
import { testSecrets } from '../../support/secrets.ts';

type Talk = Awaited<ReturnType<typeof conversation>>;

let house: House;
let ruleId: string;
let [survivor, merged]: Talk[] = [] as never;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());
beforeEach(async () => {
  const { organizationId } = house;
  ruleId = (await rule(house.em(), organizationId)).id;
  const made = await channel(house.em(), organizationId);
  survivor = await conversation(house.em(), organizationId, { channel: made });
  merged = await conversation(house.em(), organizationId, { channel: made });
});

const own = () => ownRows(house.database, house.organizationId);
const transact = () => transactFor(house.ledger.transact, house.organizationId);
const runOf = (id: string) => storedRun(house.em(), id);
const make = async (given: {
  state?: RunState;
  subjectType?: string;
  subjectId?: string;
  contactId?: string | null;
  isExclusive?: boolean;
  createdAt?: string;
}) => (await automationRun(house.em(), house.organizationId, { ruleId, vars: { name: 'Ann Lee' }, ...given })).id;
const about = ({ contact: { id } }: Talk, given: Parameters<typeof make>[0] = {}) =>
  make({ contactId: id, subjectId: id, ...given });

/** With its job, as a run that waits. */
async function alive(talk: Talk, given: Parameters<typeof make>[0] = {}) {
  const id = await about(talk, { state: 'running', ...given });
  const jobId = await transact()({}, async ({ own: tx }) => tx.enqueue(runJobOfRule, { run_id: id }));
  await setRun(house.em(), id, { job_id: jobId, waiting_for: 'wait', wakes_at: inMs(0) });
  await waitForMessage(house.em(), house.organizationId, id, talk.contact.id);
  return { id, jobId };
}
const waitsOf = async (id: string) => (await house.em().find(AutomationWait, { run_id: id })).map(({ subject_id }) => subject_id);

async function merge() {
  const asked = { id: merged!.contact.id, otherId: survivor!.contact.id };
  await transact()({ look: () => lookAtPair(own(), asked), locks: mergeLocks }, ({ own: tx }) => mergeContacts(tx, 'cli', asked));
}
const erase = ({ contact: { id }, id: conversationId }: Talk) =>
  transact()({ locks: eraseLocks(id, [conversationId]) }, ({ own: tx }) => eraseContact(tx, testSecrets, id));

describe('two contacts that become one', () => {
  test('runs, their subjects and their waits are the survivor’s', async () => {
    const { id } = await alive(merged!, { isExclusive: true });
    const ended = await about(merged!);
    const ofTalk = await make({ subjectType: 'conversation', subjectId: merged!.id, contactId: merged!.contact.id });
    const ofDeal = await make({ subjectType: 'deal', contactId: merged!.contact.id });
    await merge();
    for (const one of [id, ended])
      expect(await runOf(one)).toMatchObject({ contact_id: survivor!.contact.id, subject_id: survivor!.contact.id });
    expect(await runOf(id)).toMatchObject({ state: 'running' });
    expect(await waitsOf(id)).toEqual([survivor!.contact.id]);
    expect(await runOf(ofTalk)).toMatchObject({ contact_id: survivor!.contact.id, subject_id: survivor!.id });
    expect(await runOf(ofDeal)).toMatchObject({ contact_id: survivor!.contact.id, subject_type: 'deal' });
  });

  test.each([
    ['survivor', 'merged'],
    ['merged', 'survivor'],
  ] as const)(
    'one live run each, of a rule that has one at a time: that of the %s, which began first, lives on',
    async (first, second) => {
      const talks = { survivor: survivor!, merged: merged! };
      const one = await alive(talks[first], { isExclusive: true, createdAt: '2026-01-01T00:00:00.000Z' });
      const other = await alive(talks[second], { isExclusive: true, createdAt: '2026-01-02T00:00:00.000Z' });
      await stepOf(house.em(), house.organizationId, other.id, { state: 'waiting' });
      await merge();
      expect(await runOf(one.id)).toMatchObject({ state: 'running', contact_id: survivor!.contact.id, job_id: one.jobId });
      expect(await runOf(other.id)).toMatchObject({
        state: 'cancelled',
        reason: 'duplicate',
        contact_id: survivor!.contact.id,
        job_id: null,
        wakes_at: null,
      });
      expect((await runOf(other.id)).ended_at).not.toBeNull();
      expect(await waitsOf(other.id)).toEqual([]);
      expect(await house.row(one.jobId)).toMatchObject({ id: one.jobId });
      expect(await house.row(other.jobId)).toBeUndefined();
      expect((await stepsOfRun(house.em(), other.id))[0]?.state).toBe('skipped');
    },
  );

  test('of a rule that has many at a time both live on', async () => {
    const [one, other] = [await alive(survivor!), await alive(merged!)];
    await merge();
    for (const { id } of [one, other])
      expect(await runOf(id)).toMatchObject({ state: 'running', subject_id: survivor!.contact.id });
  });

  test('both had a run of the same moment: what still lives of the two ends', async () => {
    const [one, other] = [await about(survivor!), (await alive(merged!)).id];
    await setRun(house.em(), [one, other], { occurs_at: '2026-01-01' });
    await merge();
    expect(await runOf(one)).toMatchObject({ state: 'succeeded' });
    expect(await runOf(other)).toMatchObject({ state: 'cancelled', reason: 'duplicate', contact_id: survivor!.contact.id });
  });
});

describe('an erased person', () => {
  const texts = async () => {
    const runs = await house.em().find(AutomationRun, { rule_id: ruleId });
    const ids = runs.map(({ id }) => id);
    return JSON.stringify([runs, await stepsOfRun(house.em(), ids)]);
  };

  test('live runs are cancelled, with their jobs and waits; nothing is left that a step was given or gave', async () => {
    const { id, jobId } = await alive(survivor!);
    const ended = await about(survivor!);
    const failed = await about(survivor!, { state: 'failed' });
    const ofTalk = await make({ state: 'queued', subjectType: 'conversation', subjectId: survivor!.id });
    const others = await about(merged!);
    const error = { code: 'suppressed', message: 'Ann Lee opted out' };
    await setRun(house.em(), failed, { error, reason: 'Ann Lee' });
    await stepOf(house.em(), house.organizationId, id, { state: 'calling', input: { body: 'Ann Lee' } });
    await stepOf(house.em(), house.organizationId, ended, { input: { text: 'Dear Ann Lee' }, output: { to: 'Ann Lee' } });
    await stepOf(house.em(), house.organizationId, others, { output: { to: 'Bob' } });
    await setRun(house.em(), others, { vars: {} });
    await erase(survivor!);
    for (const live of [id, ofTalk])
      expect(await runOf(live)).toMatchObject({
        state: 'cancelled',
        reason: 'contact_deleted',
        contact_id: null,
        vars: {},
        job_id: null,
      });
    expect(await house.row(jobId)).toBeUndefined();
    expect(await waitsOf(id)).toEqual([]);
    expect(await runOf(ended)).toMatchObject({ state: 'succeeded', reason: '', contact_id: null, vars: {} });
    expect(await runOf(failed)).toMatchObject({
      state: 'failed',
      reason: '',
      error: { code: 'suppressed', message: 'Removed with the contact' },
    });
    const steps = await stepsOfRun(house.em(), [id, ended]);
    expect(steps.map((step) => fieldsOf(step, 'state', 'input', 'output', 'error'))).toEqual([
      { state: 'failed', input: null, output: null, error: { code: 'outcome_unknown', message: 'Removed with the contact' } },
      { state: 'done', input: null, output: null, error: null },
    ]);
    const held = await texts();
    expect(held).not.toContain('Ann Lee');
    expect(held).toContain('Bob');
  });

  const heldBySteps = async (id: string) => (await stepsOfRun(house.em(), id)).map((step) => fieldsOf(step, 'input', 'output'));

  const remains = (more: Partial<Remains> = {}) =>
    ({
      ...{ ids: [], conversations: [], deals: [], tasks: [], goneTasks: [], records: [] },
      identities: [{ type: 'phone', source: '', value: '+16505550199' }],
      names: ['Ann Lee'],
      ...more,
    }) as Remains;

  test('what runs about a deal of theirs hold does not name them; a schedule’s has not their number', async () => {
    const deal = uuidv7();
    const ofDeal = await make({ state: 'running', subjectType: 'deal', subjectId: deal });
    const scheduled = await make({ subjectType: 'organization', subjectId: house.organizationId });
    const other = await make({ subjectType: 'deal', subjectId: uuidv7() });
    for (const id of [ofDeal, scheduled])
      await stepOf(house.em(), house.organizationId, id, { input: { to: '+1 (650) 555-0199' }, output: { of: 'Ann Lee' } });
    expect(await forgetInRuns(transact(), own(), remains({ deals: [deal] }))).toBe(2);
    expect(await runOf(ofDeal)).toMatchObject({ state: 'running', vars: { name: '[removed]' } });
    expect(await heldBySteps(ofDeal)).toEqual([{ input: { to: '[removed]' }, output: { of: '[removed]' } }]);
    expect(await heldBySteps(scheduled)).toEqual([{ input: { to: '[removed]' }, output: { of: 'Ann Lee' } }]);
    expect(await runOf(other)).toMatchObject({ vars: { name: 'Ann Lee' } });
    expect(await forgetInRuns(transact(), own(), remains({ deals: [deal] }))).toBe(0);
  });

  test.each(['Vars', 'Reason', 'Error', 'Steps', 'Number', 'Input', 'Output', 'Code', 'Message'])(
    'somebody called %s, as a column of ours: what runs hold stays a run',
    async (name) => {
      const deal = uuidv7();
      const id = await make({ state: 'failed', subjectType: 'deal', subjectId: deal });
      const reason = `${name} said so`;
      await setRun(house.em(), id, { reason, error: { code: 'refused', message: reason } });
      await stepOf(house.em(), house.organizationId, id, { input: { to: name }, output: { to: name } });
      const error = { code: 'refused', message: `${name} said no` };
      await house.em().nativeUpdate(AutomationStep, { run_id: id }, { error });
      const named = remains({ identities: [{ type: 'external_id', source: '', value: name.toLowerCase() }], names: [name] });
      expect(await forgetInRuns(transact(), own(), { ...named, deals: [deal] })).toBe(1);
      expect(await runOf(id)).toMatchObject({
        vars: { name: 'Ann Lee' },
        reason: '[removed] said so',
        error: { code: 'refused', message: '[removed] said so' },
      });
      const steps = await stepsOfRun(house.em(), id);
      expect(steps.map((step) => fieldsOf(step, 'number', 'input', 'output', 'error'))).toEqual([
        {
          number: 1,
          input: { to: '[removed]' },
          output: { to: '[removed]' },
          error: { code: 'refused', message: '[removed] said no' },
        },
      ]);
      expect(await forgetInRuns(transact(), own(), { ...named, deals: [deal] })).toBe(0);
    },
  );

  test('rules do not ask for them, neither the draft nor a version', async () => {
    const conditions = {
      any: [
        { field: 'contact.phone_number', value: '+16505550199' },
        { field: 'contact.name', value: 'Ann Lee' },
        { field: 'contact.custom_fields.no', value: 16505550199 },
        { field: 'contact.name', value: 'Ann' },
      ],
    };
    const { id } = await rule(house.em(), house.organizationId, { definition: { conditions } });
    expect(await forgetInRules(transact(), own(), remains())).toBe(2);
    const { draft } = await house.em().findOneOrFail(AutomationRule, { id });
    const { definition } = await house.em().findOneOrFail(AutomationRuleVersion, { rule_id: id });
    const values = ['[removed]', '[removed]', '[removed]', 'Ann'];
    for (const one of [draft, definition])
      expect(one).toMatchObject({ conditions: { any: values.map((value) => expect.objectContaining({ value })) } });
    expect(await forgetInRules(transact(), own(), remains())).toBe(0);
  });

  /** The rows of the organization, and how many one statement returned at most. */
  function counted() {
    const rows = own();
    const sizes: number[] = [];
    const read = rows.sql.bind(rows);
    rows.sql = async <Row>(...asked: Parameters<typeof rows.sql>) => {
      const found = await read<Row>(...asked);
      sizes.push(found.length);
      return found;
    };
    return { rows, most: () => Math.max(...sizes) };
  }

  test('of many versions a few are read at once', async () => {
    const definition = { conditions: { field: 'contact.name', value: 'Ann Lee' } };
    const { id } = await rule(house.em(), house.organizationId, { definition });
    const first = await house.em().findOneOrFail(AutomationRuleVersion, { rule_id: id });
    const { organization_id, definition: stored } = first;
    const others = Array.from({ length: 44 }, (_, index) => ({
      organization_id,
      rule_id: id,
      number: index + 2,
      definition: stored,
    }));
    await house.em().insertMany(AutomationRuleVersion, others);
    const { rows, most } = counted();
    expect(await forgetInRules(transact(), rows, remains())).toBe(46);
    expect(most()).toBe(20);
    const left = await house.em().find(AutomationRuleVersion, { rule_id: id });
    expect(left.filter((one) => JSON.stringify(one.definition).includes('Ann Lee'))).toEqual([]);
  });

  test('of many steps a few are read at once', async () => {
    const deal = uuidv7();
    const ids = [await make({ subjectType: 'deal', subjectId: deal }), await make({ subjectType: 'deal', subjectId: deal })];
    for (const id of ids)
      for (let number = 1; number <= 130; number += 1)
        await stepOf(house.em(), house.organizationId, id, { number, input: { to: number % 2 ? 'Ann Lee' : 'Bob' } });
    const { rows, most } = counted();
    expect(await forgetInRuns(transact(), rows, remains({ deals: [deal] }))).toBe(2);
    expect(most()).toBe(100);
    const inputs = (await stepsOfRun(house.em(), ids)).map(({ input }) => (input as { to: string }).to);
    expect(new Set(inputs)).toEqual(new Set(['[removed]', 'Bob']));
    expect(await forgetInRuns(transact(), own(), remains({ deals: [deal] }))).toBe(0);
  });

  test('what a system told of them in an event goes, its name too', async () => {
    const { id } = survivor!.contact;
    const data = { contact_id: id, name: 'trial_started', data: { friend: 'Ann Lee' } };
    await storeEvent(house.em(), house.organizationId, {
      type: 'automation.event',
      subjectType: 'contact',
      subjectId: id,
      data,
    });
    expect(await scrubEvents(house.ledger.transact, own(), remains({ ids: [id] }))).toBe(1);
    const [event] = await eventsOfType(house.em(), 'automation.event');
    expect(event?.data).toEqual({ contact_id: id, name: '', data: {} });
    expect(await scrubEvents(house.ledger.transact, own(), remains({ ids: [id] }))).toBe(0);
  });
});
