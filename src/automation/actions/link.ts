import Joi from 'joi';
import { contactLock } from '../../contacts/events.ts';
import { presentContact } from '../../contacts/queries.ts';
import { dealWrite } from '../../deals/deal-row.ts';
import { changeDeal } from '../../deals/deal-tx.ts';
import { contactLinkOf, linkContact } from '../../deals/links/contacts.ts';
import { linkConversation } from '../../deals/links/conversations.ts';
import { contactRole } from '../../deals/schemas.ts';
import { invalidField } from '../../platform/errors.ts';
import { id } from '../../platform/ids.ts';
import { linkLocks, linkRecord } from '../../records/link-record.ts';
import type { ObjectType } from '../../records/types/definition.ts';
import { loadType, typeForWrite } from '../../records/types/object-type.ts';
import { objectKind } from '../../tasks/schemas.ts';
import { linkTarget } from '../../tasks/targets.ts';
import { taskWrite } from '../../tasks/task-row.ts';
import { contactOf, idOf, kindOf } from './about.ts';
import { databaseAction, type PreparedStep, type StepContext } from './action.ts';
import { fault, literal } from './faults.ts';
import { recordFaults, recordType } from './record-types.ts';

type Fields = {
  on: 'record' | 'deal' | 'task';
  kind?: string;
  record_id?: string;
  relation?: string;
  deal_id?: string;
  task_id?: string;
  object_kind?: string;
  object_id?: string;
  role?: string;
  is_primary?: boolean;
};

const only = <Schema extends Joi.Schema>(schema: Schema, ...of: Fields['on'][]) =>
  // biome-ignore lint/suspicious/noThenProperty: Joi's own word
  schema.when('on', { is: Joi.valid(...of), then: Joi.optional(), otherwise: Joi.forbidden() });

const fields = Joi.object<Fields>({
  on: Joi.string().valid('record', 'deal', 'task').default('record').description('What is linked to the object'),
  kind: only(Joi.string().max(63).description("Of the record. Default: of the run's"), 'record'),
  record_id: only(id.description("Default: the run's record"), 'record'),
  relation: only(Joi.string().max(63).description('By the name that the record has for it. Required for a record'), 'record'),
  deal_id: only(id.description("Default: the run's deal"), 'deal'),
  task_id: only(id.description("Default: the run's task"), 'task'),
  object_kind: only(objectKind.description('A deal: contact or conversation. Default: contact'), 'deal', 'task'),
  object_id: id.description('The other end. Default, where it is a contact or a conversation: that of the run'),
  role: only(contactRole.description('Of a contact in the deal'), 'deal'),
  is_primary: only(Joi.boolean().description('Of a contact in the deal'), 'deal'),
}).with('record_id', 'kind');

function relationOf(type: ObjectType, name: string | undefined) {
  const found = type.relations.find((one) => one.name === name);
  if (!found) throw invalidField('relation', `${type.label} has no such relation`, 'relation.unknown');
  return found;
}

/** The run's contact or conversation, where the object is not named; a merged contact is followed. */
async function objectOf(context: StepContext, kind: string, given?: string): Promise<string> {
  if (kind === 'contact') return contactOf(context, given);
  if (kind === 'conversation') return idOf(context, kind, given);
  if (!given) throw invalidField('object_id', 'Name the object', 'any.required');
  return given;
}

async function ofRecord(context: StepContext, given: Fields): Promise<PreparedStep> {
  const { own: reading, actor } = context;
  const recordId = idOf(context, 'record', given.record_id);
  const seen = await recordType(reading, kindOf(context, given.kind));
  const { kind } = seen;
  const { kind: otherKind } = relationOf(seen, given.relation);
  const otherId = await objectOf(context, otherKind, given.object_id);
  const endOf = (type: ObjectType) => ({ relation: relationOf(type, given.relation), otherId });
  return {
    locks: linkLocks(recordId, endOf(seen)),
    async write({ own }) {
      const type = await typeForWrite(own, kind);
      if (otherKind === 'contact') await presentContact(own, otherId);
      const { revision } = await linkRecord(own, type, { id: recordId, actor }, endOf(type));
      return { record_id: recordId, kind, object_id: otherId, object_kind: otherKind, revision };
    },
  };
}

async function ofDeal(context: StepContext, given: Fields): Promise<PreparedStep> {
  const dealId = idOf(context, 'deal', given.deal_id);
  const kind = given.object_kind ?? 'contact';
  if (kind !== 'contact' && kind !== 'conversation')
    throw invalidField('object_kind', 'A deal is linked to a contact or a conversation', 'any.only');
  const objectId = await objectOf(context, kind, given.object_id);
  const { role, is_primary } = given;
  return {
    locks: (kind === 'contact' ? contactLinkOf(dealId, objectId) : dealWrite(dealId)).locks,
    async write({ own }) {
      const { revision } = await changeDeal(own, { id: dealId, actor: context.actor }, (deal) =>
        kind === 'contact' ? linkContact(deal, objectId, { role, is_primary }) : linkConversation(deal, objectId),
      );
      return { deal_id: dealId, object_id: objectId, object_kind: kind, revision };
    },
  };
}

async function ofTask(context: StepContext, given: Fields): Promise<PreparedStep> {
  const taskId = idOf(context, 'task', given.task_id);
  const object_kind = given.object_kind ?? 'contact';
  const object_id = await objectOf(context, object_kind, given.object_id);
  const isContact = object_kind === 'contact';
  return {
    locks: taskWrite(taskId, isContact ? [contactLock(object_id)] : []).locks,
    async write({ own }) {
      const { isNew } = await linkTarget(own, taskId, context.actor, { object_kind, object_id });
      return { task_id: taskId, object_id, object_kind, is_new: isNew };
    },
  };
}

export const link = databaseAction<Fields>({
  type: 'link',
  description:
    'Links a record to another object by a relation of its type, a deal to a contact or a conversation, or a task to what it is about. Linked already: nothing changes.',
  scopes: ['crm:write'],
  fields,
  example: { on: 'deal', object_kind: 'contact', role: 'Buyer' },
  async check(own, given) {
    const { on = 'record' } = given;
    if (on === 'deal' && given.object_kind && !['contact', 'conversation'].includes(literal(given.object_kind) ?? 'contact'))
      return [fault('object_kind', 'any.only', 'A deal is linked to a contact or a conversation')];
    if (on === 'task') return kindFaults(own, given.object_kind);
    if (on !== 'record') return [];
    const faults = await recordFaults(own, { kind: given.kind }, false);
    if (faults.length > 0) return faults;
    if (!given.relation) return [fault('relation', 'any.required', 'Name the relation')];
    const [kind, relation] = [literal(given.kind), literal(given.relation)];
    const type = kind && relation ? await loadType(own, kind) : undefined;
    if (!type || type.relations.some(({ name }) => name === relation)) return [];
    return [fault('relation', 'relation.unknown', `${type.label} has no such relation`)];
  },
  prepare(context, given) {
    if (given.on === 'deal') return ofDeal(context, given);
    return given.on === 'task' ? ofTask(context, given) : ofRecord(context, given);
  },
});

async function kindFaults(own: Parameters<typeof loadType>[0], given?: string) {
  const kind = literal(given);
  if (!kind || ['contact', 'conversation', 'deal'].includes(kind) || (kind !== 'task' && (await loadType(own, kind)))) return [];
  return [fault('object_kind', 'kind.unknown', `${kind} is no kind that a task can be about`)];
}
