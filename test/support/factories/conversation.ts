import type { Em } from '../../../src/platform/database/database.ts';
import { query } from '../../../src/platform/database/query.ts';
import { uuidv7 } from '../../../src/platform/ids.ts';
import { type ChannelMade, channel } from './channel.ts';
import { type ContactMade, contact } from './contact.ts';

export type ConversationMade = { id: string; channel: ChannelMade; contact: ContactMade };

type Given = { channel?: ChannelMade; contact?: ContactMade; isWindowOpen?: boolean };

/** A conversation whose contact has just written, so that a text may be sent; with `isWindowOpen: false` they have not for 25 hours. */
export async function conversation(em: Em, organizationId: string, given: Given = {}): Promise<ConversationMade> {
  const { isWindowOpen = true } = given;
  const made = {
    id: uuidv7(),
    channel: given.channel ?? (await channel(em, organizationId)),
    contact: given.contact ?? (await contact(em, organizationId)),
  };
  await query(
    em,
    `insert into conversations (id, organization_id, channel_id, contact_id, status, last_inbound_at)
     values ($1, $2, $3, $4, 'open', clock_timestamp() - $5::int * interval '1 hour')`,
    [made.id, organizationId, made.channel.id, made.contact.id, isWindowOpen ? 0 : 25],
  );
  return made;
}
