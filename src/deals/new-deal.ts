import { sql } from 'kysely';
import { Contact } from '../contacts/contact.entity.ts';
import { Conversation } from '../messaging/conversation.entity.ts';
import { isMember } from '../organizations/members.ts';
import type { Own } from '../platform/database/own.ts';
import { statement } from '../platform/database/statement.ts';
import { invalidField } from '../platform/errors.ts';
import { assertReasonFits } from './close.ts';
import type { DealStatus } from './deal.entity.ts';
import type { LinkedContact } from './deal-row.ts';
import { unknownReference } from './deal-tx.ts';
import { assertRoom } from './links/contacts.ts';
import { type DisplayMoney, type FrozenMoney, newMoney } from './money.ts';
import { defaultStage, findStage, firstStage, type StageOfDeal } from './stages.ts';

export type GivenContact = { contact_id: string; role?: string; is_primary?: boolean };

export type NewDeal = {
  title: string;
  status?: DealStatus;
  amount_minor?: string;
  currency_code?: string;
  expected_close_at?: string | null;
  owner_user_id?: string | null;
  source_conversation_id?: string | null;
  pipeline_id?: string;
  stage_id?: string;
  lost_reason?: string;
  custom_fields?: Record<string, unknown>;
  metadata?: Record<string, unknown>;
  contacts?: GivenContact[];
};

/** What a new deal takes from other rows. The database refuses those that are gone when it is written. */
export type Seen = {
  money: FrozenMoney;
  /** In the organization's own display currency. */
  display: DisplayMoney;
  stage: StageOfDeal | undefined;
  status: DealStatus;
  contacts: LinkedContact[];
};

/** Throws 422 for what is not there. */
export async function lookAround(own: Own, given: NewDeal): Promise<Seen> {
  const [{ money, display }, stage, contacts] = await Promise.all([
    newMoney(own, given.amount_minor ?? '0', given.currency_code),
    stageOf(own, given),
    contactsOf(own, given),
    mustBeMember(own, given.owner_user_id),
  ]);
  const status = stage?.kind ?? given.status ?? 'open';
  assertReasonFits(status, given.lost_reason);
  if (status === 'lost' && stage?.needs_lost_reason && !given.lost_reason)
    throw invalidField('lost_reason', 'The pipeline wants a reason for a lost deal', 'any.required');
  return { money, display, stage, status, contacts };
}

/** Without a stage the first of its kind, of the pipeline named or of the default one. */
async function stageOf(own: Own, { stage_id, pipeline_id, status }: NewDeal): Promise<StageOfDeal | undefined> {
  if (stage_id !== undefined) {
    const stage = await findStage(own, stage_id);
    if (!stage || (pipeline_id !== undefined && stage.pipeline_id !== pipeline_id)) throw unknownReference('stage_id');
    if (status !== undefined && status !== stage.kind)
      throw invalidField('status', `The status is that of its stage: ${stage.kind}`, 'status.stage');
    return stage;
  }
  const kind = status ?? 'open';
  if (pipeline_id === undefined && kind === 'open') return defaultStage(own);
  const pipelineId = pipeline_id ?? (await defaultStage(own))?.pipeline_id;
  const stage = pipelineId === undefined ? undefined : await firstStage(own, pipelineId, kind);
  if (pipeline_id !== undefined && !stage) throw invalidField('pipeline_id', 'No pipeline has this id', 'reference.unknown');
  return stage;
}

async function mustBeMember(own: Own, userId: string | null | undefined): Promise<void> {
  if (userId && !(await isMember(own, userId))) throw unknownReference('owner_user_id');
}

const conversationById = statement((select, { id }: { id: string }) =>
  select(Conversation).select('contact_id').where('id', '=', id),
);
const contactsById = statement((select, { ids }: { ids: string[] }) =>
  select(Contact).select('id').where('id', '=', sql<string>`any(${ids}::uuid[])`),
);

/** Those given, and the conversation's contact. One of them is the primary, unless all are said not to be. */
async function contactsOf(own: Own, { contacts = [], source_conversation_id }: NewDeal): Promise<LinkedContact[]> {
  const all: GivenContact[] = [...contacts];
  if (contacts.length > 0) {
    const found = new Set((await contactsById(own, { ids: contacts.map(({ contact_id }) => contact_id) })).map(({ id }) => id));
    const missing = contacts.findIndex(({ contact_id }) => !found.has(contact_id));
    if (missing >= 0) throw invalidField(`contacts[${missing}].contact_id`, 'No contact has this id', 'reference.unknown');
  }
  if (source_conversation_id) {
    const [conversation] = await conversationById(own, { id: source_conversation_id });
    if (!conversation) throw unknownReference('source_conversation_id');
    const { contact_id } = conversation;
    if (contact_id !== null && !contacts.some((one) => one.contact_id === contact_id)) all.unshift({ contact_id });
  }
  assertRoom(all.length);
  const primary = all.find(({ is_primary }) => is_primary) ?? all.find(({ is_primary }) => is_primary === undefined);
  return all
    .map((one) => ({ contact_id: one.contact_id, role: one.role ?? '', is_primary: one === primary }))
    .sort((one, other) => Number(other.is_primary) - Number(one.is_primary));
}
