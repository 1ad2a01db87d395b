import { query } from '../../src/platform/database/query.ts';
import type { ProviderTemplate } from '../../src/providers/messaging-app/provider.ts';
import { storeTemplates } from '../../src/templates/sync.ts';
import type { RunContext } from '../handler.ts';

/** What changes here after the list was asked for is newer than the list. */
export async function storeListed(
  { database, own, transact }: RunContext<unknown>,
  channelId: string,
  list: () => Promise<ProviderTemplate[]>,
): Promise<void> {
  // SQL: the database's clock.
  const [time] = await query<{ at: string }>(database, 'select clock_timestamp()::text as at');
  await storeTemplates(own, transact, channelId, await list(), time!.at);
}
