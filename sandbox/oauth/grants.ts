import { createHash, verify } from 'node:crypto';
import type { State } from '../state.ts';
import { calendarClient, type Grant, videoClient } from '../tokens.ts';

export class OAuthError extends Error {
  readonly status: number;
  readonly body: object;
  constructor(status: number, body: object) {
    super(JSON.stringify(body));
    this.status = status;
    this.body = body;
  }
}

type Form = Record<string, string | undefined>;

export interface Granted {
  grant: Grant;
  /** What the token is made from: revoked with it. */
  source: string;
  scope?: string;
  refreshToken?: string;
}

const refused = (error: string, description: string, status = 400) =>
  new OAuthError(status, { error, error_description: description });

const calendarScope = 'https://www.googleapis.com/auth/calendar';
const jwtBearer = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

/** The three ways to an access token of the calendar service. */
export function grantOf(state: State, form: Form): Granted {
  switch (form.grant_type) {
    case 'authorization_code':
      return byCode(state, form);
    case 'refresh_token':
      return byRefreshToken(state, form);
    case jwtBearer:
      return byAssertion(state, form.assertion ?? '');
    default:
      throw refused('unsupported_grant_type', `Invalid grant_type: ${form.grant_type ?? ''}`);
  }
}

function checkClient({ client_id: id, client_secret: secret }: Form): void {
  if (id !== calendarClient.id) throw refused('invalid_client', 'The OAuth client was not found.', 401);
  if (secret !== calendarClient.secret) throw refused('invalid_client', 'The provided client secret is invalid.', 401);
}

function byCode(state: State, form: Form): Granted {
  checkClient(form);
  const code = state.tokens.useCode(form.code ?? '');
  if (!code || code.clientId !== form.client_id) throw refused('invalid_grant', 'Malformed auth code.');
  if (code.redirectUri !== form.redirect_uri) throw refused('redirect_uri_mismatch', 'Bad Request');
  if (code.challenge !== undefined) {
    const challenge = createHash('sha256')
      .update(form.code_verifier ?? '')
      .digest('base64url');
    if (challenge !== code.challenge) throw refused('invalid_grant', 'Invalid code verifier.');
  }
  const grant = { service: code.service, account: code.account };
  const refreshToken = state.tokens.giveRefreshToken(grant);
  return { grant, source: refreshToken, refreshToken, scope: calendarScope };
}

function byRefreshToken(state: State, form: Form): Granted {
  checkClient(form);
  const source = form.refresh_token ?? '';
  const grant = state.tokens.ofRefreshToken(source);
  if (!grant) throw refused('invalid_grant', 'Token has been expired or revoked.');
  return { grant, source, scope: calendarScope };
}

interface Claims {
  iss?: string;
  sub?: string;
  scope?: string;
  aud?: string;
  iat?: number;
  exp?: number;
}

/** RS256 only, good for an hour at most. */
function byAssertion(state: State, assertion: string): Granted {
  const [head = '', payload = '', signature = '', ...more] = assertion.split('.');
  const [header, claims] = [partOf<{ alg?: string }>(head), partOf<Claims>(payload)];
  if (!header || !claims || more.length > 0 || header.alg !== 'RS256') throw refused('invalid_grant', 'Invalid JWT.');
  const { iss = '', sub, scope, aud = '', iat = 0, exp = 0 } = claims;
  const key = state.tokens.keyOf(iss);
  if (!key) throw refused('invalid_grant', 'Invalid grant: account not found');
  const isSigned = verify('RSA-SHA256', Buffer.from(`${head}.${payload}`), key, Buffer.from(signature, 'base64url'));
  if (!isSigned) throw refused('invalid_grant', 'Invalid JWT Signature.');
  const seconds = Date.now() / 1000;
  if (!aud.endsWith('/token')) throw refused('invalid_grant', 'Invalid JWT: Failed audience check.');
  if (exp < seconds || exp - iat > 3_600 || iat > seconds + 60)
    throw refused('invalid_grant', 'Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe.');
  if (!scope) throw refused('invalid_scope', 'Empty or missing scope not allowed.');
  return { grant: { service: 'google', account: sub ?? iss }, source: iss, scope };
}

function partOf<Part>(text: string): Part | undefined {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString('utf8')) as Part;
  } catch {
    return undefined;
  }
}

/** Server-to-server: the app's id and secret in the header, the account in the form. */
export function videoGrant(state: State, form: Form, authorization: string | undefined): Granted {
  const wrong = (reason: string, error: string) => new OAuthError(400, { reason, error });
  const given = Buffer.from(/^Basic (.+)$/.exec(authorization ?? '')?.[1] ?? '', 'base64').toString('utf8');
  if (given !== `${videoClient.id}:${videoClient.secret}`) throw wrong('Invalid client_id or client_secret', 'invalid_client');
  if (form.grant_type !== 'account_credentials') throw wrong('unsupported grant type', 'unsupported_grant_type');
  const source = form.account_id ?? '';
  if (source === '' || state.tokens.isRevoked(source)) throw wrong('Bad Request', 'invalid_grant');
  return { grant: { service: 'zoom', account: source }, source, scope: 'meeting:write:admin' };
}
