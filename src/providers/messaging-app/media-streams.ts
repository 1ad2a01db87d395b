import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { pipeline, Readable, Transform } from 'node:stream';
import { ProviderFailed, ProviderRefused } from '../errors.ts';
import { isOwnOrigin } from './document-link.ts';
import { type MediaFile, mediaTooLarge } from './provider.ts';

/** A link leads to the provider's own address or, by TLS, to one of its hosts for files: no other may get the token. */
export function linkOf(link: string, { baseUrl, mediaHosts }: { baseUrl: string; mediaHosts: string[] }): URL {
  const url = URL.parse(link);
  const isKnown =
    url && (isOwnOrigin(url, baseUrl) || (url.protocol === 'https:' && url.port === '' && mediaHosts.includes(url.hostname)));
  if (!isKnown || url.username || url.password)
    throw new ProviderFailed(
      `The link of the file leads to a host that is not among MESSAGING_APP_MEDIA_HOSTS: ${url?.hostname ?? 'none'}`,
      { code: 'media_host' },
    );
  return url;
}

/** Longest start of a body that is read for the error in it. */
const maxStart = 64 * 1024;

type Size = { maxBytes: number; bytes: number | undefined };

/** A reply's body: no more than `maxBytes`, no less than it should have. `fault`: the provider's, not of who reads the stream. */
export function limited(request: Readable, { maxBytes, bytes }: Size) {
  let fault: Error | undefined;
  let total = 0;
  let isWhole = false;
  let wanted = bytes;
  const note = (error: Error) => {
    fault ??= error;
    return error;
  };
  const stream = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      total += chunk.length;
      if (total <= maxBytes) return done(null, chunk);
      done(note(new ProviderRefused(`The file has more than ${maxBytes} bytes`, { code: mediaTooLarge })));
    },
    flush(done) {
      isWhole = true;
      const isOther = wanted !== undefined && total !== wanted;
      done(isOther ? note(new ProviderFailed(`The provider gave ${total} of ${wanted} bytes`)) : null);
    },
  });
  request.on('error', note);
  // Before the pipeline, which then destroys the stream.
  request.once('close', () => {
    if (!isWhole && !stream.destroyed) note(new ProviderFailed('The provider ended the transfer too early'));
  });
  pipeline(request, stream, () => {});
  request.once('response', ({ statusCode }: { statusCode: number }) => {
    // The body of an error has its own length.
    if (statusCode !== 200) wanted = undefined;
  });
  const response = once(request, 'response').then(([reply]) => reply as { statusCode: number });
  return {
    response,
    stream: stream as Readable,
    fault: () => fault,
    /** The start of an error's body. */
    async start(): Promise<string> {
      const chunks: Buffer[] = [];
      let length = 0;
      try {
        for await (const chunk of stream as AsyncIterable<Buffer>) {
          chunks.push(chunk);
          length += chunk.length;
          if (length > maxStart) break;
        }
      } catch {
        // What came of it may still tell the reason.
      }
      return Buffer.concat(chunks).toString('utf8');
    },
  };
}

const plainType = /^[\w.+-]+\/[\w.+-]+$/;

/** Without its parameters, and fit for a header. */
export function plainTypeOf(mimeType: string): string {
  const type = mimeType.split(';', 1)[0]!.trim();
  if (!plainType.test(type)) throw new Error('The type of the file is not one');
  return type;
}

/** A file, and what is said of it beside. No text of a person is in the fields or the name. */
export type FormFile = { fields: Record<string, string>; fileName: string; file: MediaFile };

/** Streamed. */
export function multipartOf({ fields, fileName, file: { mimeType, bytes, open } }: FormFile) {
  const boundary = `kanal-${randomUUID()}`;
  const field = (name: string, more = '') => `--${boundary}\r\ncontent-disposition: form-data; name="${name}"${more}\r\n`;
  const head = Buffer.from(
    [
      ...Object.entries(fields).map(([name, value]) => `${field(name)}\r\n${value}\r\n`),
      `${field('file', `; filename="${fileName}"`)}content-type: ${plainTypeOf(mimeType)}\r\n\r\n`,
    ].join(''),
  );
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`);
  let fault: unknown;
  async function* parts() {
    yield head;
    try {
      yield* (await open()) as AsyncIterable<Buffer>;
    } catch (error) {
      fault = error;
      throw error;
    }
    yield tail;
  }
  return {
    stream: Readable.from(parts(), { objectMode: false }),
    headers: {
      'content-type': `multipart/form-data; boundary=${boundary}`,
      'content-length': String(head.length + bytes + tail.length),
    },
    /** Of the file that was read, not of the provider. */
    fault: () => fault,
  };
}
