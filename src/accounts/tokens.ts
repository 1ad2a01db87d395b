import { sql } from 'kysely';
import { type Caller, mustHave, noOrganization } from '../organizations/caller.ts';
import { recheckAuthority } from '../organizations/recheck-authority.ts';
import { newCredential } from '../platform/credentials.ts';
import { fromNow } from '../platform/database/columns.ts';
import type { Own } from '../platform/database/own.ts';
import { statement } from '../platform/database/statement.ts';
import type { RowOf } from '../platform/database/tables.ts';
import { AppError, notFound } from '../platform/errors.ts';
import type { OwnTx } from '../platform/ledger/tx.ts';
import { list, type Page } from '../platform/listing/paging.ts';
import { sha256 } from '../platform/secrets.ts';
import { BearerToken } from '../users/user.entity.ts';

const columns = ['id', 'organization_id', 'name', 'scopes', 'expires_at', 'last_used_at', 'created_at'] as const;
export type TokenRow = RowOf<typeof BearerToken, (typeof columns)[number]>;

export const maxTokenDays = 30;
const maxTokens = 50;

const tokensOf = list((select, { userId }: { userId: string }) =>
  select(BearerToken).select(columns).where('user_id', '=', userId),
);
const countOfLive = statement((select, { userId }: { userId: string }) =>
  select(BearerToken)
    .select(sql<number>`count(*)::int`.as('total'))
    .where('user_id', '=', userId)
    .where('expires_at', '>', sql<string>`clock_timestamp()`),
);

/** Grants some or all scopes of the user's role in the session's organization. The token is shown once. */
export async function createToken(
  tx: OwnTx,
  asked: Caller,
  wanted: { name: string; scopes?: string[]; expiresInDays: number },
): Promise<TokenRow & { token: string }> {
  if (asked.organizationId === noOrganization) throw new AppError('forbidden', 'The session has no active organization');
  // Locks the organization, so that `maxTokens` holds, and the session, because its tokens end with it.
  const caller = await recheckAuthority(tx, asked);
  const userId = caller.userId!;
  const scopes = [...new Set(wanted.scopes ?? caller.scopes)];
  mustHave(caller, scopes);
  const [count] = await countOfLive(tx, { userId });
  if (count!.total >= maxTokens) throw new AppError('limit_reached', `A member has at most ${maxTokens} tokens`);
  const token = newCredential('kt_');
  const row = tx.create(BearerToken, {
    user_id: userId,
    session_id: caller.sessionId ?? null,
    name: wanted.name,
    hash: sha256(token),
    scopes,
    expires_at: fromNow(Math.min(wanted.expiresInDays, maxTokenDays), 'day'),
    last_used_at: null,
  });
  // The reply shows the database's times.
  await tx.flush();
  return { ...row, token };
}

export const listTokens = (own: Own, userId: string, page: Page) => tokensOf(own, { userId }, page);

export async function deleteToken(tx: OwnTx, userId: string, id: string): Promise<void> {
  if ((await tx.delete(BearerToken, { user_id: userId, id })) === 0) throw notFound('Token');
}
