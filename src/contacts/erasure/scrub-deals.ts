import { isDeepStrictEqual } from 'node:util';
import { scrubHistory } from '../../history/scrub.ts';
import type { Own } from '../../platform/database/own.ts';
import { subjectLock } from '../../platform/ledger/locks.ts';
import type { Transact } from '../../platform/ledger/transact.ts';
import type { OwnTx } from '../../platform/ledger/tx.ts';
import type { Remains } from './erase.ts';
import { tracesOf } from './traces.ts';

/* SQL: tables of deals, which contacts must not import. */

const readWords = `
  select k.title, k.lost_reason, k.custom_fields, k.metadata,
         (select coalesce(jsonb_agg(jsonb_build_object('contact_id', c.contact_id, 'role', c.role)), '[]')
            from deal_contacts c
           where c.organization_id = k.organization_id and c.deal_id = k.id) as roles
    from deals k
   where k.organization_id = $1
     and k.id = $2`;
const writeWords = `
  with roles as (
    update deal_contacts c
       set role = x.role
      from jsonb_to_recordset($7::jsonb) as x(contact_id uuid, role text)
     where c.organization_id = $1
       and c.deal_id = $2
       and c.contact_id = x.contact_id
       and c.role <> x.role)
  update deals
     set title = $3,
         lost_reason = $4,
         custom_fields = $5::jsonb,
         metadata = $6::jsonb,
         updated_at = clock_timestamp()
   where organization_id = $1
     and id = $2`;

type Role = { contact_id: string; role: string };
type Words = { title: string; lost_reason: string; custom_fields: object; metadata: object; roles: Role[] };

/** Blanks the person in the words and the history of the deals that were about them, in the bin too. Idempotent. */
export async function scrubDeals(transact: Transact, own: Own, { identities, names, deals }: Remains): Promise<void> {
  const clean = tracesOf(identities, names);
  for (const id of deals) {
    const within = <Result>(work: (tx: OwnTx) => Promise<Result>) =>
      transact({ locks: [subjectLock('deal', id)] }, (tx) => work(tx.of(own.organizationId)));
    await within(async (tx) => {
      const [deal] = await tx.sql<Words>(readWords, [id]);
      if (!deal) return;
      const [title, lost_reason, custom_fields, metadata] = clean([
        deal.title,
        deal.lost_reason,
        deal.custom_fields,
        deal.metadata,
      ] as const);
      const roles = deal.roles.map((one) => ({ ...one, role: clean(one.role) }));
      if (isDeepStrictEqual(deal, { title, lost_reason, custom_fields, metadata, roles })) return;
      const objects = [custom_fields, metadata, roles].map((one) => JSON.stringify(one));
      await tx.sql(writeWords, [id, title, lost_reason, ...objects]);
    });
    await scrubHistory(within, id, clean);
  }
}
