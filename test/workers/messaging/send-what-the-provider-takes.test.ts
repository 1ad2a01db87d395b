import { Readable } from 'node:stream';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { publicIdOf } from '../../../src/media/asset-id.ts';
import { storeAsset } from '../../../src/media/assets.ts';
import { shownName } from '../../../src/media/file-name.ts';
import { ownRows } from '../../../src/platform/database/own.ts';
import { transactFor } from '../../../src/platform/ledger/tenant.ts';
import { type Body, type Channel, useApp } from '../../support/app.ts';
import { inPieces, pdf } from '../../support/media.ts';
import { flowMessage, flowOf } from '../../support/sent-flows.ts';

const app = useApp({ workers: true });
let channel: Channel;
let phone: string;

beforeAll(async () => {
  channel = await app.connect();
  ({ phone } = await app.conversation(channel));
});

const send = (content: object) => app.call('messages.send', { body: { channel_id: channel.id, to: `+${phone}`, ...content } });
async function onWire(id: string): Promise<Body> {
  await app.idle();
  return (await app.sends(channel)).map(({ body }: Body) => body).find((body: Body) => body.biz_opaque_callback_data === id);
}

async function assetNamed(fileName: string): Promise<string> {
  const { organizationId } = app.tenant;
  const { database, ledger, storage } = app.web.deps;
  const where = { own: ownRows(database, organizationId), transact: transactFor(ledger.transact, organizationId), storage };
  const row = await storeAsset(
    { ...where, quotaBytes: 0 },
    { source: 'upload', createdBy: 'test', stream: Readable.from(inPieces(pdf())), fileName },
  );
  return publicIdOf(row.storage_key);
}

describe('a document', () => {
  test('without a name goes out with that of its asset', async () => {
    const { body } = await send({ type: 'document', document: { asset_id: await assetNamed('Invoice 12.pdf') } });
    expect((await onWire(body.data.id)).document.filename).toBe('Invoice 12.pdf');
  });

  test('keeps the name that it was given', async () => {
    const document = { asset_id: await assetNamed('Invoice 13.pdf'), filename: 'Yours.pdf' };
    const { body } = await send({ type: 'document', document });
    expect((await onWire(body.data.id)).document.filename).toBe('Yours.pdf');
  });

  test.each([
    ['../../etc/passwd.pdf', 'passwd.pdf'],
    [`${'x'.repeat(235)}😀😀.pdf`, `${'x'.repeat(235)}.pdf`],
  ])('%s is shown as a short last part', (name, shown) => {
    expect(shownName(name)).toBe(shown);
  });
});

describe('an interactive message', () => {
  test.each([
    [
      'order_status',
      {
        body: { text: 'On its way' },
        action: { name: 'review_order', parameters: { reference_id: 'A-1', order: { status: 'shipped', description: 'JNE' } } },
      },
    ],
    ['call_permission_request', { body: { text: 'May we call?' }, action: { name: 'call_permission_request' } }],
    ['call_permission_request', { action: { name: 'call_permission_request' } }],
  ])('%s goes out as it is', async (type, content) => {
    const { status, body } = await send({ type: 'interactive', interactive: { type, ...content } });
    expect(status).toBe(201);
    expect((await onWire(body.data.id)).interactive).toEqual({ type, ...content });
  });

  test('may name its flow by its name', async () => {
    const flow = await flowOf(app, channel);
    const { name } = await app.one('select name from flows where id = $1', [flow.id]);
    const { status, body } = await app.text(channel, phone, flowMessage({ flow_name: name.toUpperCase() }));
    expect(status).toBe(201);
    expect(body.data.content.action.parameters.flow_id).toBe(flow.id);
    expect(body.data.content.action.parameters.flow_name).toBeUndefined();
  });

  test.each([
    ['a flow that nobody has', { flow_name: 'No such flow' }, 'interactive.action.parameters.flow_name'],
    ['neither a name nor an id', { flow_name: undefined }, 'interactive.action.parameters'],
  ])('%s is a 422 that names its field', async (_what, parameters, field) => {
    const { status, body } = await app.text(channel, phone, flowMessage(parameters));
    expect(status).toBe(422);
    expect(body.error.details[0].field).toContain(field);
  });
});
