import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { demoAccount } from '../../sandbox/demo-account.ts';
import { type Body, type Channel, useApp } from '../support/app.ts';
import { person } from '../support/factories/person.ts';
import { makeDue } from '../support/stored/api-jobs.ts';
import { storedRules } from '../support/stored/automation.ts';
import { storedConversationNotes, storedConversations, storedTemplates } from '../support/stored/messaging.ts';
import { waitFor } from '../support/wait-for.ts';

const text = readFileSync('docs/automation.md', 'utf8');
/** By its number on the page. */
const examples = [...text.matchAll(/^### \d+\. .*\n[\s\S]*?```json\n([\s\S]*?)```/gm)].map(([, json]) => json!);
const app = useApp({ workers: true });
let channel: Channel;
const seen: { authorization: string | undefined; body: string }[] = [];
/** Stands for the system of example 8. */
const crm = createServer(async (request, response) => {
  let body = '';
  for await (const chunk of request) body += chunk;
  seen.push({ authorization: request.headers.authorization, body });
  response.writeHead(200, { 'content-type': 'application/json' }).end('{"id": "L-7"}');
});

beforeAll(async () => {
  channel = await app.connect({ account: { templates: demoAccount.templates } });
  await new Promise<void>((resolve) => crm.listen(0, '127.0.0.1', resolve));
  await waitFor('the templates', async () => (await storedTemplates.count(app, { channel_id: channel.id })) > 1);
});
afterAll(() => new Promise((resolve) => crm.close(resolve)));

const api = async (operationId: string, params: Record<string, string>, body?: object): Promise<Body> => {
  const reply = await app.call(operationId, { params, ...(body && { body }) });
  if (reply.status >= 300) throw new Error(`${operationId}: ${reply.status} ${reply.text}`);
  return reply.body;
};

/** The rule as the page has it, published. `given`: what stands in angle brackets, or is elsewhere in a test. */
async function published(number: number, given: Record<string, string> = {}): Promise<string> {
  const json = Object.entries(given).reduce((whole, [name, value]) => whole.replaceAll(name, value), examples[number - 1]!);
  const { id } = await api('automation.rules.create', {}, JSON.parse(json));
  const { status } = await api('automation.rules.publish', { ruleID: id });
  expect(status).toBe('live');
  return id;
}

const pause = (ruleID: string) => api('automation.rules.pause', { ruleID });

const runsOf = async (rule_id: string): Promise<Body[]> =>
  (await app.call('automation.runs.list', { query: { rule_id } })).body.items;

/** The one run of the rule, in this state, with its steps. */
async function runOf(ruleId: string, isThere: (run: Body) => boolean = ({ state }) => state === 'succeeded'): Promise<Body> {
  const run = await waitFor('the run', async () => {
    const runs = await runsOf(ruleId);
    if (runs.some(({ state }) => state === 'failed')) throw new Error(JSON.stringify(runs));
    return runs.find(isThere);
  });
  return api('automation.runs.get', { runID: run.id });
}
const taken = ({ steps }: Body): string[] => steps.map(({ step_id, state }: Body) => `${step_id} ${state}`);
const output = ({ steps }: Body, id: string): Body => steps.find(({ step_id }: Body) => step_id === id).output;

/** As if the time that the run waits for had come. */
async function timePasses(runId: string): Promise<void> {
  // Its job is not at rest before.
  await app.idle();
  await app.rows(
    `update automation_runs
        set position = jsonb_set(position, '{waiting,until}', to_jsonb(to_char((clock_timestamp() - interval '1 s') at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')))
      where id = $1`,
    [runId],
  );
  await makeDue(app, runId);
}

/** As if the moment that the rule waits for were this one. */
async function momentComes(ruleId: string, at: Date): Promise<void> {
  await storedRules.change(app, ruleId, { next_at: at.toISOString() });
  await makeDue(app, ruleId);
}

const dayMs = 86_400_000;
/** The last nine o'clock in UTC. */
const nine = () => new Date(Math.floor((Date.now() - 9 * 3_600_000) / dayMs) * dayMs + 9 * 3_600_000);
const dayOf = (date: Date) => date.toISOString().slice(0, 10);

const newContact = async (more: object = {}): Promise<string> =>
  (await api('contacts.create', {}, { name: 'Ada', phone_number: `+${app.phone()}`, ...more })).data.id;
const contactOf = async (contactID: string): Promise<Body> => (await api('contacts.get', { contactID })).data;
const textsTo = async (phone: string): Promise<string[]> =>
  (await app.sends(channel))
    .filter(({ body }) => body.to.endsWith(phone))
    .map(({ body }) => body.text?.body ?? body.template.name);
const messageOf = (phone: string, says = 'Hello') => app.inbound(channel, phone, says);

describe('the rules of docs/automation.md, as they stand', () => {
  test('are ten', () => {
    expect(examples).toHaveLength(10);
  });

  test('1: somebody new is welcomed out of hours, and the team is reminded when it is there', async () => {
    const [day] = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'].slice(
      (new Date().getUTCDay() + 3) % 7,
    );
    const organization = { business_hours: [{ day: day!, from: '09:00', to: '10:00' }] };
    await api('organization.update', {}, organization);
    const rule = await published(1);
    const phone = app.phone();
    await messageOf(phone);
    const waiting = await runOf(rule, ({ waiting_for }) => waiting_for === 'wait');
    expect(taken(waiting)).toEqual(['greet done', 'look waiting']);
    await waitFor('the message', async () => (await textsTo(phone)).some((one) => one.startsWith('Welcome to ')));
    await api('organization.update', {}, { business_hours: [] });
    await timePasses(waiting.id);
    const run = await runOf(rule);
    const task = await api('crm.tasks.get', { taskID: output(run, 'remind').task_id });
    expect(task).toMatchObject({ title: 'Answer Person', priority: 'high' });
    await messageOf(phone, 'Are you there?');
    await messageOf(app.phone());
    await app.idle();
    expect(await runsOf(rule)).toHaveLength(1);
    await pause(rule);
  });

  test('2: the owner of a deal is reminded a day before it should close', async () => {
    const { userId } = await person(app.em(), app.tenant.organizationId);
    const at = nine();
    const expected_close_at = `${dayOf(new Date(at.getTime() + dayMs))}T15:00:00Z`;
    const deals = [{ owner_user_id: userId }, {}, { owner_user_id: userId, status: 'lost' }];
    for (const more of deals) await api('crm.deals.create', {}, { title: 'Forty seats', expected_close_at, ...more });
    const rule = await published(2);
    await momentComes(rule, at);
    const run = await runOf(rule);
    const task = await api('crm.tasks.get', { taskID: output(run, 'remind').task_id });
    expect(task).toMatchObject({ title: 'Forty seats should close tomorrow', assignee_id: userId });
    expect(await runsOf(rule)).toHaveLength(1);
    await pause(rule);
  });

  test('3: whoever does not reply for a day is asked once more, and whoever replies is not', async () => {
    const rule = await published(3);
    const [silent, replies] = [await app.conversation(channel), await app.conversation(channel)];
    for (const { phone } of [silent, replies]) expect((await app.text(channel, phone)).status).toBe(201);
    await waitFor(
      'both runs',
      async () => (await runsOf(rule)).filter(({ waiting_for }) => waiting_for === 'wait_for').length === 2,
    );
    await messageOf(replies.phone, 'Yes');
    const answered = await runOf(rule);
    expect([answered.subject_id, taken(answered)]).toEqual([replies.id, ['reply done']]);
    const [waiting] = (await runsOf(rule)).filter(({ subject_id }) => subject_id === silent.id);
    await timePasses(waiting.id);
    await runOf(rule, ({ id, state }) => id === waiting.id && state === 'succeeded');
    await waitFor('the template', async () => (await textsTo(silent.phone)).length === 2);
    expect(await textsTo(silent.phone)).toEqual(['Hello', 'hello_kanal']);
    expect((await contactOf(silent.contactId)).tags).toEqual(['followed up']);
    await app.idle();
    expect(await textsTo(replies.phone)).toEqual(['Hello']);
    expect(await runsOf(rule)).toHaveLength(2);
    await pause(rule);
  });

  test('4: a conversation goes to the agent with the fewest', async () => {
    const { organizationId } = app.tenant;
    const [busy, free] = [await person(app.em(), organizationId, 'agent'), await person(app.em(), organizationId, 'agent')];
    const taken_ = await app.conversation(channel);
    await api('conversations.update', { conversationID: taken_.id }, { assignee_id: busy.userId });
    const rule = await published(4);
    await messageOf(app.phone(), 'Help me');
    const run = await runOf(rule);
    const { assignee_id } = (await storedConversations.all(app, run.subject_id, { columns: ['assignee_id'] }))[0];
    expect(assignee_id).toBe(free.userId);
    expect(taken(run)).toEqual(['assign done', 'note done']);
    const [note] = await storedConversationNotes.all(app, { conversation_id: run.subject_id }, { columns: ['body'] });
    expect(note.body).toBe('Handed over by the rule: Help me');
    await messageOf(taken_.phone, 'And me');
    await app.idle();
    expect(await runsOf(rule)).toHaveLength(1);
    await pause(rule);
  });

  test('5: who buys for 1,000 or more is a VIP', async () => {
    const rule = await published(5);
    const [small, large] = [await newContact(), await newContact()];
    for (const [contact_id, amount_minor] of [
      [small, '99999'],
      [large, '100000'],
    ]) {
      const deal = { title: 'Seats', amount_minor, currency_code: 'EUR', contacts: [{ contact_id }] };
      const { id: dealID } = await api('crm.deals.create', {}, deal);
      await api('crm.deals.win', { dealID });
    }
    const run = await runOf(rule);
    expect(await contactOf(large)).toMatchObject({ tags: ['vip'], custom_fields: { tier: 'gold' } });
    const task = await api('crm.tasks.get', { taskID: output(run, 'thank').task_id });
    expect(task.title).toBe('Thank Ada for Seats');
    await app.idle();
    expect((await contactOf(small)).tags).toEqual([]);
    expect(await runsOf(rule)).toHaveLength(1);
    await pause(rule);
  });

  test('6: a birthday is wished, whatever the year', async () => {
    const at = nine();
    const born = (years: number, days = 0) =>
      `${at.getUTCFullYear() - years}${dayOf(new Date(at.getTime() + days * dayMs)).slice(4)}`;
    const phone = app.phone();
    const contact = await newContact({ phone_number: `+${phone}`, custom_fields: { birthday: born(32) } });
    await newContact({ custom_fields: { birthday: born(32, -3) } });
    const shy = await newContact({ custom_fields: { birthday: born(20) } });
    await api('contacts.tags.assign', { contactID: shy }, { name: 'no wishes' });
    const rule = await published(6, { '<channel id>': channel.id });
    await momentComes(rule, at);
    const run = await runOf(rule);
    expect([run.contact_id, taken(run)]).toEqual([contact, ['wish done']]);
    await waitFor('the wish', async () => (await textsTo(phone)).includes('hello_kanal'));
    expect(await runsOf(rule)).toHaveLength(1);
    await pause(rule);
  });

  test('7: on Monday there is a task for each of a segment', async () => {
    const { id: segment } = await api('segments.create', {}, { name: 'Guests', kind: 'static' });
    const guests = [await newContact(), await newContact()];
    await api('segments.members.add', { segmentID: segment }, { contact_ids: guests });
    const rule = await published(7, { '<segment id>': segment });
    const { next_at } = await api('automation.rules.get', { ruleID: rule });
    await momentComes(rule, new Date(Date.parse(next_at) - 7 * dayMs));
    await waitFor('both runs', async () => (await runsOf(rule)).filter(({ state }) => state === 'succeeded').length === 2);
    const [one, other] = await runsOf(rule);
    expect([one.subject_id, other.subject_id].sort()).toEqual([...guests].sort());
    const run = await api('automation.runs.get', { runID: one.id });
    const task = await api('crm.tasks.get', { taskID: output(run, 'call').task_id });
    expect(task).toMatchObject({ title: 'Call Ada', type: 'call' });
    await pause(rule);
  });

  test('8: a system is told of a new contact, and its number is kept', async () => {
    await api('automation.secrets.put', { secretName: 'CRM_TOKEN' }, { value: 's3cr3t-token', hosts: ['127.0.0.1'] });
    const url = `http://127.0.0.1:${(crm.address() as AddressInfo).port}/leads`;
    const rule = await published(8, { 'https://crm.example.com/leads': url });
    const phone = `+${app.phone()}`;
    const contact = await newContact({ phone_number: phone });
    const run = await runOf(rule);
    expect(seen).toEqual([{ authorization: 'Bearer s3cr3t-token', body: JSON.stringify({ name: 'Ada', phone }) }]);
    expect((await contactOf(contact)).custom_fields).toEqual({ crm_id: 'L-7' });
    expect(JSON.stringify(run)).not.toContain('s3cr3t-token');
    await pause(rule);
  });

  test('9: who wants no more offers is told so, and gets nothing any more', async () => {
    const rule = await published(9);
    const phone = app.phone();
    await messageOf(phone, 'No  more OFFERS');
    const run = await runOf(rule);
    expect(taken(run)).toEqual(['confirm done', 'sent done', 'deny done', 'silence done']);
    expect(await textsTo(phone)).toEqual(['You will get nothing more from us.']);
    const { status, body } = await app.text(channel, phone);
    expect([status, body.error.code]).toEqual([422, 'suppressed']);
    await pause(rule);
  });

  test('10: a trial that begins in an app is a deal', async () => {
    const rule = await published(10);
    const contact_id = await newContact();
    const told = { name: 'trial_started', contact_id, data: { plan: 'pro', seats: 12 } };
    await api('automation.events.create', {}, told);
    await api('automation.events.create', {}, { ...told, data: { plan: 'free', seats: 1 } });
    const run = await runOf(rule);
    const { deal_id } = output(run, 'deal');
    const deal = await api('crm.deals.get', { dealID: deal_id });
    expect(deal).toMatchObject({ title: 'Trial of Ada, 12 seats', amount_minor: '58800', currency_code: 'EUR' });
    const task = await api('crm.tasks.get', { taskID: output(run, 'task').task_id });
    expect(task.targets).toMatchObject([{ object_kind: 'deal', object_id: deal_id }]);
    await app.idle();
    expect(await runsOf(rule)).toHaveLength(1);
    await pause(rule);
  });
});
