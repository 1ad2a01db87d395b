import type { Channel } from '../../channels/channel.entity.ts';
import type { Source } from '../../platform/database/database.ts';
import { type Own, ownRows } from '../../platform/database/own.ts';
import { query } from '../../platform/database/query.ts';
import type { RowOf } from '../../platform/database/tables.ts';
import { isUuid } from '../../platform/ids.ts';

/** What can be opened and checked with a row of it: any rotation, revocation or new app changes one of the two. */
export type ChannelState = {
  /** Of the channel's own app at the provider, sealed; null: the installation's app signs. */
  app_secret: string | null;
  /** State and id of each of `private_keys`, joined, in any order: the driver is slow with arrays. A pair of keys never changes. */
  keys: string | null;
};

export type ExchangeChannel = ChannelState & {
  /** Not that of the address where another one stands in for it. */
  id: string;
  organization_id: string;
  /** Sealed, the likeliest first. */
  private_keys: string[];
};

/**
 * A key that is being uploaded may be in use. A flow belongs to the account and has one address there; a phone encrypts with the key of
 * the number that the message came from.
 */
const keysOfChannel = `
     from channels n
     join flow_keys k on k.organization_id = n.organization_id and k.channel_id = n.id
    where n.organization_id = c.organization_id
      and n.account_id = c.account_id
      and n.deleted_at is null
      and (k.expires_at is null or k.expires_at > clock_timestamp())`;
const likeliestFirst = `order by n.id <> c.id, array_position(array['current', 'uploading', 'previous'], k.state), k.id`;
/** Without an order: a sort is a quarter of what the keys cost each request. */
const state = `c.app_secret, (select string_agg(k.state || k.id, ',') ${keysOfChannel}) as keys`;

const columns = `
  select c.id, c.organization_id, ${state},
         array(select k.private_key ${keysOfChannel} ${likeliestFirst}) as private_keys`;

type Place = RowOf<typeof Channel, 'organization_id' | 'id'>;

/** SQL: the provider names a channel and no organization: of a table that has a copy on each node. */
const channelStatement = `
  select organization_id, id
    from channels
   where id = $1
     and deleted_at is null`;

/** SQL: a self-join. */
const standInStatement = `
  select c.organization_id, c.id
    from channels gone
    join channels c
      on c.organization_id = gone.organization_id
     and c.account_id = gone.account_id
     and c.deleted_at is null
   where gone.id = $1
     and gone.deleted_at is not null
   order by c.status <> 'connected', c.id
   limit 1`;

/** SQL: channel and keys as they are at one moment. */
const withKeysStatement = `${columns}
    from channels c
   where c.organization_id = $1
     and c.id = $2
     and c.deleted_at is null`;

/**
 * The provider keeps the address of a flow until the flow is published anew. After its channel was deleted, another number of the account answers
 * there: that number's forms have the same address. Undefined for a malformed id too.
 */
export async function findExchangeChannel(source: Source, id: string): Promise<ExchangeChannel | undefined> {
  if (!isUuid(id)) return undefined;
  const [place] = await query<Place>(source, channelStatement, [id]);
  const found = place ?? (await query<Place>(source, standInStatement, [id]))[0];
  if (!found) return undefined;
  const [channel] = await ownRows(source, found.organization_id).sql<ExchangeChannel>(withKeysStatement, [found.id]);
  return channel;
}

/** The message that opened a flow, whom and what it is about, and what its channel has now. */
export type OpenedFlow = ChannelState & {
  message_id: string;
  message_at: string;
  /** Of the message. */
  channel_id: string;
  conversation_id: string;
  contact_id: string;
  contact_name: string;
  contact_phone: string;
  client_token: string | null;
  flow_id: string;
  flow_name: string;
  provider_flow_id: string | null;
  data_exchange_url: string | null;
  /** Sealed. */
  data_exchange_headers: string | null;
  secret: string | null;
  previous_secret: string | null;
};

/** SQL: seven tables of three domains in one trip, while the phone waits. */
const openedStatement = `
  select ${state},
         m.id as message_id, m.created_at as message_at, m.channel_id, m.conversation_id,
         p.id as contact_id, p.name as contact_name, p.phone_number as contact_phone,
         s.client_token, f.id as flow_id, f.name as flow_name, f.provider_flow_id, f.data_exchange_url, f.data_exchange_headers,
         x.secret,
         case when x.previous_secret_until > clock_timestamp() then x.previous_secret end as previous_secret
    from channels c
    join flow_sends s on s.organization_id = c.organization_id and s.message_id = $2
    join messages m on m.organization_id = s.organization_id and m.id = s.message_id
    join contacts p on p.organization_id = m.organization_id and p.id = m.contact_id
    join flows f on f.organization_id = s.organization_id and f.id = s.flow_id and f.account_id = c.account_id
    left join flow_secrets x on x.organization_id = f.organization_id and x.flow_id = f.id
   where c.organization_id = $1
     and c.id = $3
     and c.deleted_at is null`;

/** Undefined: no such message opened a flow of the channel's account, the flow was deleted, or its person was forgotten. */
export async function findOpenedFlow(own: Own, messageId: string, channelId: string): Promise<OpenedFlow | undefined> {
  const [row] = await own.sql<OpenedFlow>(openedStatement, [messageId, channelId]);
  return row;
}
