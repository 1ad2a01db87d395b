import { describe, expect, test } from '@jest/globals';
import { forms } from '../../api/connections/credentials.ts';
import type { ConnectionProvider } from '../../src/connections/connection.entity.ts';
import { kindOf } from '../../src/connections/credentials.ts';
import { uuidv7 } from '../../src/platform/ids.ts';
import { useApp } from '../support/app.ts';
import { exampleBody } from '../support/examples.ts';
import { nameOf, type SecretField, secretFields } from '../support/secret-fields.ts';
import { storedConnections } from '../support/stored/channels.ts';

/** Of such a secret the client heard that the provider cannot be reached (503), and tried again for ever. */
const app = useApp();

const unfit = [
  ['an emoji', 'a😀b'],
  ['a line break', 'a\nb'],
  ['a header after it', 'a\r\nX-Other: b'],
  ['a letter beyond Latin-1', 'aĀb'],
  ['a letter of Latin-1', 'aüb'],
  ['a control character', 'a\u007fb'],
] as const;

/** A job or the operation itself sends it in a header, or compares it with one. */
const inHeader = [
  'channels.connect access_token',
  'channels.rotate-token access_token',
  'channels.update access_token',
  'connections.create credentials.*',
  'connections.create webhook_secret',
  'connections.update credentials.*',
  'connections.update webhook_secret',
  'flows.create data_exchange.headers.*',
  'flows.update data_exchange.headers.*',
  'webhooks.endpoints.create headers.*',
  'webhooks.endpoints.update headers.*',
];

/** No header has it: why. */
const elsewhere: Record<string, string> = {
  'auth.login password': 'compared with its hash',
  'auth.me.password current_password': 'compared with its hash',
  'auth.me.password new_password': 'its hash is kept',
  'auth.password-reset.confirm new_password': 'its hash is kept',
  'auth.password-reset.confirm token': 'compared with its hash',
  'automation.secrets.put hosts': 'names hosts',
  'automation.secrets.put value': 'may stand in a body, too: the call judges it (src/automation/http/http-request.ts)',
  'channels.connect app_secret': 'signs',
  'channels.connect verify_token': 'compared with what stands in a query',
  'channels.rotate-token app_secret': 'signs',
  'channels.rotate-token verify_token': 'compared with what stands in a query',
  'channels.update app_secret': 'null alone',
  'commerce.bookings.check-in token': 'compared with its hash',
  'conversations.messages.send interactive.action.parameters.flow_token': 'goes to the provider in JSON',
  'invitations.accept password': 'its hash is kept',
  'invitations.accept token': 'compared with its hash',
  'invitations.look-up token': 'compared with its hash',
  'messages.send interactive.action.parameters.flow_token': 'goes to the provider in JSON',
  'onboarding.register-phone pin': 'goes to the provider in JSON',
};

const fields = secretFields();

test('of each field that is named as a secret it is known whether a header has it', () => {
  expect(fields.map(nameOf).sort()).toEqual([...inHeader, ...Object.keys(elsewhere)].sort());
});

/** `a.*.b` with a value, within what is there. */
function withValue(body: Record<string, unknown>, [name, ...more]: string[], value: unknown): Record<string, unknown> {
  const own = more.length === 0 ? value : withValue((body[name!] ?? {}) as Record<string, unknown>, more, value);
  return { ...body, [name!]: own };
}

async function refusedAt(operationId: string, body: object, field: string, params: Record<string, string> = {}) {
  const { status, body: reply } = await app.call(operationId, { params, body });
  expect({ operationId, status }).toEqual({ operationId, status: 422 });
  expect(reply.error.details?.map((detail: { field: string }) => detail.field)).toContain(field);
}

const paramsOf = ({ path }: SecretField['endpoint']) =>
  Object.fromEntries([...path.matchAll(/:(\w+)/g)].map(([, name]) => [name, uuidv7()]));

/** Those of a service are judged by its form, below. */
const simple = fields.filter((one) => inHeader.includes(nameOf(one)) && !one.path.startsWith('credentials.'));

describe.each(simple.map((one) => [nameOf(one), one] as const))('%s', (_name, { endpoint, path }) => {
  const field = path.replaceAll('*', 'X-Token');
  test.each(unfit)('with %s is a 422 at its field', async (_what, value) => {
    const good = endpoint.method === 'patch' ? {} : (exampleBody(endpoint) as Record<string, unknown>);
    await refusedAt(endpoint.operationId, withValue(good, field.split('.'), value), field, paramsOf(endpoint));
  });
});

/** A private key signs, and has lines. */
const inNone = ['private_key'];
const credentials = (Object.keys(forms) as ConnectionProvider[]).flatMap((provider) =>
  forms[provider].flatMap(({ required, optional = [] }) =>
    [...required, ...optional].filter((name) => !inNone.includes(name)).map((name) => ({ provider, name, required })),
  ),
);

describe.each(credentials)('the credential $name of $provider', ({ provider, name, required }) => {
  const field = `credentials.${name}`;
  const given = (value: string) => ({ ...Object.fromEntries(required.map((one) => [one, 'x'])), [name]: value });

  test.each(unfit)('with %s is a 422 at its field, in a new connection and in one that is there', async (_what, value) => {
    await refusedAt('connections.create', { provider, credentials: given(value) }, field);
    const id = await storedConnections.add(app, {
      organization_id: app.tenant.organizationId,
      kind: kindOf[provider],
      provider,
      name: 'Test',
      credentials: 'sealed',
    });
    await refusedAt('connections.update', { credentials: given(value) }, field, { connectionID: id });
  });
});
