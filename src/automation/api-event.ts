import { findContactTx } from '../contacts/contact-tx.ts';
import { contactNotFound, inBody } from '../contacts/queries.ts';
import { automationEvent } from '../platform/events/automation-events.ts';
import type { OwnTx } from '../platform/ledger/tx.ts';

export type ToldEvent = { name: string; contact_id: string; data: Record<string, unknown> };

/** What a system of the organization says has happened; live rules of this name begin with it. Needs the contact's lock. Returns the event's id. Throws 404. */
export async function tellEvent(own: OwnTx, { name, contact_id, data }: ToldEvent): Promise<string> {
  if (!(await findContactTx(own, contact_id))) throw await contactNotFound(own, contact_id, inBody);
  return own.emit(automationEvent, { contact_id, name, organization_id: own.organizationId, data });
}
