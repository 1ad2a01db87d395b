import type { Tx } from '../ledger/transact.ts';
import { emitDeleted } from './events.ts';
import { contactNotFound } from './queries.ts';

/** Forgets a contact. Its lock is held. Throws 404. */
export async function eraseContact(tx: Tx, organizationId: string, id: string): Promise<void> {
  const gone = await tx.query('delete from contacts where organization_id = $1 and id = $2 returning id', [organizationId, id]);
  if (gone.length === 0) throw await contactNotFound(tx.em, organizationId, id);
  emitDeleted(tx, organizationId, id);
}
