import type { Em } from '../platform/database/database.ts';
import { query } from '../platform/database/query.ts';
import type { RowOf } from '../platform/database/tables.ts';
import { isUuid } from '../platform/ids.ts';
import type { Secrets } from '../platform/secrets.ts';
import type { Channel } from './channel.entity.ts';

/** The channel's own app at the provider. Without a secret it has none. */
export type ChannelApp = { organizationId: string; secret?: string; verifyToken?: string };

export async function channelApp(em: Em, id: string, secrets: Secrets): Promise<ChannelApp | undefined> {
  if (!isUuid(id)) return undefined;
  // SQL: the provider names the channel; which organization it belongs to is read here (bench: inbound).
  const [row] = await query<RowOf<typeof Channel, 'organization_id' | 'app_secret' | 'verify_token'>>(
    em,
    `select organization_id, app_secret, verify_token
       from channels
      where id = $1 and deleted_at is null`,
    [id],
  );
  return (
    row && {
      organizationId: row.organization_id,
      secret: row.app_secret ? secrets.open(row.app_secret) : undefined,
      verifyToken: row.verify_token ? secrets.open(row.verify_token) : undefined,
    }
  );
}
