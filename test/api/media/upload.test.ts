import { connect } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import { type Reply, useApp } from '../../support/app.ts';
import { listedActs } from '../../support/listed-acts.ts';
import { branded, filesIn, jpeg, mp4, ogg, pdf, png, webp } from '../../support/media.ts';
import { storedMediaUsage } from '../../support/stored/messaging.ts';
import { waitFor } from '../../support/wait-for.ts';

const app = useApp({ env: { MEDIA_QUOTA_BYTES: String(2 ** 30) } });

type Options = { type?: string; query?: Record<string, string>; headers?: Record<string, string>; key?: string };
const upload = (bytes: Buffer | string, { type = 'application/octet-stream', query, headers, key }: Options = {}) =>
  app.call('media.assets.create', { key, body: Buffer.from(bytes), query, headers: { 'content-type': type, ...headers } });

async function uploadForm(form: FormData, query = '', headers: Record<string, string> = {}): Promise<Reply> {
  // fetch makes the boundary; its bytes are read here, so that the contract is checked as always.
  const request = new Request('http://form', { method: 'POST', body: form });
  const type = request.headers.get('content-type')!;
  return app.raw('POST', `/v1/media/assets${query}`, {
    headers: { 'content-type': type, ...headers },
    body: new Uint8Array(await request.arrayBuffer()),
  });
}
const formWith = (bytes: Buffer | string, name: string, type = '') => {
  const form = new FormData();
  form.append('file', new Blob([bytes as never], { type }), name);
  return form;
};
const stored = () => filesIn(app.mediaFolder);
const codeOf = ({ status, body }: Reply) => [status, body.error?.code];

describe('what a file is follows from its content', () => {
  test.each([
    ['a JPEG', jpeg(), 'image', 'image/jpeg'],
    ['a PNG', png(), 'image', 'image/png'],
    ['a still WebP', webp(), 'sticker', 'image/webp'],
    ['a moving WebP', webp(400_000, true), 'sticker', 'image/webp'],
    ['an MP4', mp4(), 'video', 'video/mp4'],
    ['an M4A', branded('M4A '), 'audio', 'audio/mp4'],
    ['an MP4 of Apple', branded('M4V '), 'video', 'video/mp4'],
    ['OGG with OPUS', ogg(), 'audio', 'audio/ogg; codecs=opus'],
    ['a PDF', pdf(), 'document', 'application/pdf'],
    ['text', 'Hello', 'document', 'text/plain'],
    ['bytes', Buffer.from([0, 1, 2, 3]), 'document', 'application/octet-stream'],
  ])('%s', async (_name, bytes, kind, mimeType) => {
    const { status, body } = await upload(bytes as Buffer);
    expect([status, body.kind, body.mime_type]).toEqual([201, kind, mimeType]);
    expect(body.size_bytes).toBe(bytes.length);
  });

  test.each([
    ['HTML as a JPEG', '<!DOCTYPE html><script>alert(1)</script>', 'image/jpeg', 'text/html'],
    [
      'an SVG as a PNG',
      '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>',
      'image/png',
      'image/svg+xml',
    ],
    ['SVG behind a comment', '<!-- GIF89a --><svg onload="alert(1)"></svg>', 'image/gif', 'image/svg+xml'],
    ['a JPEG as HTML', jpeg(), 'text/html', 'image/jpeg'],
    ['CSV', 'a;b\n1;2\n', 'text/csv', 'text/csv'],
    ['bytes as a film', Buffer.from([0, 9, 9, 9]), 'video/mp4', 'application/octet-stream'],
    ['text as a film', 'once upon a time', 'video/mp4', 'text/plain'],
    ['a drawing of a program of its own', Buffer.from([0, 9, 9]), 'application/vnd.acme', 'application/vnd.acme'],
    ['a container with sound only', mp4(), 'audio/mp4', 'audio/mp4'],
    ['the same by another word', mp4(), 'audio/x-m4a', 'audio/mp4'],
  ])('%s is stored as what it is', async (_name, bytes, declared, mimeType) => {
    const { body } = await upload(bytes as Buffer, { type: declared });
    expect([body.mime_type, body.declared_type]).toEqual([mimeType, declared]);
  });
});

describe('limits', () => {
  const [kB, MB] = [1_024, 1_024 * 1_024];
  test.each([
    ['an image', jpeg, 5 * MB],
    ['a video', mp4, 16 * MB],
    ['audio', ogg, 16 * MB],
    ['a still sticker', webp, 100 * kB],
    ['a moving sticker', (bytes: number) => webp(bytes, true), 500 * kB],
  ] as const)('%s', async (_name, make, limit) => {
    expect((await upload(make(limit))).status).toBe(201);
    const before = stored().length;
    const refused = await upload(make(limit + 1));
    expect(codeOf(refused)).toEqual([413, 'payload_too_large']);
    expect(refused.body.error.message).toContain(`${limit} bytes at most`);
    expect(stored()).toHaveLength(before);
    const asDocument = await upload(make(limit + 1), { query: { kind: 'document' } });
    expect([asDocument.status, asDocument.body.kind]).toEqual([201, 'document']);
  });

  test('a file that says it is larger than any may be is refused before it comes', async () => {
    const reply = await new Promise<string>((resolve, reject) => {
      const socket = connect(app.web.port, '127.0.0.1', () =>
        socket.write(
          `POST /v1/media/assets HTTP/1.1\r\nhost: kanal\r\nx-api-key: ${app.tenant.key}\r\ncontent-type: application/pdf\r\ncontent-length: 200000000\r\n\r\n`,
        ),
      );
      socket.once('data', (bytes) => {
        socket.destroy();
        resolve(bytes.toString());
      });
      socket.once('error', reject);
    });
    expect(reply).toMatch(/^HTTP\/1.1 413 /);
  });

  test('a kind that the content is not is refused, and says what it is', async () => {
    const refused = await upload('not a picture', { type: 'image/jpeg', query: { kind: 'image' } });
    expect(codeOf(refused)).toEqual([422, 'invalid_request']);
    expect(refused.body.error.message).toContain('The file is text/plain');
  });

  test('an empty file is refused', async () => {
    expect(codeOf(await upload(''))).toEqual([422, 'invalid_request']);
  });

  test.each([
    ['JSON', { type: 'application/json' }],
    ['a form of fields', { type: 'application/x-www-form-urlencoded' }],
    ['another multipart', { type: 'multipart/mixed; boundary=x' }],
    ['no type', { type: '' }],
    ['a compressed body', { headers: { 'content-encoding': 'gzip' } }],
  ])('%s is a 415', async (_name, options) => {
    expect(codeOf(await upload('{}', options))).toEqual([415, 'unsupported_media_type']);
  });

  test('beyond the quota of the organization: 422, and nothing is stored', async () => {
    const tenant = await app.organization();
    await storedMediaUsage.add(app, { organization_id: tenant.organizationId, bytes: 2 ** 30 - 3_000, assets: 0 });
    const before = stored().length;
    expect((await upload(jpeg(2_000), { key: tenant.key })).status).toBe(201);
    expect(codeOf(await upload(jpeg(2_000), { key: tenant.key }))).toEqual([422, 'limit_reached']);
    expect(stored()).toHaveLength(before + 1);
  });
});

describe('a form', () => {
  test('its file is stored with its name and type', async () => {
    const { status, headers, body } = await uploadForm(formWith(jpeg(), 'cat.jpg', 'image/jpeg'), '?kind=document');
    expect(status).toBe(201);
    expect(headers.get('location')).toBe(`/v1/media/assets/${body.id}`);
    expect(body).toMatchObject({ kind: 'document', mime_type: 'image/jpeg', declared_type: 'image/jpeg', file_name: 'cat.jpg' });
  });

  test.each([
    ['of 300 characters', `${'n'.repeat(296)}.pdf`],
    ['from right to left', 'דוח-סופי.pdf'],
    ['that turns around', 'invoice\u202Efdp.exe'],
    ['of a zip bomb', '42.zip'],
    ['with semicolons and quotes', `a;b c='d'.pdf`],
  ])('a name %s is kept', async (_what, name) => {
    const { body } = await uploadForm(formWith(pdf(), name, 'application/pdf'));
    expect([body.file_name, body.mime_type]).toEqual([name, 'application/pdf']);
    const { body: raw } = await upload(pdf(), { query: { file_name: name } });
    expect(raw.file_name).toBe(name);
  });

  test('of a path only its last part is kept', async () => {
    const { body } = await uploadForm(formWith(pdf(), '../../etc/passwd', 'application/pdf'));
    expect(body.file_name).toBe('passwd');
  });

  test('a name that is too long is refused', async () => {
    expect((await upload(pdf(), { query: { file_name: 'n'.repeat(1_025) } })).status).toBe(422);
  });

  const two = formWith(jpeg(), 'a.jpg');
  two.append('file', new Blob(['b']), 'b.txt');
  const withField = formWith(jpeg(), 'a.jpg');
  withField.append('kind', 'image');
  const fieldOnly = new FormData();
  fieldOnly.append('file', 'not a file');
  const other = new FormData();
  other.append('picture', new Blob(['x']), 'x.txt');
  test.each([
    ['two files', two],
    ['another field', withField],
    ['a field in place of the file', fieldOnly],
    ['a file of another name', other],
    ['nothing', new FormData()],
  ])('with %s is refused, and nothing stays', async (_what, form) => {
    const before = stored();
    expect(codeOf(await uploadForm(form))).toEqual([422, 'invalid_request']);
    expect(stored()).toEqual(before);
  });

  test.each([
    ['no boundary', 'multipart/form-data', 'x'],
    [
      'a part without its end',
      'multipart/form-data; boundary=x',
      '--x\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\nabc',
    ],
    ['no part', 'multipart/form-data; boundary=x', 'abc'],
  ])('with %s is a clear refusal', async (_what, type, text) => {
    const before = stored();
    const refused = await upload(text, { type });
    expect([400, 422]).toContain(refused.status);
    expect(stored()).toEqual(before);
  });
});

describe('an upload that breaks off', () => {
  test.each([
    ['raw', 'image/jpeg', ''],
    [
      'in a form',
      'multipart/form-data; boundary=x',
      '--x\r\ncontent-disposition: form-data; name="file"; filename="a.jpg"\r\n\r\n',
    ],
  ])('%s leaves nothing behind', async (_what, type, start) => {
    const before = stored();
    const rows = await app.counts();
    const socket = connect(app.web.port, '127.0.0.1', () => {
      const head = `POST /v1/media/assets HTTP/1.1\r\nhost: kanal\r\nx-api-key: ${app.tenant.key}\r\ncontent-type: ${type}\r\ncontent-length: 4000000\r\n\r\n${start}`;
      socket.write(head);
      socket.write(jpeg(500_000));
    });
    await waitFor('the first bytes on the disk', () => stored().length > before.length);
    socket.destroy();
    await waitFor('the end of the upload', () => stored().length === before.length);
    expect(stored()).toEqual(before);
    expect(await app.counts()).toEqual(rows);
  });
});

describe('an Idempotency-Key', () => {
  test('the same file again is the same asset, stored once; another file is refused', async () => {
    const headers = { 'idempotency-key': 'upload-1' };
    const first = await upload(jpeg(), { headers });
    const before = stored().length;
    const again = await upload(jpeg(), { headers });
    expect([again.status, again.body, again.headers.get('idempotent-replayed')]).toEqual([201, first.body, 'true']);
    const other = await upload(png(), { headers });
    expect(codeOf(other)).toEqual([422, 'idempotency_mismatch']);
    expect(stored()).toHaveLength(before);
  });

  test('two at once with one key store one file', async () => {
    const headers = { 'idempotency-key': 'upload-2' };
    const before = stored().length;
    const replies = await Promise.all([1, 2, 3].map(() => upload(jpeg(300_000), { headers })));
    const ids = new Set(replies.filter(({ status }) => status === 201).map(({ body }) => body.id));
    expect(ids.size).toBe(1);
    expect(replies.every(({ status }) => status === 201 || status === 409)).toBe(true);
    // The files of those who came second may be removed a moment after their answer.
    await waitFor('one file to be left', () => stored().length === before + 1);
  });
});

test('an upload is in the audit log, by the id of the asset', async () => {
  const { body } = await upload(jpeg());
  expect(await listedActs(app, { subject: `media_asset:${body.id}` }, { columns: ['action'] })).toEqual([
    { action: 'media.assets.create' },
  ]);
});
