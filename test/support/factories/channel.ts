import { randomInt } from 'node:crypto';
import type { ChannelStatus } from '../../../src/channels/channel.entity.ts';
import type { Em } from '../../../src/platform/database/database.ts';
import { query } from '../../../src/platform/database/query.ts';
import { uuidv7 } from '../../../src/platform/ids.ts';
import { channelPool, poolOf, setPool } from '../../../src/platform/ledger/pools.ts';
import { testSecrets } from '../secrets.ts';

export type ChannelMade = { id: string; phoneNumberId: string; accountId: string; accessToken: string; pool: string };

type Given = Partial<Omit<ChannelMade, 'id' | 'pool'>> & { rate?: number; status?: ChannelStatus; appSecret?: string };

const digits = (count: number) => Array.from({ length: count }, () => randomInt(10)).join('');

/** A connected channel with its pool and its token sealed with the tests' key. */
export async function channel(em: Em, organizationId: string, given: Given = {}): Promise<ChannelMade> {
  const id = uuidv7();
  const { rate = 80, status = 'connected', accessToken = 'test-token', appSecret } = given;
  const phoneNumberId = given.phoneNumberId ?? `1${digits(14)}`;
  const accountId = given.accountId ?? `2${digits(14)}`;
  await query(
    em,
    `insert into channels (id, organization_id, provider, name, phone_number_id, account_id, display_phone, status, access_token, app_secret, rate)
     values ($1, $2, 'messaging_app', 'Test', $3, $4, '+1 555 010 0000', $5, $6, $7, $8)`,
    [
      id,
      organizationId,
      phoneNumberId,
      accountId,
      status,
      testSecrets.seal(accessToken),
      appSecret ? testSecrets.seal(appSecret) : null,
      rate,
    ],
  );
  await setPool(em, poolOf(organizationId, channelPool(id)), rate, rate);
  return { id, phoneNumberId, accountId, accessToken, pool: channelPool(id) };
}
