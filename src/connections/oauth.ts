import { createHash, randomBytes } from 'node:crypto';
import { fromNow } from '../platform/database/columns.ts';
import type { Own } from '../platform/database/own.ts';
import type { RowOf } from '../platform/database/tables.ts';
import { invalidField } from '../platform/errors.ts';
import { isUuid } from '../platform/ids.ts';
import type { OwnTx } from '../platform/ledger/tx.ts';
import { type Secrets, sha256 } from '../platform/secrets.ts';
import { ConnectionConsent } from './connection.entity.ts';

export const consentMinutes = 10;
/** As in the tokens of src/providers/tokens/google.ts. */
const calendarScope = 'https://www.googleapis.com/auth/calendar';

export type ConsentPage = { authUrl: string; clientId: string; redirectUri: string };

/** `browser`: the only one that may bring the state back; undefined: any, since who began it has none. */
type Started = { provider: string; actor: string; returnUrl: string; browser?: string };

const random = () => randomBytes(32).toString('base64url');
export const newBrowser = random;
const hashOf = (state: string, browser?: string) => sha256(browser === undefined ? state : `${state} ${browser}`).toString('hex');

/** The address of the page where a person allows it. Its state is good once, for 10 minutes, and begins with the organization, by which its row is found. */
export async function startConsent(
  own: OwnTx,
  { provider, actor, returnUrl, browser }: Started,
  page: ConsentPage,
  secrets: Secrets,
) {
  const [state, verifier] = [`${own.organizationId}.${random()}`, random()];
  await own.insert(ConnectionConsent, {
    state_hash: hashOf(state, browser),
    provider,
    actor,
    verifier: secrets.seal(verifier),
    return_url: returnUrl,
    expires_at: fromNow(consentMinutes, 'minute'),
  });
  const url = new URL(page.authUrl);
  const params = {
    client_id: page.clientId,
    redirect_uri: page.redirectUri,
    response_type: 'code',
    scope: calendarScope,
    state,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    // A refresh token, each time: it is given with consent alone.
    access_type: 'offline',
    prompt: 'consent',
  };
  for (const [name, value] of Object.entries(params)) url.searchParams.set(name, value);
  return url.href;
}

const unknownState = () =>
  invalidField('state', 'This consent is not known, was used already, or is older than 10 minutes', 'unknown', 'query');

/** Of a text that a browser brought. Throws 422. */
export function organizationOf(state: string): string {
  const [organizationId = ''] = state.split('.', 1);
  if (!isUuid(organizationId)) throw unknownState();
  return organizationId;
}

type Consent = RowOf<typeof ConnectionConsent, 'actor' | 'verifier' | 'return_url'>;

/** Used up at once, whatever comes of it. Throws 422 for one that is not known, over, used, or of another browser. */
export async function takeConsent(
  own: Pick<Own, 'sql'>,
  { state, browser }: { state: string; browser?: string },
  secrets: Secrets,
): Promise<Consent> {
  // SQL: of two that come at once, one gets the row; by the database's clock.
  const [consent] = await own.sql<Consent & { is_good: boolean }>(
    `delete from connection_consents
      where organization_id = $1 and state_hash = any($2)
    returning actor, verifier, return_url, expires_at > clock_timestamp() as is_good`,
    [browser === undefined ? [hashOf(state)] : [hashOf(state), hashOf(state, browser)]],
  );
  if (!consent?.is_good) throw unknownState();
  return { ...consent, verifier: secrets.open(consent.verifier) };
}
