import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { storeAsset } from '../../../src/media/assets.ts';
import { ownRows } from '../../../src/platform/database/own.ts';
import { transactFor } from '../../../src/platform/ledger/tenant.ts';
import { useApp } from '../../support/app.ts';
import { filesIn, inPieces, jpeg } from '../../support/media.ts';
import { waitFor } from '../../support/wait-for.ts';
import { messageRows } from '../../support/work/messages.ts';

const app = useApp({ workers: true });
const upload = async () => (await app.call('media.assets.create', { body: jpeg() })).body;
const remove = (id: string) => app.call('media.assets.delete', { params: { assetID: id } });
const nameOf = (id: string) => Buffer.from(id, 'base64url').toString().split('/')[1]!;
const ids = () => filesIn(app.mediaFolder).map((file) => file.split('/').at(-1));
const noRows = () => app.rows('select 1 from media_assets where deleted_at is not null').then((rows) => rows.length === 0);

test('the file of a deleted asset is removed, then its row; the job again finds nothing to do', async () => {
  const [gone, kept] = [await upload(), await upload()];
  await remove(gone.id);
  await waitFor('the removal', noRows);
  expect(ids()).not.toContain(nameOf(gone.id));
  expect(ids()).toContain(nameOf(kept.id));
  await remove((await upload()).id);
  await waitFor('the second removal', noRows);
  expect(ids()).toContain(nameOf(kept.id));
});

test('a storage that fails is waited for: the row stays until the file is gone', async () => {
  const { id } = await upload();
  const [path] = filesIn(app.mediaFolder).filter((file) => file.endsWith(nameOf(id)));
  // A folder in place of the file cannot be unlinked.
  const whole = join(app.mediaFolder, path!);
  rmSync(whole);
  const { mkdirSync } = await import('node:fs');
  mkdirSync(whole);
  writeFileSync(join(whole, 'x'), '');
  await remove(id);
  await waitFor('a run that failed', async () =>
    app.log.lines.some(({ msg, job }) => msg === 'a fault of our own' && job === 'media.clear'),
  );
  expect(await noRows()).toBe(false);
  rmSync(whole, { recursive: true });
  await waitFor('the removal', noRows);
});

test("a contact's erasure removes the files that came in from it, and nothing the team uploaded", async () => {
  const channel = await app.connect();
  const phone = app.phone();
  await app.inbound(channel, phone);
  const message = await messageRows.one(app, { channel_id: channel.id }, ['id', 'contact_id']);
  const { organizationId } = app.tenant;
  const { storage, database, ledger } = app.web.deps;
  const own = ownRows(database, organizationId);
  const asset = await storeAsset(
    { own, transact: transactFor(ledger.transact, organizationId), storage, quotaBytes: 0 },
    { source: 'inbound', messageId: message.id, contactId: message.contact_id!, stream: inPieces(jpeg()), fileName: 'Ada.jpg' },
  );
  const uploaded = await upload();
  const listed = await app.call('media.assets.list', { query: { contact_id: message.contact_id! } });
  expect(listed.body.items).toHaveLength(1);
  expect((await app.call('contacts.delete', { params: { contactID: message.contact_id! } })).status).toBe(204);
  expect((await app.call('media.assets.list', { query: { source: 'inbound' } })).body.items).toEqual([]);
  await waitFor('the removal', noRows);
  expect(ids()).not.toContain(asset.id);
  expect(ids()).toContain(nameOf(uploaded.id));
});
