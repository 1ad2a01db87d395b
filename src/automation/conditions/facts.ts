import { type ContactRow, findContactById } from '../../contacts/queries.ts';
import { findConversation } from '../../messaging/inbox/conversation-row.ts';
import { findMessage } from '../../messaging/queries.ts';
import { getOrganization } from '../../organizations/organizations.ts';
import type { Own } from '../../platform/database/own.ts';
import type { Fields } from '../../platform/listing/fields.ts';
import { recordFieldsOf } from '../../records/types/listing.ts';
import type { SubjectType } from '../definition/definition.ts';
import { changesOf, type Told } from './changes.ts';
import { type EventRow, findEvent, idIn } from './event-row.ts';
import { dealFacts, recordFacts, taskFacts } from './object-facts.ts';
import { contactFacts, conversationFacts, eventFacts, messageFacts, organizationFacts, type Plain } from './plain-facts.ts';

export { subjectOf } from './subject.ts';

export type FactRefs = {
  eventId: string | null;
  subjectType: SubjectType;
  subjectId: string;
  contactId: string | null;
  vars?: Record<string, unknown>;
  steps?: Record<string, unknown>;
};

/**
 * Plain copies, by the names of the API. `event`: its data beside `id`, `type` and `timestamp`. `record`: its declared fields, too, beside
 * `fields`. A root that was not asked for, or of which there is none, is left out; `contact` is null once it is erased.
 */
export type Facts = {
  event?: Plain;
  message?: Plain;
  contact?: Plain | null;
  conversation?: Plain;
  deal?: Plain;
  task?: Plain;
  record?: Plain;
  vars: Plain;
  steps: Plain;
  organization: Plain;
  [behind]?: Behind;
};

/** What conditions need and no text shows. A copy by spreading keeps it. */
export const behind = Symbol('behind');
export type Behind = {
  /** Of the record's type. */
  recordFields?: Fields;
  /** What the event says was changed, of its root. */
  told?: Told;
  /** The ids of all that a task is about, in the bin too, by the names of the list's filters. */
  links?: Record<string, string[]>;
};

/**
 * `needed`: roots, as `rootsOf` gives them, and `organization`, of which a clock is made; without it all. Nothing else is read: nine short reads at most. `contact`: it was read just now.
 */
export async function loadFacts(own: Own, refs: FactRefs, needed?: ReadonlySet<string>, contact?: ContactRow): Promise<Facts> {
  const isNeeded = (...names: string[]) => !needed || names.some((name) => needed.has(name));
  const facts: Facts = {
    vars: refs.vars ?? {},
    steps: refs.steps ?? {},
    organization: isNeeded('organization') ? organizationFacts(await getOrganization(own)) : {},
  };
  const more: Behind = {};
  const event = refs.eventId !== null && isNeeded(...allButGiven) ? await findEvent(own, refs.eventId) : undefined;
  if (event && isNeeded('event')) {
    facts.event = eventFacts(event);
    more.told = await changesOf(own, event);
  }
  const messageId = event && idIn(event, 'message_id');
  if (messageId && isNeeded('message')) facts.message = messageFacts(await findMessage(own, messageId));
  if (isNeeded('contact'))
    facts.contact = contactFacts(contact ?? (refs.contactId === null ? undefined : await findContactById(own, refs.contactId)));
  const object = (type: SubjectType) => (refs.subjectType === type ? refs.subjectId : event && idIn(event, `${type}_id`));
  const [conversationId, dealId, taskId, recordId] = [object('conversation'), object('deal'), object('task'), object('record')];
  if (conversationId && isNeeded('conversation'))
    facts.conversation = conversationFacts(await findConversation(own, conversationId));
  if (dealId && isNeeded('deal')) facts.deal = await dealFacts(own, dealId, isOfBin(event));
  if (taskId && isNeeded('task')) {
    const found = await taskFacts(own, taskId, isOfBin(event));
    facts.task = found?.task;
    more.links = found?.links;
  }
  if (recordId && isNeeded('record')) {
    const found = await recordFacts(own, recordId, isOfBin(event));
    facts.record = found?.record;
    more.recordFields = found && recordFieldsOf(found.type);
  }
  return Object.assign(facts, { [behind]: more });
}

const allButGiven = ['event', 'message', 'conversation', 'deal', 'task', 'record'];

/** Of what an event tells that it was put into the bin; else what is there is as good as gone. */
const isOfBin = (event: EventRow | undefined) => event?.type.endsWith('.deleted') ?? false;
