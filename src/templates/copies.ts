import type { Own } from '../platform/database/own.ts';
import type { RowOf } from '../platform/database/tables.ts';
import type { Look } from '../platform/ledger/transact.ts';
import type { Template } from './template.entity.ts';
import { templateLock } from './told.ts';

/** SQL: joins the channels, a domain that this module does not know. The rows that other numbers of the account have of the same template. */
const copiesOf = `
  select copy.id
    from templates t
    join channels mine on mine.organization_id = t.organization_id and mine.id = t.channel_id
    join channels c on c.organization_id = t.organization_id and c.account_id = mine.account_id and c.deleted_at is null
    join templates copy
      on copy.organization_id = t.organization_id and copy.channel_id = c.id and copy.provider_template_id = t.provider_template_id
   where t.organization_id = $1 and t.id = $2 and copy.id <> t.id
   order by copy.id`;

/** What the provider does to a template is true of its copies in the same moment. */
export const lookAtCopies = (own: Own, id: string): Look<string[]> => ({
  look: async () => (await own.sql<RowOf<typeof Template, 'id'>>(copiesOf, [id])).map((copy) => copy.id),
  locks: (copies) => copies.map(templateLock),
});
