import { type Caller, mustHave, noOrganization } from '../organizations/caller.ts';
import { standing } from '../organizations/recheck-authority.ts';
import type { Em } from '../platform/database/database.ts';
import { query } from '../platform/database/query.ts';
import { AppError, notFound } from '../platform/errors.ts';
import { uuidv7 } from '../platform/ids.ts';
import type { Tx } from '../platform/ledger/tx.ts';
import { type Page, pageOfTable } from '../platform/listing/paging.ts';
import { sha256 } from '../platform/secrets.ts';
import { newCredential } from './credentials.ts';

export type TokenRow = {
  id: string;
  organization_id: string;
  name: string;
  scopes: string[];
  expires_at: string;
  last_used_at: string | null;
  created_at: string;
};

const columns = 'id, organization_id, name, scopes, expires_at, last_used_at, created_at';
export const longestTokenDays = 30;
const mostTokens = 50;

/** A token of a session's user for the organization active in it, with some or all of what his role allows. Shown once. */
export async function createToken(
  tx: Tx,
  asked: Caller,
  wanted: { name: string; scopes?: string[]; expiresInDays: number },
): Promise<TokenRow & { token: string }> {
  if (asked.organizationId === noOrganization) throw new AppError('forbidden', 'The session has no active organization');
  // Its organization is locked, so that two requests at once cannot both make the last one, and its session, with which its tokens end.
  const caller = await standing(tx, asked);
  const scopes = [...new Set(wanted.scopes ?? caller.scopes)];
  mustHave(caller, scopes);
  const [count] = await tx.query<{ total: number }>(
    'select count(*)::int as total from bearer_tokens where organization_id = $1 and user_id = $2 and expires_at > clock_timestamp()',
    [caller.organizationId, caller.userId],
  );
  if (count!.total >= mostTokens) throw new AppError('limit_reached', `A member has at most ${mostTokens} tokens`);
  const token = newCredential('kt_');
  const [row] = await tx.query<TokenRow>(
    `insert into bearer_tokens (id, organization_id, user_id, session_id, name, hash, scopes, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7, clock_timestamp() + $8::int * interval '1 day') returning ${columns}`,
    [
      uuidv7(),
      caller.organizationId,
      caller.userId,
      caller.sessionId,
      wanted.name,
      sha256(token),
      scopes,
      Math.min(wanted.expiresInDays, longestTokenDays),
    ],
  );
  return { ...row!, token };
}

export const listTokens = (em: Em, { organizationId, userId }: Caller, page: Page) =>
  pageOfTable<TokenRow>(
    em,
    `select ${columns} from bearer_tokens where organization_id = $1 and user_id = $2`,
    [organizationId, userId],
    page,
  );

export async function deleteToken(tx: Tx, { organizationId, userId }: Caller, id: string): Promise<void> {
  const rows = await query(
    tx.em,
    'delete from bearer_tokens where organization_id = $1 and user_id = $2 and id = $3 returning id',
    [organizationId, userId, id],
  );
  if (rows.length === 0) throw notFound('Token');
}
