import Joi from 'joi';
import { contactLock } from '../../contacts/events.ts';
import { type ContactPatch, contactPatchFields, patchContact } from '../../contacts/patch.ts';
import { dealLock } from '../../deals/deal-row.ts';
import { changeDeal } from '../../deals/deal-tx.ts';
import { type DealPatch, patchDeal } from '../../deals/patch.ts';
import { dealPatchFields } from '../../deals/schemas.ts';
import { type ConversationPatch, patchConversation } from '../../messaging/inbox/patch.ts';
import { conversationPatchFields } from '../../messaging/inbox/schemas.ts';
import { zoneContext } from '../../organizations/timezone.ts';
import { AppError, type ErrorDetail, invalidField } from '../../platform/errors.ts';
import { id } from '../../platform/ids.ts';
import { conversationLane } from '../../platform/ledger/locks.ts';
import { anyZone, type ZoneContext } from '../../platform/schemas/moment.ts';
import { recordGiven } from '../../records/given.ts';
import type { RecordGiven } from '../../records/new-record.ts';
import { recordLock } from '../../records/record-row.ts';
import { typeForWrite } from '../../records/types/object-type.ts';
import { patchRecord } from '../../records/write.ts';
import { patchTask } from '../../tasks/change.ts';
import type { GivenTask } from '../../tasks/fields.ts';
import { taskPatchFields } from '../../tasks/schemas.ts';
import { taskLock } from '../../tasks/task-row.ts';
import { contactAt, contactOf, idOf, kindOf, type On, scopesOn } from './about.ts';
import { databaseAction, type PreparedStep, type StepContext } from './action.ts';
import { fault, hasLiquid, literal, memberFaults } from './faults.ts';
import { readFields } from './read-fields.ts';
import { recordFaults, recordType } from './record-types.ts';

const kinds = ['contact', 'conversation', 'deal', 'task', 'record'] as const;

type Fields = {
  on: On;
  field: string;
  value: unknown;
  contact_id?: string;
  conversation_id?: string;
  deal_id?: string;
  task_id?: string;
  kind?: string;
  record_id?: string;
};

const { custom_fields, priority } = conversationPatchFields;
/** What the API's own changes take. A status and an assignee of a conversation have actions of their own. */
const patches: Record<On, Joi.PartialSchemaMap> = {
  contact: contactPatchFields,
  conversation: { priority, custom_fields },
  deal: dealPatchFields,
  task: taskPatchFields,
  record: { fields: recordGiven.fields, custom_fields: recordGiven.custom_fields, metadata: recordGiven.metadata },
};
const schemas = Object.fromEntries(kinds.map((kind) => [kind, Joi.object(patches[kind])])) as Record<On, Joi.ObjectSchema>;

const custom = 'custom_fields.';

/** As the body of the API's own change. */
function patchOf({ on, field, value }: Pick<Fields, 'on' | 'field' | 'value'>): Record<string, unknown> {
  if (field.startsWith(custom)) return { custom_fields: { [field.slice(custom.length)]: value } };
  return on === 'record' && field !== 'metadata' ? { fields: { [field]: value } } : { [field]: value };
}

function faultsOf(given: Pick<Fields, 'on' | 'field' | 'value'>): ErrorDetail[] {
  const { error } = schemas[given.on].validate(patchOf(given), { abortEarly: false, context: anyZone });
  return (error?.details ?? []).map(({ type, message }) =>
    type === 'object.unknown'
      ? fault('field', 'field.unknown', `${given.field} is no field of a ${given.on} that can be set`)
      : fault('value', type, message),
  );
}

/** A text of digits where Liquid may give the number. A number is no name. */
const amounts = ['amount_minor'];

/** The value as the rule takes it. Throws 422. */
async function readPatch<Patch>({ own }: StepContext, given: Fields): Promise<Patch> {
  const schema = schemas[given.on];
  const read = (context?: ZoneContext) =>
    amounts.includes(given.field) ? readFields(schema, patchOf(given), context) : schema.validate(patchOf(given), { context });
  const first = read();
  const zone = first.error && (await zoneContext(own, first.error));
  const { error, value } = zone ? read(zone) : first;
  if (!error) return value as Patch;
  const faults = faultsOf(given);
  const [fault, ...more] = faults as [ErrorDetail, ...ErrorDetail[]];
  throw more.length === 0 ? invalidField(fault.field!, fault.message, fault.code) : refused(faults);
}

const refused = (details: ErrorDetail[]) => new AppError('invalid_request', `${details.length} faults in the value`, { details });

type Setters = { [Kind in On]: (context: StepContext, given: Fields) => Promise<PreparedStep> };

const setters: Setters = {
  async contact(context, given) {
    const patch = await readPatch<ContactPatch>(context, given);
    const contact_id = await contactOf(context, given.contact_id);
    return {
      locks: [contactLock(contact_id)],
      async write({ own }) {
        await patchContact(await contactAt(own, contact_id), context.secrets, patch);
        return { contact_id };
      },
    };
  },
  async conversation(context, given) {
    const patch = await readPatch<ConversationPatch>(context, given);
    const conversation_id = idOf(context, 'conversation', given.conversation_id);
    return {
      locks: [conversationLane(conversation_id)],
      async write(tx) {
        await patchConversation(tx, conversation_id, patch);
        return { conversation_id };
      },
    };
  },
  async deal(context, given) {
    const patch = await readPatch<DealPatch>(context, given);
    const deal_id = idOf(context, 'deal', given.deal_id);
    return {
      locks: [dealLock(deal_id)],
      async write({ own }) {
        const { revision } = await changeDeal(own, { id: deal_id, actor: context.actor }, (deal) => patchDeal(deal, patch));
        return { deal_id, revision };
      },
    };
  },
  async task(context, given) {
    const patch = await readPatch<GivenTask>(context, given);
    const task_id = idOf(context, 'task', given.task_id);
    return {
      locks: [taskLock(task_id)],
      async write({ own }) {
        const { revision } = await patchTask(own, task_id, context.actor, patch);
        return { task_id, revision };
      },
    };
  },
  async record(context, given) {
    const patch = await readPatch<RecordGiven>(context, given);
    const record_id = idOf(context, 'record', given.record_id);
    const { kind } = await recordType(context.own, kindOf(context, given.kind));
    return {
      locks: [recordLock(record_id)],
      async write({ own }) {
        const type = await typeForWrite(own, kind);
        const { row } = await patchRecord(own, type, patch, { id: record_id, actor: context.actor });
        return { record_id, kind, revision: row.revision };
      },
    };
  },
};

const members = ['assignee_id', 'owner_user_id'];

export const setField = databaseAction<Fields>({
  type: 'set_field',
  description:
    'Sets one field of a contact, a conversation, a deal, a task or a record, as its own endpoint does. `custom_fields.<name>` is a field of your own; null removes it.',
  ...scopesOn(...kinds),
  fields: Joi.object<Fields>({
    on: Joi.string()
      .valid(...kinds)
      .default('contact'),
    field: Joi.string()
      .max(160)
      .required()
      .description('Such as `name`, `custom_fields.tier`, `amount_minor`, or a field that the type of the record declares'),
    value: Joi.any().required().description('What the field takes'),
    contact_id: id.description("Default: the run's contact"),
    conversation_id: id.description("Default: the run's conversation"),
    deal_id: id.description("Default: the run's deal"),
    task_id: id.description("Default: the run's task"),
    kind: Joi.string().max(63).description("The kind of the record. Default: of the run's"),
    record_id: id.description("Default: the run's record"),
  }).with('record_id', 'kind'),
  example: { field: 'custom_fields.tier', value: 'gold' },
  async check(own, given) {
    const { on = 'contact', field, value } = given;
    if (literal(on) === undefined || literal(field) === undefined) return [];
    const isRendered = hasLiquid(value);
    const faults = faultsOf({ on, field, value }).filter((one) => !isRendered || one.field === 'field');
    if (faults.length > 0) return faults;
    if (on === 'record' && !field.startsWith(custom) && field !== 'metadata') {
      const found = await recordFaults(own, { kind: given.kind, fields: { [field]: value } }, false);
      return found.map((one) =>
        one.field === 'kind' ? one : { ...one, field: one.code === 'object.unknown' ? 'field' : 'value' },
      );
    }
    return members.includes(field) ? await memberFaults(own, { value }) : [];
  },
  prepare: (context, given) => setters[given.on](context, given),
});
