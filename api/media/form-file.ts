import type { Readable } from 'node:stream';
import type { BusboyFileStream } from '@fastify/busboy';
import type { IncomingFile } from '../../src/media/receive.ts';
import { AppError } from '../../src/platform/errors.ts';

/** Of the parts around the file: headers of a browser have a few hundred bytes. */
const limits = { files: 1, fields: 0, parts: 1, headerPairs: 20, headerSize: 16 * 1024 };

/** The one file of a form. Its stream ends once the form does; a form with anything else is refused, at its end at the latest. */
export async function fileInForm(
  body: Readable,
  contentType: string,
  field: string,
): Promise<Pick<IncomingFile, 'stream' | 'declaredType' | 'fileName'>> {
  const { Busboy } = await import('@fastify/busboy');
  const form = formOf(Busboy, contentType);
  const ended = Promise.withResolvers<void>();
  // Awaited behind the file; until then it is no unhandled rejection.
  ended.promise.catch(() => undefined);
  let file: BusboyFileStream | undefined;
  const fail = (error: AppError) => {
    ended.reject(error);
    body.unpipe(form);
    file?.destroy(error);
  };
  const other = () => fail(new AppError('invalid_request', `The form must have one part, the file, called ${field}`));
  const broken = (cause?: unknown) => fail(new AppError('bad_request', 'The body did not arrive whole', { cause }));
  for (const event of ['partsLimit', 'filesLimit', 'fieldsLimit'] as const) form.on(event, other);
  form.on('error', broken);
  form.on('finish', () => ended.resolve());
  body.once('error', broken).once('close', () => body.readableEnded || broken());
  const found = new Promise<{ stream: BusboyFileStream; fileName: string; type: string }>((resolve, reject) => {
    form.on('file', (name, stream, fileName, _encoding, type) => {
      file = stream.on('error', broken);
      if (name === field) resolve({ stream, fileName, type });
      else other();
    });
    ended.promise.then(() => reject(new AppError('invalid_request', `The form has no file called ${field}`)), reject);
  });
  // The client may have left before the file was asked for: then nothing comes any more, not even the end.
  if (body.destroyed) broken();
  else body.pipe(form);
  const { stream, fileName, type } = await found;
  return { stream: untilEnd(stream, ended.promise, () => body.unpipe(form)), fileName, declaredType: type };
}

function formOf(Busboy: typeof import('@fastify/busboy').Busboy, contentType: string) {
  try {
    return new Busboy({ headers: { 'content-type': contentType }, limits });
  } catch (cause) {
    throw new AppError('bad_request', 'The form has no boundary, or one that cannot be', { cause });
  }
}

async function* untilEnd(file: Readable, ended: Promise<void>, release: () => void): AsyncGenerator<Buffer> {
  try {
    yield* file.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
    await ended;
  } catch (error) {
    // The form's says more.
    await ended;
    throw error;
  } finally {
    release();
  }
}
