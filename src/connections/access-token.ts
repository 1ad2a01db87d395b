import { setTimeout as sleep } from 'node:timers/promises';
import type { Own } from '../platform/database/own.ts';
import type { Secrets } from '../platform/secrets.ts';
import { ProviderBusy, ProviderFailed } from '../providers/errors.ts';
import type { AccessToken, Tokens } from '../providers/tokens/provider.ts';
import { type ConnectionAccount, type KeptToken, keptToken } from './account.ts';

/** Beyond the longest call for a token: after it the process that renews counts as dead. */
const graceMs = 5_000;
const lookMs = 100;
/** What was read with the account is as good as a new look: `is_good` has a longer time left. */
const recentMs = 5_000;

export type TokenDeps = { secrets: Secrets; tokens: Tokens; timeoutMs: number };

/** Undefined: the provider takes the credentials themselves with each call. */
const givers: Partial<Record<ConnectionAccount['provider'], keyof Pick<Tokens, 'google' | 'zoom'>>> = {
  google: 'google',
  zoom: 'zoom',
};
export const hasTokens = ({ provider }: Pick<ConnectionAccount, 'provider'>) => givers[provider] !== undefined;

export const newToken = (tokens: Tokens, { provider, credentials }: Pick<ConnectionAccount, 'provider' | 'credentials'>) =>
  tokens[givers[provider]!](credentials);

/**
 * As long as it is good for 5 more minutes, the one that is kept; then one process at a time asks for a new one, while the others use the
 * old one, or wait. `refused`: the token that the provider did not take.
 */
export async function accessToken(
  own: Own,
  account: ConnectionAccount,
  { secrets, tokens, timeoutMs }: TokenDeps,
  refused?: string,
): Promise<string> {
  const { id, sealed } = account;
  const patienceMs = timeoutMs + graceMs;
  const until = performance.now() + patienceMs;
  const isRecent = performance.now() - account.kept.readAtMs < recentMs;
  let kept: KeptToken | undefined = isRecent ? account.kept : undefined;
  for (;;) {
    kept ??= await readKept(own, id, sealed);
    const token = kept.access_token === null ? undefined : secrets.open(kept.access_token);
    const isUsable = token !== undefined && token !== refused && (kept.is_fresh || (kept.is_good && kept.is_renewing));
    if (isUsable) return token;
    if (await claimRenewal(own, id, kept.access_token, patienceMs)) return renewed(own, account, { secrets, tokens });
    if (performance.now() > until) throw new ProviderFailed('Another process has been asking for an access token for too long');
    await sleep(lookMs);
    kept = undefined;
  }
}

async function readKept(own: Own, id: string, sealed: string): Promise<KeptToken> {
  // SQL: by the database's clock.
  const [kept] = await own.sql<KeptToken>(
    `select ${keptToken}
       from connections
      where organization_id = $1 and id = $2 and credentials = $3 and deleted_at is null`,
    [id, sealed],
  );
  if (kept) return kept;
  throw new ProviderBusy('The connection was given other credentials meanwhile', { retryAfterMs: 1_000, scope: 'recipient' });
}

/**
 * The row is the lock: a transaction that stayed open during the call would take a database connection from other organizations as long as
 * the provider hangs.
 */
async function claimRenewal(own: Own, id: string, seen: string | null, patienceMs: number): Promise<boolean> {
  // SQL: one conditional update, by the database's clock.
  const claimed = await own.sql(
    `update connections
        set renewing_until = clock_timestamp() + $4::float8 * interval '1 ms'
      where organization_id = $1 and id = $2
        and access_token is not distinct from $3
        and (renewing_until is null or renewing_until <= clock_timestamp())
    returning id`,
    [id, seen, patienceMs],
  );
  return claimed.length > 0;
}

async function renewed(own: Own, account: ConnectionAccount, { secrets, tokens }: Omit<TokenDeps, 'timeoutMs'>): Promise<string> {
  let given: AccessToken | undefined;
  try {
    given = await newToken(tokens, account);
    return given.token;
  } finally {
    // SQL: by the database's clock. A token of credentials that were replaced meanwhile is not kept.
    await own.sql(
      `update connections
          set access_token = case when credentials = $3 then $4 else access_token end,
              access_token_expires_at = case when credentials = $3
                                             then clock_timestamp() + $5::float8 * interval '1 s'
                                             else access_token_expires_at end,
              renewing_until = null
        where organization_id = $1 and id = $2 and deleted_at is null`,
      [account.id, account.sealed, given ? secrets.seal(given.token) : null, given?.expiresInSeconds ?? null],
    );
  }
}
