import { cut } from '../../platform/cut.ts';
import { type Json, object, textOf } from './json.ts';
import { tierOf } from './messaging-limit.ts';
import { timeOfEntry } from './template-change.ts';

/** What the provider tells of a number or of all numbers of an account. Words in small letters. */
export type InboundNumberNews = {
  kind: 'number_news';
  accountId: string;
  /** In digits; none: of all numbers of the account. */
  displayPhone?: string;
  news: {
    quality?: 'red';
    messaging_limit?: string;
    throughput?: string;
    verified_name?: string;
    name_status?: string;
    account_status?: string;
  };
  /** The provider's clock, to the second. */
  at?: Date;
  /** Nothing can be sent any more, or can be again. */
  account?: 'stopped' | 'released';
};

const longest = 100;
const wordOf = (value: unknown) => cut(textOf(value), longest).toLowerCase();
const limitOf = (value: unknown) => tierOf(wordOf(value));
const given = (news: InboundNumberNews['news']) =>
  Object.fromEntries(Object.entries(news).filter(([, value]) => value)) as InboundNumberNews['news'];

function ofQuality(value: Json) {
  const event = wordOf(value.event);
  if (!event) throw new Error('Not understood: no event');
  return given({
    // Of an unflagged number the next check reads whether it is yellow or green.
    ...(event === 'flagged' && { quality: 'red' as const }),
    messaging_limit: limitOf(value.max_daily_conversations_per_business) || limitOf(value.current_limit),
    throughput: event === 'throughput_upgrade' ? 'high' : '',
  });
}

function ofName(value: Json) {
  const decision = wordOf(value.decision);
  if (!decision) throw new Error('Not understood: no decision');
  const name = cut(textOf(value.requested_verified_name), 200);
  return given({ name_status: decision, verified_name: decision === 'approved' ? name : '' });
}

/** Older versions count people a day for each number. */
const ofCapability = (value: Json) =>
  given({
    messaging_limit: limitOf(value.max_daily_conversations_per_business) || limitOf(value.max_daily_conversation_per_phone),
  });

/** Nothing can be sent after them. The app was moved to another phone, or the number registered again: `account_reconnected` ends that. */
const ends = new Set(['account_deleted', 'account_offboarded']);

/**
 * Of a ban the state tells more than the event. An app or a partner that is removed may be another one's: the check that follows
 * finds whether our token is refused.
 */
function ofAccount(value: Json): Pick<InboundNumberNews, 'news' | 'account'> {
  const event = wordOf(value.event);
  const ban = wordOf(object(value.ban_info).waba_ban_state);
  if (!event) throw new Error('Not understood: no event');
  const isStopped = ban === 'disable' || ends.has(event);
  const account = isStopped ? 'stopped' : ban === 'reinstate' || event === 'account_reconnected' ? 'released' : undefined;
  return { news: given({ account_status: ban ? `ban_${ban}` : event }), ...(account && { account }) };
}

function ofReview(value: Json) {
  const decision = wordOf(value.decision);
  if (!decision) throw new Error('Not understood: no decision');
  return given({ account_status: `review_${decision}` });
}

const readers: Record<string, (value: Json) => Pick<InboundNumberNews, 'news' | 'account'>> = {
  phone_number_quality_update: (value) => ({ news: ofQuality(value) }),
  phone_number_name_update: (value) => ({ news: ofName(value) }),
  business_capability_update: (value) => ({ news: ofCapability(value) }),
  account_update: ofAccount,
  account_review_update: (value) => ({ news: ofReview(value) }),
};

const ofOneNumber = new Set(['phone_number_quality_update', 'phone_number_name_update']);

export const isNumberNews = (field: string) => Object.hasOwn(readers, field);

/** Throws for what cannot be understood. */
export function numberNewsIn(
  field: string,
  value: Json,
  { entryId, time }: { entryId: string; time?: number },
): InboundNumberNews {
  const at = timeOfEntry(time);
  const displayPhone = cut(textOf(value.display_phone_number), 40).replace(/\D/g, '');
  if (ofOneNumber.has(field) && !displayPhone) throw new Error('Not understood: no display_phone_number');
  return {
    kind: 'number_news',
    accountId: entryId,
    ...(at && { at }),
    ...(ofOneNumber.has(field) && { displayPhone }),
    ...readers[field]!(value),
  };
}
