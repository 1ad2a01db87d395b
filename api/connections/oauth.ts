import Joi from 'joi';
import { mustStillHave } from '../../src/connections/actor.ts';
import { connectionLock } from '../../src/connections/change.ts';
import { changeConnection, connectionsLock, makeConnection } from '../../src/connections/connect.ts';
import { newBrowser, organizationOf, startConsent, takeConsent } from '../../src/connections/oauth.ts';
import { connectionOfAccount } from '../../src/connections/queries.ts';
import { forCaller } from '../../src/connections/verify.ts';
import { actorOf } from '../../src/organizations/caller.ts';
import { recordAct } from '../../src/platform/audit/record.ts';
import { ownRows } from '../../src/platform/database/own.ts';
import { AppError, invalidField } from '../../src/platform/errors.ts';
import { transactFor } from '../../src/platform/ledger/tenant.ts';
import { type Deps, endpoint, ok } from '../http/endpoint.ts';
import { view } from '../http/view.ts';
import { browserOf, consentCookie } from './consent-cookie.ts';
import { checkReturnUrl } from './credentials.ts';
import { aboutConnection, ownAddress } from './schemas.ts';

const callbackPath = '/v1/connections/oauth/callback';
const provider = 'google' as const;

type Start = { provider: 'google'; return_url: string };

const started = view(
  Joi.object({ authorize_url: Joi.string().required().description('Send the person there; good once, for 10 minutes') }),
  {
    authorize_url:
      'https://accounts.google.com/o/oauth2/v2/auth?client_id=kanal.apps.example&response_type=code&state=%3Cstate%3E',
  },
);

export const startOAuth = endpoint({
  tag: aboutConnection.tag,
  method: 'post',
  path: '/v1/connections/oauth/start',
  operationId: 'connections.oauth.start',
  scope: 'connections:write',
  summary: 'Connect a calendar by consent: the address of the page where its owner allows it',
  description:
    'From there the person comes back to `return_url`, with `connection_id` when it is connected, else with `error`. An account that is connected already gets its new credentials. The rights of the caller are checked again then. Begun with a session, only the same browser can come back: a cookie says so. With a key or token any browser can, so send nobody there but who asked for it.',
  body: Joi.object<Start>({
    provider: Joi.string().valid(provider).required(),
    return_url: Joi.string().max(2_048).required().description('https'),
  }),
  responses: { 200: started },
  example: { body: { provider, return_url: 'https://app.example.com/settings/calendar' } },
  async handler({ body, caller, header, isSecure, write }, { config, secrets }) {
    const page = consentPage(config);
    const returnUrl = checkReturnUrl('return_url', body.return_url, config);
    // One cookie for all consents of a browser: two may be under way.
    const browser = caller.by === 'session' ? (browserOf(header('cookie'), isSecure) ?? newBrowser()) : undefined;
    const given = { provider, actor: actorOf(caller), returnUrl, browser };
    return write({}, async ({ own }) => ({
      ...ok({ authorize_url: await startConsent(own, given, page, secrets) }),
      ...(browser && { headers: { 'Set-Cookie': consentCookie(browser, isSecure) } }),
    }));
  },
});

function consentPage(config: Deps['config']) {
  const { calendarAuthUrl: authUrl, calendarClientId: clientId, calendarClientSecret, publicUrl } = config;
  if (!clientId || !calendarClientSecret || !publicUrl)
    throw invalidField(
      'provider',
      'This installation has no app of this provider: it needs CALENDAR_CLIENT_ID, CALENDAR_CLIENT_SECRET and PUBLIC_URL',
    );
  return { authUrl, clientId, redirectUri: ownAddress(config, callbackPath) };
}

type Callback = { state: string; code?: string; error?: string };

export const oauthCallback = endpoint({
  tag: aboutConnection.tag,
  method: 'get',
  path: callbackPath,
  operationId: 'connections.oauth.callback',
  scope: 'public',
  summary: 'Where the consent page of a calendar sends a person back to',
  description: 'For browsers. The state is good once, for 10 minutes.',
  query: Joi.object<Callback>({
    state: Joi.string().max(200).required(),
    code: Joi.string().max(2_048),
    error: Joi.string().max(200),
  }).unknown(),
  responses: { 302: null },
  errors: [403],
  example: { query: { state: '<state>', code: '<code>' } },
  async handler({ query, from, header, isSecure }, deps) {
    const { database, ledger, secrets, providers, config } = deps;
    const organizationId = organizationOf(query.state);
    const own = ownRows(database, organizationId);
    const browser = browserOf(header('cookie'), isSecure);
    const consent = await takeConsent(own, { state: query.state, browser }, secrets);
    const back = (result: Record<string, string>) => {
      const url = new URL(consent.return_url);
      for (const [name, value] of Object.entries(result)) url.searchParams.set(name, value);
      return { status: 302, headers: { location: url.href, 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' } };
    };
    if (query.error || !query.code) return back({ error: query.error ?? 'no_code' });
    await mustStillHave(own, consent.actor, 'connections:write');
    try {
      const { redirectUri } = consentPage(config);
      const { refreshToken, ...token } = await providers.tokens.exchangeCode({
        code: query.code,
        verifier: consent.verifier,
        redirectUri,
      });
      if (!refreshToken) return back({ error: 'no_refresh_token' });
      const credentials = { refresh_token: refreshToken };
      const tried = { ...(await providers.verify[provider](credentials, token.token)), token };
      const known = await connectionOfAccount(own, provider, tried.account);
      const locks = [...(known ? [connectionLock(known)] : []), connectionsLock(organizationId)];
      const { id } = await transactFor(ledger.transact, organizationId)({ locks }, async (tx) => {
        const row = known
          ? await changeConnection(tx, known, { credentials }, tried, secrets)
          : await makeConnection(tx, { provider, credentials, settings: {} }, tried, secrets);
        await recordAct(tx.em, {
          organizationId,
          actor: consent.actor,
          action: 'connections.oauth.callback',
          subject: `connection:${row.id}`,
          address: from.address,
          requestId: from.requestId,
        });
        return row;
      });
      return back({ connection_id: id });
    } catch (error) {
      const told = forCaller(error, 'code');
      if (!(told instanceof AppError)) throw error;
      return back({ error: told.code });
    }
  },
});
