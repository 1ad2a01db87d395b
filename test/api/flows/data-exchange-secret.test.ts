import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { type Body, type Channel, useApp } from '../../support/app.ts';
import { flowWithEndpoint } from '../../support/flow-exchange.ts';
import { storedFlowSecrets } from '../../support/stored/flows.ts';
import { now } from '../../support/stored/times.ts';

const app = useApp();
let channel: Channel;
let flowID: string;
beforeAll(async () => {
  channel = await app.connect();
});
beforeEach(async () => {
  flowID = await flowWithEndpoint(app, channel, 'https://example.com/flow');
});

const reveal = (key?: string) => app.call('flows.data-exchange.reveal-secret', { params: { flowID }, key });
const rotate = (body: Body = undefined, key?: string) =>
  app.call('flows.data-exchange.rotate-secret', { params: { flowID }, body, key });

describe('the secret of a flow', () => {
  test('is made when it is first asked for, and stays', async () => {
    const { status, body } = await reveal();
    expect(status).toBe(200);
    expect(body).toEqual({ secret: expect.stringMatching(/^whsec_/), previous_secret: null, overlap_ends_at: null });
    expect((await reveal()).body).toEqual(body);
    const row = await storedFlowSecrets.one(app, { flow_id: flowID }, ['secret']);
    expect(row.secret).not.toContain(body.secret.slice(6));
  });

  test('after a rotation the one before signs too, until its overlap ends', async () => {
    const { secret: first } = (await reveal()).body;
    const { body } = await rotate({ overlap_hours: 2 });
    expect(body.secret).not.toBe(first);
    expect(body).not.toHaveProperty('previous_secret');
    expect((new Date(body.overlap_ends_at).getTime() - Date.now()) / 3_600_000).toBeCloseTo(2, 1);
    expect((await reveal()).body).toEqual({ ...body, previous_secret: first });
    await storedFlowSecrets.change(app, { flow_id: flowID }, { previous_secret_until: now() });
    expect((await reveal()).body).toMatchObject({ previous_secret: null, overlap_ends_at: null });
  });

  test('another rotation within the overlap: 409, but for one that ends it at once', async () => {
    await rotate();
    expect((await rotate()).status).toBe(409);
    expect((await rotate({ overlap_hours: 0 })).body).toMatchObject({ overlap_ends_at: null });
    expect((await reveal()).body).toMatchObject({ previous_secret: null, overlap_ends_at: null });
    expect((await rotate()).status).toBe(200);
  });

  test('a key with flows:write rotates it, and reads neither the secret that signs nor the one before', async () => {
    const { secret } = (await reveal()).body;
    const { key } = await app.key(app.tenant.organizationId, ['flows:read', 'flows:write']);
    expect((await reveal(key)).status).toBe(403);
    const rotated = await rotate({ overlap_hours: 2 }, key);
    expect(rotated.status).toBe(200);
    expect(rotated.text).not.toContain(secret);
  });

  test.each([{ overlap_hours: -1 }, { overlap_hours: 169 }, { overlap_hours: '1' }, { hours: 1 }])('%j: 422', async (body) => {
    expect((await rotate(body)).status).toBe(422);
  });

  test("another organization's, and one that is not there: 404", async () => {
    const { key } = await app.organization();
    expect([(await reveal(key)).status, (await rotate(undefined, key)).status]).toEqual([404, 404]);
    flowID = '01932d5f-3a0e-7cc4-8f4e-0242ac120005';
    expect([(await reveal()).status, (await rotate()).status]).toEqual([404, 404]);
  });
});
