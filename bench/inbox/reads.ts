import { listConversations, readConversationListing } from '../../src/messaging/inbox/list.ts';
import { listMessages, type MessageFilter } from '../../src/messaging/list.ts';
import type { Source } from '../../src/platform/database/database.ts';
import { ownRows } from '../../src/platform/database/own.ts';
import { beginOf } from '../../src/platform/listing/listing.ts';
import { unbounded } from '../contacts/plan.ts';
import { type Inbox, tagNames } from './dataset.ts';

export const pageSize = 10;
export const farPage = 1_000;

export type Asked = { inbox: Inbox; conversationId: string; cursor: string };
/** A list as a client asks for it, and as the code does. `isFar`: by the cursor of the far page. */
export type Read = {
  name: string;
  isFar: boolean;
  path(asked: Asked, limit?: number): string;
  run(source: Source, asked: Asked): Promise<unknown>;
};

const pathOf = (base: string, query: Record<string, string>, cursor: string, limit: number) =>
  `${base}?${new URLSearchParams({ ...query, limit: String(limit), ...(cursor && { cursor }) })}`;

type MessageQuery = { conversation_id?: string; channel_id?: string; status?: string; search?: string };
const messages = (name: string, queryOf: (asked: Asked) => MessageQuery, isFar = false): Read => ({
  name: `messages${name}`,
  isFar,
  path: (asked, limit = pageSize) => pathOf('/v1/messages', queryOf(asked), asked.cursor, limit),
  run(source, asked) {
    const { conversation_id: conversationId, channel_id: channelId, status, search } = queryOf(asked);
    const filter = { conversationId, channelId, status, search } as MessageFilter;
    const after = asked.cursor ? placeIn(asked.cursor) : undefined;
    return listMessages(ownRows(source, asked.inbox.organizationId), unbounded(source), filter, {
      limit: pageSize,
      after,
      includeTotal: false,
    });
  },
});

const conversations = (name: string, queryOf: (asked: Asked) => { filters?: string; search?: string }, isFar = false): Read => ({
  name: `conversations${name}`,
  isFar,
  path: (asked, limit = pageSize) => pathOf('/v1/conversations', queryOf(asked), asked.cursor, limit),
  run(source, asked) {
    const listing = readConversationListing(queryOf(asked));
    const after = asked.cursor ? beginOf(listing, asked.cursor) : undefined;
    return listConversations(unbounded(source), asked.inbox.organizationId, listing, { limit: pageSize, after });
  },
});
const by = (field: string, value: unknown) => ({ filters: JSON.stringify([{ field, value }]) });

export const reads: Read[] = [
  messages('', () => ({})),
  messages(`, page ${farPage}`, () => ({}), true),
  messages(' of a conversation', ({ conversationId }) => ({ conversation_id: conversationId })),
  messages(' of a channel', ({ inbox }) => ({ channel_id: inbox.channels[0]! })),
  messages(` of a channel, page ${farPage}`, ({ inbox }) => ({ channel_id: inbox.channels[0]! }), true),
  messages(' of a common status', () => ({ status: 'read' })),
  messages(` of a common status, page ${farPage}`, () => ({ status: 'read' }), true),
  messages(' of a rare status', () => ({ status: 'failed' })),
  messages(' of a conversation by a word', ({ conversationId }) => ({ conversation_id: conversationId, search: 'order' })),
  messages(' by a word in each', () => ({ search: 'order' })),
  messages(' by a word in one of fifty', () => ({ search: 'refund' })),
  conversations('', () => ({})),
  conversations(`, page ${farPage}`, () => ({}), true),
  conversations(', open', () => by('status', 'open')),
  conversations(', resolved', () => by('status', 'resolved')),
  conversations(`, resolved, page ${farPage}`, () => by('status', 'resolved'), true),
  conversations(' of a member', ({ inbox }) => by('assignee_id', inbox.members[0])),
  conversations(' with a common tag', () => by('tags', tagNames[0])),
  conversations(' with a rare tag', () => by('tags', tagNames[1])),
  conversations(' by a common name', () => ({ search: 'maria' })),
  // Of the one who wrote longest ago.
  conversations(' by a phone', () => ({ search: '+49 30 000000001' })),
  // Ten thousand phones begin so, those of whoever wrote longest ago.
  conversations(' by the beginning of phones', () => ({ search: '493000000' })),
];

/** Of a cursor that the API gave for these very filters. */
const placeIn = (cursor: string) => JSON.parse(Buffer.from(cursor, 'base64url').toString()).slice(1) as [string, string];
