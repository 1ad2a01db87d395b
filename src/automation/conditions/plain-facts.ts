import type { ContactRow } from '../../contacts/queries.ts';
import { wordsOf } from '../../messaging/conversations.ts';
import type { ConversationRow } from '../../messaging/inbox/conversation-row.ts';
import type { MessageRow } from '../../messaging/queries.ts';
import type { OrganizationRow } from '../../organizations/organizations.ts';
import { iso } from '../../platform/time/moment.ts';
import type { EventRow } from './event-row.ts';

export type Plain = Record<string, unknown>;

const times = new Set(['created_at', 'updated_at', 'snoozed_until', 'window_expires_at']);
const isTime = (name: string) => times.has(name) || name.endsWith('_at');

/** A row by the names of its columns, its times as the wire has them. */
export const plainRow = (row: object): Plain =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, isTime(name) && typeof value === 'string' ? iso(value) : value]),
  );

/** Its data stands beside its own fields: no data has their names. */
export const eventFacts = ({ id, type, created_at, data }: EventRow): Plain => ({
  ...data,
  id,
  type,
  timestamp: iso(created_at),
});

export const contactFacts = (row: ContactRow | undefined): Plain | null => (row ? plainRow(row) : null);

/** `is_unread`, by which lists filter, beside what the API shows. */
export const conversationFacts = (row: ConversationRow | undefined): Plain | undefined =>
  row && { ...plainRow(row), is_unread: row.unread_count > 0 };

/** `text`: the words that a person reads of it. */
export const messageFacts = (row: MessageRow | undefined): Plain | undefined => {
  if (!row) return undefined;
  const text = wordsOf(row.type, row.content) ?? row.content.caption;
  return { ...plainRow(row), text: typeof text === 'string' ? text : '' };
};

export const organizationFacts = (row: OrganizationRow): Plain => plainRow(row);
