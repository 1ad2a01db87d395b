import type { Own } from '../platform/database/own.ts';
import type { Secrets } from '../platform/secrets.ts';
import type { Credentials } from '../providers/connections.ts';
import type { ConnectionHead } from './use.ts';

/** The access token as it is kept, sealed. */
export type KeptToken = { access_token: string | null; is_fresh: boolean; is_good: boolean; is_renewing: boolean };

/**
 * `sealed`: to tell later whether the credentials are still those that were refused. `kept`: the access token when the account was read, by
 * `performance.now()`.
 */
export type ConnectionAccount = ConnectionHead & {
  credentials: Credentials;
  sealed: string;
  kept: KeptToken & { readAtMs: number };
};

/** SQL: compared by the database's clock. */
export const keptToken = `
  access_token,
  access_token_expires_at > clock_timestamp() + interval '5 minutes' is true as is_fresh,
  access_token_expires_at > clock_timestamp() + interval '10 s' is true as is_good,
  renewing_until > clock_timestamp() is true as is_renewing`;

/** SQL: the account and its token in one look, which each run of a job begins with (bench: booking-sync). `id`: an expression. */
export const accountStatementOf = (id: string) => `
  select id, kind, provider, status, settings, credentials, ${keptToken}
    from connections
   where organization_id = $1 and id = ${id} and deleted_at is null`;
const accountStatement = accountStatementOf('$2');

export type AccountRow = ConnectionHead & { credentials: string } & KeptToken;

/** Undefined for a deleted one too. Throws CannotOpen without the key of its credentials. */
export async function connectionAccount(own: Own, id: string, secrets: Secrets): Promise<ConnectionAccount | undefined> {
  const readAtMs = performance.now();
  const [row] = await own.sql<AccountRow>(accountStatement, [id]);
  return row && accountFrom(row, secrets, readAtMs);
}

/** `readAtMs`: not after it was read. Throws CannotOpen without the key of its credentials. */
export function accountFrom(row: AccountRow, secrets: Secrets, readAtMs: number): ConnectionAccount {
  const { credentials: sealed, access_token, is_fresh, is_good, is_renewing, ...head } = row;
  return {
    ...head,
    credentials: JSON.parse(secrets.open(sealed)) as Credentials,
    sealed,
    kept: { access_token, is_fresh, is_good, is_renewing, readAtMs },
  };
}
