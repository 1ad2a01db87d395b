import { beforeAll, describe, expect, test } from '@jest/globals';
import { retryJob } from '../../../src/platform/ledger/retry.ts';
import { type Body, type Channel, useApp } from '../../support/app.ts';
import { approved, asked, body, statusUpdates, templateIs, templateOf } from '../../support/templates.ts';
import { waitFor } from '../../support/wait-for.ts';
import { templateRows } from '../../support/work/channels.ts';
import { rightNow } from '../../support/work/rows.ts';

const app = useApp({ workers: true });
let channel: Channel;
beforeAll(async () => {
  channel = await app.connect();
});

const components = [body('Good day {{1}}, welcome.')];
const edit = (templateID: string) => app.call('templates.update', { params: { templateID }, body: { components } });
const edits = async ({ provider_template_id: id }: Body): Promise<Body[]> =>
  (await app.control('GET', `/requests?method=POST&path=/${id}`)).requests;
const fault = (path: string, method: string, kind: string) => app.control('POST', '/faults', { match: { path, method }, kind });

describe('edit', () => {
  test('an answer that was lost: not edited again, since each edit counts', async () => {
    const template = await approved(app, channel);
    await fault(`/${template.provider_template_id}`, 'POST', 'drop_after');
    await edit(template.id);
    await templateIs(app, template.id, { components, doing: null, change: null, failure: null });
    expect(await edits(template)).toHaveLength(1);
    await templateIs(app, template.id, { status: 'approved' });
  });

  test('a request that was lost: edited by the next try', async () => {
    const template = await approved(app, channel);
    await fault(`/${template.provider_template_id}`, 'POST', 'drop_before');
    await edit(template.id);
    await templateIs(app, template.id, { components, doing: null, status: 'approved' });
    const [one] = (await app.control('GET', '/accounts')).accounts
      .flatMap(({ templates }: Body) => templates)
      .filter(({ id }: Body) => id === template.provider_template_id);
    expect(one.components).toEqual(components);
  });

  test('an answer that was lost, and then a refused token: a retry of the job looks before it edits', async () => {
    const own = await app.connect();
    const template = await approved(app, own);
    await app.idle();
    await fault(`/${template.provider_template_id}`, 'POST', 'drop_after');
    const look = { path: `${own.wabaId}/message_templates`, method: 'GET' };
    await app.control('POST', '/faults', { kind: 'status', status: 401, code: 190, match: look });
    const { headers } = await edit(template.id);
    const { failure } = await templateIs(app, template.id, { doing: null });
    expect(failure).toMatchObject({ code: 'provider_refused', provider_code: '190' });
    await retryJob(app.web.deps.ledger.transact, headers.get('operation-id')!, app.tenant.organizationId);
    await templateIs(app, template.id, { components, doing: null, change: null, failure: null });
    expect(await edits(template)).toHaveLength(1);
  });

  test('one whose review is over before its answer is not pending for ever', async () => {
    const template = await approved(app, channel);
    await app.control('POST', '/behaviour', { delay_ms: 0 });
    await fault(`/${template.provider_template_id}`, 'POST', 'drop_after');
    await edit(template.id);
    await templateIs(app, template.id, { status: 'approved', components, doing: null });
    await app.idle();
    await templateIs(app, template.id, { status: 'approved' });
    await app.control('POST', '/behaviour', { delay_ms: 5 });
  });
});

describe('delete', () => {
  const gone = (id: string) => waitFor('its row to go', async () => (await templateRows.count(app, id)) === 0);

  test.each(['drop_after', 'drop_before'])('%s: it is gone in the end', async (kind) => {
    const own = await app.connect();
    const template = await approved(app, own);
    await fault(`${own.wabaId}/message_templates`, 'DELETE', kind);
    expect((await app.call('templates.delete', { params: { templateID: template.id } })).status).toBe(204);
    await gone(template.id);
    expect((await asked(app, own)).map(([method]) => method)).toEqual(['POST', 'DELETE', 'DELETE']);
    const { accounts } = await app.control('GET', '/accounts');
    const { templates } = accounts.find((one: Body) => one.waba_id === own.wabaId);
    expect(templates.map(({ name }: Body) => name)).toEqual(['hello', 'old']);
  });

  test('one that was submitted without an answer: another of its name at the provider stays there', async () => {
    const theirs = { id: '77002', name: 'taken', language: 'en_US', components: [{ type: 'BODY', text: 'Other' }] };
    const own = await app.connect({ account: { templates: [theirs] } });
    await app.idle();
    await templateRows.change(
      app,
      { channel_id: own.id },
      { provider_template_id: null, submitted_at: rightNow(), status: 'draft', components },
    );
    const { id } = await templateRows.one(app, { channel_id: own.id }, ['id']);
    expect((await app.call('templates.delete', { params: { templateID: id } })).status).toBe(204);
    await gone(id);
    expect(await asked(app, own)).toEqual([]);
  });

  test('one that the provider does not have any more is deleted here', async () => {
    const own = await app.connect();
    const template = await approved(app, own);
    await app.account({ waba_id: own.wabaId, phone_number_id: own.phoneNumberId, access_token: own.accessToken, templates: [] });
    const { status } = await app.call('templates.delete', {
      params: { templateID: template.id },
      headers: { prefer: 'wait=10' },
    });
    expect(status).toBe(204);
    await gone(template.id);
  });
});

describe('two numbers of one account', () => {
  /** The same template, approved, by each of them; a review does not come, so nothing else tells the second. */
  const twice = async () => {
    const first = await app.connect();
    const second = await app.connect({ account: { waba_id: first.wabaId, access_token: first.accessToken, templates: [] } });
    const template = await approved(app, first);
    await app.call('templates.sync', { params: { channelID: second.id }, headers: { prefer: 'wait=10' } });
    const where = [second.id, template.provider_template_id];
    const copy = await app.one('select id from templates where channel_id = $1 and provider_template_id = $2', where);
    await app.idle();
    return { template, copy };
  };

  test('an edit by one of them is an edit of the other', async () => {
    const { template, copy } = await twice();
    await app.control('POST', '/behaviour', { template_review: null });
    await edit(template.id);
    await templateIs(app, template.id, { components, doing: null });
    await app.control('POST', '/behaviour', { template_review: 'APPROVED' });
    expect(await templateOf(app, copy.id)).toMatchObject({ components, status: 'pending', doing: null });
    expect((await statusUpdates(app, copy.id)).at(-1)).toMatchObject({ changed: ['components', 'status'], status: 'pending' });
  });

  test('a deletion by one of them disables that of the other', async () => {
    const { template, copy } = await twice();
    await app.call('templates.delete', { params: { templateID: template.id }, headers: { prefer: 'wait=10' } });
    expect((await templateOf(app, copy.id)).status).toBe('disabled');
    expect((await statusUpdates(app, copy.id)).at(-1)).toMatchObject({ changed: ['status'], status: 'disabled' });
  });
});
