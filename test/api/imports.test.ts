import { beforeAll, describe, expect, test } from '@jest/globals';
import { uuidv7 } from '../../src/platform/ids.ts';
import { type Body, useApp } from '../support/app.ts';
import { campaign } from '../support/factories/campaign.ts';
import { channel } from '../support/factories/channel.ts';
import { kind as vehicle, vehicles } from '../support/record-files.ts';
import { waitFor } from '../support/wait-for.ts';

const app = useApp({ workers: true, env: { IMPORT_MAX_BYTES: '100000' } });
let campaignID: string;
beforeAll(async () => {
  const { organizationId } = app.tenant;
  await vehicles(app, app.tenant);
  campaignID = (await campaign(app.em(), organizationId, { channelIds: [(await channel(app.em(), organizationId)).id] })).id;
});

type Import = {
  upload: string;
  params?: () => Record<string, string>;
  query?: Record<string, boolean>;
  read: string;
  id: string;
  /** Two columns of a file, and a value of the first. */
  columns: [string, string];
  value: string;
};

/** Each import of a CSV file: what holds for all is asserted here, once for each. */
const imports: Record<string, Import> = {
  contacts: {
    upload: 'contacts.import',
    read: 'contacts.imports',
    id: 'importID',
    columns: ['phone_number', 'name'],
    value: '+16505551001',
  },
  deals: { upload: 'crm.deals.import', read: 'crm.imports', id: 'crmImportID', columns: ['title', 'amount'], value: 'Large' },
  records: {
    upload: 'crm.records.import',
    params: () => ({ objectKind: vehicle }),
    read: 'crm.imports',
    id: 'crmImportID',
    columns: ['name', 'a_text'],
    value: 'Van',
  },
  recipients: {
    upload: 'campaigns.recipients.import',
    params: () => ({ campaignID }),
    query: { create_contacts: true },
    read: 'campaigns.imports',
    id: 'campaignImportID',
    columns: ['phone_number', 'param.code'],
    value: '+16505551002',
  },
};

describe.each(Object.entries(imports))(
  'an import of %s',
  (_name, { upload: operation, params, query, read, id, columns, value }) => {
    const [first, second] = columns;
    const good = `${first}\n${value}\n`;
    const upload = (body: string | Buffer, headers: Record<string, string> = {}) =>
      app.call(operation, { params: params?.(), query, body, headers });
    const ended = (importId: string): Promise<Body> =>
      waitFor('the import to end', async () => {
        const { data } = (await app.call(`${read}.get`, { params: { [id]: importId } })).body;
        return ['succeeded', 'failed'].includes(data.status) && data;
      });
    async function imported(body: string | Buffer): Promise<Body> {
      const reply = await upload(body);
      expect(reply.status).toBe(201);
      return ended(reply.body.data.id);
    }

    test('reads a file with a byte order mark and CRLF, and reports a row with too few cells', async () => {
      const result = await imported(`\ufeff${first},${second}\r\n${value},\r\n${value}\r\n`);
      expect(result).toMatchObject({ status: 'succeeded', rows: 2, failed: 1, failure: null });
      expect(result.created + result.updated + result.unchanged).toBe(1);
      const { body } = await app.call(`${read}.errors`, { params: { [id]: result.id } });
      expect(body.data).toMatchObject([{ line: 3, column: '', code: 'row.cells' }]);
    });

    test.each([
      ['an unknown column', `${first},colour\n${value},red\n`, { code: 'header.unknown', column: 'colour', line: 1 }],
      ['a column without a name', `${first},\n${value},\n`, { code: 'header.unknown', column: '', line: 1 }],
      ['a column twice', `${first},${first}\n${value},${value}\n`, { code: 'header.duplicate', column: first, line: 1 }],
      ['no header', 'Ada,Grace\nBarbara,Katherine\n', { code: 'header.missing', line: 1 }],
      ['blank lines only', '\n\n', { code: 'header.missing', line: 1 }],
      ['a semicolon for a comma', `${first};${second}\n${value};1\n`, { code: 'header.missing', line: 1 }],
      ['501 columns', `${first}${',c'.repeat(500)}\n`, { code: 'header.columns', line: 1 }],
      ['a header alone', `${first}\n`, { code: 'rows.missing' }],
      ['a quote that is never closed', `${first}\n"Ada\n`, { code: 'csv', line: 2 }],
      ['a quote within a cell', `${first}\nA "da"\n`, { code: 'csv', line: 2 }],
    ])('fails a file with %s, and repeats none of its cells', async (_what, file, failure) => {
      const result = await imported(file);
      expect(result).toMatchObject({ status: 'failed', created: 0, updated: 0, failure });
      expect(JSON.stringify(result)).not.toMatch(/Ada|Barbara|"da"|red/);
    });

    test.each([
      ['nothing', Buffer.alloc(0), {}, 422],
      ['bytes that are not UTF-8', Buffer.from(`${first}\nJos\xe9\n`, 'latin1'), {}, 422],
      ['UTF-16', Buffer.from(`\ufeff${good}`, 'utf16le'), {}, 422],
      ['a character that is cut', Buffer.from(`${first}\n€`).subarray(0, -1), {}, 422],
      ['NUL', Buffer.from(`${first}\na\0\n`), {}, 422],
      ['too many bytes', Buffer.alloc(100_001, 'a'), {}, 413],
      ['JSON', Buffer.from('{}'), { 'content-type': 'application/json' }, 415],
    ])('refuses %s immediately, and stores nothing', async (_what, body, headers, status) => {
      await app.idle();
      const before = await app.counts();
      expect((await upload(body, headers)).status).toBe(status);
      expect(await app.counts()).toEqual(before);
    });

    test('an Idempotency-Key takes a file once, and refuses another file', async () => {
      const headers = { 'idempotency-key': uuidv7() };
      const taken = await upload(good, headers);
      const again = await upload(good, headers);
      expect(again.status).toBe(201);
      expect(again.headers.get('idempotent-replayed')).toBe('true');
      expect(again.body.data.id).toBe(taken.body.data.id);
      const other = await upload(`${good}${value}\n`, headers);
      expect(other.status).toBe(422);
      expect(other.body.error.code).toBe('idempotency_mismatch');
      await ended(taken.body.data.id);
    });

    test('Prefer: wait replies with the import as it ended', async () => {
      const reply = await upload(good, { prefer: 'wait=10' });
      expect(reply.status).toBe(201);
      expect(reply.headers.get('preference-applied')).toBe('wait=10');
      expect(reply.body.data).toMatchObject({ status: 'succeeded', failed: 0 });
    });

    test('another organization sees neither the import nor its errors', async () => {
      const { key } = await app.organization();
      const { id: importId } = await imported(good);
      for (const name of ['get', 'errors'])
        expect((await app.call(`${read}.${name}`, { key, params: { [id]: importId } })).status).toBe(404);
    });
  },
);
