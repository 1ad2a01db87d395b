import { expect, test } from '@jest/globals';
import { type FactRefs, loadFacts, subjectOf } from '../../../../src/automation/conditions/facts.ts';
import { rootsOfEvent } from '../../../../src/automation/conditions/fields.ts';
import { subjectFields } from '../../../../src/automation/definition/subject-fields.ts';
import { ContactMerge } from '../../../../src/contacts/merging/merge.entity.ts';
import { DealContact } from '../../../../src/deals/deal.entity.ts';
import { ownRows } from '../../../../src/platform/database/own.ts';
import { catalogue, eventTypes } from '../../../../src/platform/events/catalogue.ts';
import { uuidv7 } from '../../../../src/platform/ids.ts';
import { TaskTarget } from '../../../../src/tasks/task.entity.ts';
import { useApp } from '../../../support/app.ts';
import { channel } from '../../../support/factories/channel.ts';
import { conversation } from '../../../support/factories/conversation.ts';
import { message } from '../../../support/factories/message.ts';
import { storeRow } from '../../../support/rules/rows.ts';
import { variedObjects } from '../../../support/varied-objects.ts';

const app = useApp({});
const own = () => ownRows(app.web.deps.database, app.tenant.organizationId);

/** By the type of the event's subject: what a run is about. */
const decided: Record<string, 'itself' | 'its contact' | 'nothing of ours'> = {
  contact: 'itself',
  conversation: 'itself',
  deal: 'itself',
  task: 'itself',
  record: 'itself',
  order: 'its contact',
  contact_import: 'nothing of ours',
  contact_export: 'nothing of ours',
  template: 'nothing of ours',
  channel: 'nothing of ours',
  onboarding: 'nothing of ours',
  operation: 'nothing of ours',
  webhook_endpoint: 'nothing of ours',
  crm_import: 'nothing of ours',
  flow: 'nothing of ours',
  connection: 'nothing of ours',
  campaign: 'nothing of ours',
  campaign_import: 'nothing of ours',
  automation_run: 'nothing of ours',
  automation_rule: 'nothing of ours',
};

test.each(eventTypes)('%s has a subject', async (type) => {
  const { subject, example } = catalogue.find((one) => one.type === type)!;
  const id = uuidv7();
  const event = { id: uuidv7(), type, subject_type: subject.type, subject_id: id, data: { ...example, [subject.id]: id } };
  expect(Object.keys(decided)).toContain(subject.type);
  const found = await subjectOf(own(), event);
  // The object is not there: it stands for itself, and for nobody.
  expect(found).toEqual({ subjectType: subject.type, subjectId: id, contactId: null });
});

test('the person behind it, and the facts by the names that texts may read', async () => {
  const { organizationId } = app.tenant;
  const objects = await variedObjects(app, organizationId, 9);
  const [contact, other] = objects.contact as [string, string];
  const subject = (subject_type: string, subject_id: string) =>
    subjectOf(own(), { id: uuidv7(), type: `${subject_type}.x`, subject_type, subject_id, data: {} });
  const about = (subjectType: string, subjectId: string, contactId: string | null) => ({ subjectType, subjectId, contactId });

  expect(await subject('contact', contact)).toEqual(about('contact', contact, contact));
  const [erased, conversation] = objects.conversation as [string, string];
  expect(await subject('conversation', conversation)).toEqual(about('conversation', conversation, other));
  expect(await subject('conversation', erased)).toEqual(about('conversation', erased, null));
  const deal = objects.deal[1]!;
  await storeRow(app.em(), organizationId, DealContact, { deal_id: deal, contact_id: contact, is_primary: false });
  expect(await subject('deal', deal)).toEqual(about('deal', deal, null));
  await app.em().nativeUpdate(DealContact, { deal_id: deal }, { is_primary: true });
  expect(await subject('deal', deal)).toEqual(about('deal', deal, contact));
  const task = objects.task[0]!;
  await app.em().nativeDelete(TaskTarget, { task_id: task });
  expect(await subject('task', task)).toEqual(about('task', task, null));
  await storeRow(app.em(), organizationId, TaskTarget, { task_id: task, contact_id: contact });
  expect(await subject('task', task)).toEqual(about('task', task, contact));
  const record = objects.record[0]!;
  expect(await subject('record', record)).toEqual(about('record', record, null));
  const merged = uuidv7();
  await storeRow(app.em(), organizationId, ContactMerge, { merged_id: merged, contact_id: contact, actor: 'system' });
  expect(await subject('contact', merged)).toEqual(about('contact', contact, contact));

  const refs = (subjectType: FactRefs['subjectType'], subjectId: string): FactRefs => ({
    ...{ eventId: null, subjectType, subjectId, contactId: contact, vars: { a: 1 }, steps: {} },
  });
  for (const [root, id] of Object.entries({ contact, conversation, deal, task }) as ['contact', string][]) {
    const facts = await loadFacts(own(), refs(root, id));
    expect(Object.keys(facts[root]!).sort()).toEqual(expect.arrayContaining([...subjectFields[root]].sort()));
    expect(facts.contact).toMatchObject({ id: contact });
    expect(facts.vars).toEqual({ a: 1 });
    expect(Object.keys(facts.organization).sort()).toEqual([...subjectFields.organization].sort());
  }
  expect((await loadFacts(own(), refs('record', record))).record).toMatchObject({ id: record, kind: 'part', fields: {} });

  const nothing = await loadFacts(own(), refs('deal', deal), new Set(['vars']));
  expect(Object.keys(nothing).sort()).toEqual(['organization', 'steps', 'vars']);
  const gone = await loadFacts(own(), { ...refs('deal', objects.deal[0]!), contactId: null });
  expect([gone.deal, gone.contact]).toEqual([undefined, null]);
  const foreign = ownRows(app.web.deps.database, (await app.organization()).organizationId);
  const theirs = await loadFacts(foreign, refs('deal', deal));
  expect([theirs.deal, theirs.contact]).toEqual([undefined, null]);
});

test('of a conversation that became another one: that of the message', async () => {
  const { organizationId } = app.tenant;
  const on = await channel(app.em(), organizationId);
  const talk = await conversation(app.em(), organizationId, { channel: on });
  const messageId = await message(app.em(), organizationId, talk);
  const ended = uuidv7();
  const asked = (data: object) =>
    subjectOf(own(), { id: uuidv7(), type: 'message.new', subject_type: 'conversation', subject_id: ended, data: { ...data } });
  const survivor = { subjectType: 'conversation', subjectId: talk.id, contactId: talk.contact.id };
  expect(await asked({ message_id: messageId })).toEqual(survivor);
  const itself = { subjectType: 'conversation', subjectId: ended, contactId: null };
  expect(await asked({ message_id: uuidv7() })).toEqual(itself);
  expect(await asked({})).toEqual(itself);
});

test('what an event can tell of: its subject, what its data names, and the person', () => {
  expect([...rootsOfEvent('message.new')].sort()).toEqual(['contact', 'conversation', 'event', 'message', 'steps', 'vars']);
  expect([...rootsOfEvent('deal.updated')].sort()).toEqual(['contact', 'deal', 'event', 'steps', 'vars']);
  expect([...rootsOfEvent('campaign.completed')].sort()).toEqual(['event', 'steps', 'vars']);
});
