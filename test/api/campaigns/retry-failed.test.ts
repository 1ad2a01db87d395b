import { beforeAll, expect, test } from '@jest/globals';
import { type Channel, useApp } from '../../support/app.ts';
import { act, at, channelWithTemplates, completeDraft, inDays, inState, recipient } from '../../support/campaign-drafts.ts';
import { storedCampaigns } from '../../support/stored/campaigns.ts';
import { storedTemplates } from '../../support/stored/messaging.ts';

const app = useApp();
let channel: Channel;
beforeAll(async () => {
  channel = await channelWithTemplates(app);
});

test('names an operation, which a client can read with the scope of campaigns', async () => {
  const made = await completeDraft(app, channel);
  await inState(app, made.id, 'completed');
  await recipient(app, made, { status: 'failed' });
  const reply = await act(app, 'retry-failed', made.id, { force: true });
  expect([reply.status, reply.body.status]).toEqual([200, 'completed']);
  const operationID = reply.headers.get('operation-id')!;
  const { key } = await app.key(app.tenant.organizationId, ['campaigns:read']);
  const { body } = await app.call('operations.get', { key, params: { operationID } });
  expect(body).toMatchObject({ name: 'campaigns.retry-failed', status: 'queued', subject: { type: 'campaign', id: made.id } });
});

test('with a template that is gone it is a 422', async () => {
  const own = await channelWithTemplates(app);
  const made = await completeDraft(app, own);
  await inState(app, made.id, 'completed');
  await storedTemplates.remove(app, { channel_id: own.id });
  const { status, body } = await act(app, 'retry-failed', made.id);
  expect([status, body.error.code]).toEqual([422, 'template_unknown']);
  expect((await app.call('campaigns.get', at(made.id))).body.status).toBe('completed');
});

test('past its end it is a 422: they would be skipped, and why they failed be lost', async () => {
  const made = await completeDraft(app, channel);
  await inState(app, made.id, 'completed');
  await recipient(app, made, { status: 'failed', failure_code: '131026' });
  await storedCampaigns.change(app, made.id, { schedule: { end_at: inDays(-1) } });
  const { status, body } = await act(app, 'retry-failed', made.id);
  expect([status, body.error.details]).toEqual([
    422,
    [expect.objectContaining({ field: 'schedule.end_at', code: 'schedule.over' })],
  ]);
  expect((await app.call('campaigns.get', at(made.id))).body).toMatchObject({ status: 'completed', counts: { failed: 1 } });
});
