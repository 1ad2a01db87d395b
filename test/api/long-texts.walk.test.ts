import { beforeAll, describe, expect, test } from '@jest/globals';
import { type Reply, useApp } from '../support/app.ts';
import { type Definition, definitions, isPersonal } from '../support/contract.ts';
import { some } from '../support/depth.ts';
import { exampleBody } from '../support/examples.ts';
import { person, sessionHeaders } from '../support/factories/person.ts';
import { takesJson } from '../support/hostile-bodies.ts';
import { ownedRecords } from '../support/owned.ts';
import { type TextField, textFieldsOf, withText } from '../support/text-fields.ts';

/** Each text of each JSON body at its limit, in characters that take two units, turn the line, have no width, or look like others. */
const app = useApp({ env: { RATE_LIMIT_PER_MINUTE: '0' } });
let owned: Record<string, string>;
let session: Record<string, string>;

beforeAll(async () => {
  owned = await ownedRecords(app);
  const { userId } = await person(app.em(), app.tenant.organizationId);
  ({ headers: session } = await sessionHeaders(app.em(), userId, app.base));
});

const half = '\ud83d';
const kinds = ['\u202e', '\u2066', '＝', '＋', '\u200b', '\u200d', '\ufeff', '👩‍👩‍👧‍👦', '😀'].join('');

/** So many units, the last of which is an emoji; one more where it would be cut in two. */
const filled = (units: number, end: string) => {
  const room = Math.max(0, units - end.length);
  return `${kinds
    .repeat(Math.ceil(room / kinds.length))
    .slice(0, room)
    .replace(/[\ud800-\udbff]$/, 'x')}${end}`;
};

function send(endpoint: Definition, body: unknown): Promise<Reply> {
  const { method, path } = endpoint;
  const needsSession = isPersonal(endpoint);
  return app.raw(
    method,
    path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(owned[name] ?? 'none')),
    {
      ...(needsSession && { key: null }),
      headers: { 'content-type': 'application/json', ...(needsSession && session) },
      body: JSON.stringify(body),
    },
  );
}

/** The value under the field's own name in a reply that has it, wrapped or not. */
const shownIn = (reply: Reply, { path }: TextField): unknown =>
  path.length === 1 ? (reply.body?.data ?? reply.body)?.[path[0]!] : undefined;

/** A secret is shown once and otherwise, an address in its canonical form. */
const changed = new Set(['password', 'phone', 'phone_number', 'email', 'value', 'text', 'url']);

const taking = definitions
  .filter(takesJson)
  .map((endpoint, index) => [endpoint.operationId, endpoint, some(textFieldsOf(endpoint), 2, index)] as const)
  .filter(([, , fields]) => fields.length > 0);

test('there is something to look at', () => {
  expect(taking.length).toBeGreaterThan(80);
});

describe('a text at its limit is stored whole, or refused with its field', () => {
  test.each(taking)('%s', async (_name, endpoint, fields) => {
    const ids = { channel: owned.channelID, contact: owned.contactID, organization: app.tenant.organizationId };
    for (const field of fields) {
      const good = () => (exampleBody(endpoint, ids) ?? {}) as object;
      for (const text of [filled(field.max, '😀'), filled(field.max + 1, '😀')]) {
        const reply = await send(endpoint, withText(good(), field, text));
        expect(reply.status).toBeLessThan(500);
        if (reply.status === 422 && reply.body.error) expect(reply.body.error.message).not.toBe('');
        const shown = reply.status < 300 ? shownIn(reply, field) : undefined;
        if (typeof shown === 'string' && !changed.has(String(field.path[0]))) expect(shown).toBe(text.trim());
      }
      const refused = await send(endpoint, withText(good(), field, `ab${half}`));
      // 401, 403 and 404: refused before the body is read as its own.
      if ([401, 403, 404].includes(refused.status)) continue;
      expect(refused.status).toBe(422);
      expect(JSON.stringify(refused.body)).toContain(String(field.path.at(-1)));
    }
  });
});
