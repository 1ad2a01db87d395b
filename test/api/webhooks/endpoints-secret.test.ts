import { describe, expect, test } from '@jest/globals';
import { scopes } from '../../../src/organizations/scopes.ts';
import { useApp } from '../../support/app.ts';
import { listedActs } from '../../support/listed-acts.ts';
import { ago } from '../../support/stored/times.ts';
import { storedEndpoints } from '../../support/stored/webhooks.ts';

const app = useApp();

const made = async (): Promise<{ id: string; secret: string }> =>
  (await app.call('webhooks.endpoints.create', { body: { url: 'https://example.com/hooks', event_types: ['message.sent'] } }))
    .body;
const rotate = (id: string, body?: object, headers?: Record<string, string>) =>
  app.call('webhooks.endpoints.rotate-secret', { params: { endpointID: id }, body, headers });
const reveal = (id: string, key?: string) => app.call('webhooks.endpoints.reveal-secret', { params: { endpointID: id }, key });
const rowOf = (id: string) => storedEndpoints.one(app, id);
const hoursAhead = (time: string) => (Date.parse(time) - Date.now()) / 3_600_000;

describe('rotate', () => {
  test('a new secret; the one before is kept, sealed, for 24 hours', async () => {
    const { id, secret } = await made();
    const { status, body } = await rotate(id);
    expect(status).toBe(200);
    expect(body.secret).toMatch(/^whsec_/);
    expect(body.secret).not.toBe(secret);
    expect(hoursAhead(body.overlap_ends_at)).toBeCloseTo(24, 1);
    const row = await rowOf(id);
    const { secrets } = app.web.deps;
    expect([secrets.open(row.secret), secrets.open(row.previous_secret)]).toEqual([body.secret, secret]);
    const shown = await app.call('webhooks.endpoints.get', { params: { endpointID: id } });
    expect(shown.body.overlap_ends_at).toBe(body.overlap_ends_at);
    expect(shown.text).not.toContain('whsec_');
  });

  test('while an overlap lasts another rotation is a 409, but for one that ends it', async () => {
    const { id, secret } = await made();
    const first = await rotate(id, { overlap_hours: 168 });
    expect(hoursAhead(first.body.overlap_ends_at)).toBeCloseTo(168, 1);
    const refused = await rotate(id, { overlap_hours: 1 });
    expect([refused.status, refused.body.error.code]).toEqual([409, 'conflict']);
    expect(refused.body.error.message).toContain(first.body.overlap_ends_at);
    expect((await reveal(id)).body).toEqual({
      secret: first.body.secret,
      previous_secret: secret,
      overlap_ends_at: first.body.overlap_ends_at,
    });
    const ended = await rotate(id, { overlap_hours: 0 });
    expect([ended.status, ended.body.overlap_ends_at]).toEqual([200, null]);
    expect(await rowOf(id)).toMatchObject({ previous_secret: null, previous_secret_until: null });
    expect((await reveal(id)).body).toEqual({ secret: ended.body.secret, previous_secret: null, overlap_ends_at: null });
  });

  test('once the overlap is over it may be rotated again, and the oldest secret is gone', async () => {
    const { id } = await made();
    const second = (await rotate(id)).body.secret;
    await storedEndpoints.change(app, id, { previous_secret_until: ago(1, 'second') });
    expect((await reveal(id)).body).toEqual({ secret: second, previous_secret: null, overlap_ends_at: null });
    const shown = await app.call('webhooks.endpoints.get', { params: { endpointID: id } });
    expect(shown.body.overlap_ends_at).toBeNull();
    const third = (await rotate(id)).body.secret;
    expect((await reveal(id)).body).toMatchObject({ secret: third, previous_secret: second });
  });

  test('asked five times at once, one wins, and the secret of before still signs', async () => {
    const { id, secret } = await made();
    const replies = await Promise.all(Array.from({ length: 5 }, () => rotate(id)));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409]);
    const won = replies.find(({ status }) => status === 200)!;
    expect((await reveal(id)).body).toMatchObject({ secret: won.body.secret, previous_secret: secret });
  });

  test('with an Idempotency-Key asked again it is the same secret', async () => {
    const { id } = await made();
    const headers = { 'idempotency-key': `rotate ${id}` };
    const [first, again] = [await rotate(id, undefined, headers), await rotate(id, undefined, headers)];
    expect([again.status, again.body.secret]).toEqual([200, first.body.secret]);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
  });

  test.each([-1, 169, 1.5, '24', null])('overlap_hours %j: 422', async (overlap_hours) => {
    const { id, secret } = await made();
    const { status, body } = await rotate(id, { overlap_hours });
    expect([status, body.error.details[0].field]).toEqual([422, 'overlap_hours']);
    expect((await reveal(id)).body.secret).toBe(secret);
  });
});

describe('reveal', () => {
  test('the secret of creation, and each time a row in the audit log', async () => {
    const { id, secret } = await made();
    expect((await reveal(id)).body.secret).toBe(secret);
    await reveal(id);
    const acts = await listedActs(
      app,
      { action: 'webhooks.endpoints.reveal-secret', subject: `webhook_endpoint:${id}` },
      { columns: ['actor', 'details'] },
    );
    expect(acts).toEqual(Array(2).fill({ actor: `key:${app.tenant.keyId}`, details: null }));
  });

  test('only with its own scope: reading and writing webhooks is not enough', async () => {
    const { id } = await made();
    const others = scopes.filter((scope) => scope !== 'webhooks:secrets');
    const { key } = await app.key(app.tenant.organizationId, others);
    const refused = await reveal(id, key);
    expect([refused.status, refused.body.error.code]).toEqual([403, 'forbidden']);
    const alone = await app.key(app.tenant.organizationId, ['webhooks:secrets']);
    expect((await reveal(id, alone.key)).status).toBe(200);
  });

  test('another organization’s: 404, and nothing in the audit log', async () => {
    const { id } = await made();
    const stranger = await app.organization();
    expect((await reveal(id, stranger.key)).status).toBe(404);
    expect(
      await app.rows(`select 1 from audit_log where subject = $1 and action like '%reveal%'`, [`webhook_endpoint:${id}`]),
    ).toEqual([]);
  });
});
