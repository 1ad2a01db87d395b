import { Readable } from 'node:stream';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { campaignLane } from '../../../src/campaigns/jobs.ts';
import { importRecipients as runImport } from '../../../src/campaigns/recipients/import/run.ts';
import type { RecipientsRequest } from '../../../src/imports/import.entity.ts';
import { getRecipientsImport, queueRecipientsImport } from '../../../src/imports/imports.ts';
import { crmImportLane, crmUploads } from '../../../src/imports/tables.ts';
import { knowJobs } from '../../../src/jobs.ts';
import { createOrganization } from '../../../src/organizations/organizations.ts';
import { ownRows } from '../../../src/platform/database/own.ts';
import { importPool } from '../../../src/platform/imports/pool.ts';
import type { Import } from '../../../src/platform/imports/progress.ts';
import { receiveUpload } from '../../../src/platform/imports/upload.ts';
import { Superseded } from '../../../src/platform/ledger/superseded.ts';
import { asTenant, transactFor } from '../../../src/platform/ledger/tenant.ts';
import { importRecipients } from '../../../workers/campaigns/import-recipients.ts';
import { campaign } from '../../support/factories/campaign.ts';
import { channel } from '../../support/factories/channel.ts';
import { type House, openHouse, type ToyHandler } from '../../support/house.ts';
import { testSecrets } from '../../support/secrets.ts';

let house: House;
let organizationId: string;
let request: RecipientsRequest;
const handler = importRecipients as unknown as ToyHandler;
const small = { rows: 250, characters: 1e6 };
const always = () => true;

beforeAll(knowJobs);
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());
beforeEach(async () => {
  await house.reset();
  organizationId = await createOrganization(house.em(), 'Import');
  const { id: channelId } = await channel(house.em(), organizationId);
  const { id } = await campaign(house.em(), organizationId, { channelIds: [channelId] });
  request = { campaign_id: id, create_contacts: true };
});

const own = () => ownRows(house.database, organizationId);

/** A file as the API takes it, and its job as the queue would hand it over. */
async function queued(file: string): Promise<Import> {
  const { ledger } = house;
  const receiving = { own: own(), transact: ledger.transact, maxBytes: 1e8, maxQueued: 10 };
  const upload = await receiveUpload(crmUploads, receiving, 'cli', Readable.from([Buffer.from(file)]));
  const { operationId } = await ledger.transact({ locks: [crmImportLane(organizationId)] }, (tx) =>
    queueRecipientsImport(asTenant(tx, organizationId), upload, request),
  );
  await ledger.fill(house.pool(importPool));
  return { id: upload.importId, organizationId, job: { organization_id: organizationId, id: operationId, run: 1 } };
}

const fileOf = (count: number) =>
  `phone_number,param.code\n${Array.from({ length: count }, (_, n) => `+1${2_025_550_000 + n},C-${n}`).join('\n')}\n`;
async function run(running: Import, mayGoOn: () => boolean = always, done?: number) {
  const { rows_done } = await getRecipientsImport(own(), running.id);
  const deps = { own: own(), transact: transactFor(house.ledger.transact, organizationId), secrets: testSecrets };
  return runImport(deps, { ...running, request }, done ?? rows_done, mayGoOn, small);
}
const count = async (table: string) => {
  const [row] = await house.sql<{ n: number }>(`select count(*)::int as n from ${table} where organization_id = $1`, [
    organizationId,
  ]);
  return row!.n;
};

test('stopped between two batches, the next run goes on after the last one, and the job tells of it once', async () => {
  const running = await queued(fileOf(600));
  let batches = 0;
  const stopped = () => {
    batches += 1;
    return batches <= 2;
  };
  expect(await run(running, stopped)).toBe('paused');
  expect([await count('campaign_recipients'), await count('contacts')]).toEqual([500, 500]);
  expect(await house.run(handler, { organization_id: organizationId, id: running.job.id })).toEqual({ kind: 'done' });
  expect([await count('campaign_recipients'), await count('contacts'), await count('events')]).toEqual([600, 600, 1]);
  expect(await count('crm_import_chunks')).toBe(0);
  expect(await house.run(handler, { organization_id: organizationId, id: running.job.id })).toEqual({ kind: 'stale' });
  expect([await count('campaign_recipients'), await count('events')]).toEqual([600, 1]);
});

test('two runs at once: one leaves it to the other, and each row counts once', async () => {
  const running = await queued(fileOf(600));
  const ends = await Promise.allSettled([run(running, always, 0), run(running, always, 0)]);
  for (const end of ends) if (end.status === 'rejected') expect(end.reason).toBeInstanceOf(Superseded);
  if ((await getRecipientsImport(own(), running.id)).rows_done < 600) await run(running);
  expect(await getRecipientsImport(own(), running.id)).toMatchObject({ rows_done: 600, created_count: 600, unchanged_count: 0 });
  expect(await count('campaign_recipients')).toBe(600);
});

test('a campaign that ends meanwhile fails the file: what was added stays', async () => {
  const running = await queued(fileOf(600));
  let batches = 0;
  await run(running, () => {
    batches += 1;
    return batches <= 1;
  });
  await house.ledger.transact({ locks: [campaignLane(request.campaign_id)] }, (tx) =>
    tx.query(`update campaigns set status = 'cancelled' where id = $1`, [request.campaign_id]),
  );
  expect(await house.run(handler, { organization_id: organizationId, id: running.job.id })).toMatchObject({ kind: 'failed' });
  expect(await getRecipientsImport(own(), running.id)).toMatchObject({
    state: 'failed',
    created_count: 250,
    failure: { code: 'campaign.conflict' },
  });
  expect([await count('campaign_recipients'), await count('crm_import_chunks')]).toEqual([250, 0]);
});
