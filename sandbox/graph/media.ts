import type { Media } from '../media.ts';
import { maxBytesOf, mediaTypeOf, mediaTypes } from '../media-types.ts';
import type { State } from '../state.ts';
import { ownNumber } from './authorize.ts';
import type { GraphRequest, GraphResponse } from './context.ts';
import { GraphError, noSuchObject } from './errors.ts';
import { readForm } from './multipart.ts';
import { reply, replyBytes } from './reply.ts';
import { requestUrl } from './request-url.ts';

const addressLivesMs = 5 * 60 * 1_000;
export const attachmentsPath = '/whatsapp_business/attachments';

const missing = (name: string) => new GraphError(100, { message: `(#100) The parameter ${name} is required.` });

export function uploadMedia(state: State) {
  return async (req: GraphRequest, res: GraphResponse): Promise<void> => {
    const account = ownNumber(state, req, res);
    const form = await readForm(req);
    if (form?.get('messaging_product') !== 'whatsapp') throw missing('messaging_product');
    const file = form.get('file');
    if (!(file instanceof File)) throw missing('file');
    const bytes = Buffer.from(await file.arrayBuffer());
    const mimeType = typeOf(file, form.get('type'));
    const max = maxBytesOf(mimeType);
    if (bytes.length > max)
      throw new GraphError(100, {
        message: `(#100) Param file must be a file of at most ${max} bytes. Received ${bytes.length} bytes.`,
      });
    const { id } = state.media.add({
      phoneNumberId: account.phone_number_id,
      token: res.locals.token,
      mimeType,
      bytes,
    });
    reply(res, 200, { id });
  };
}

/** Clients write the type in the part's header, in a field of its own, or only in the file's name. */
function typeOf(file: File, field: unknown): string {
  const known = [file.type, typeof field === 'string' ? field : '', file.name].map(mediaTypeOf).find(Boolean);
  if (known) return known;
  throw new GraphError(100, {
    message: `(#100) Param file must be a file with one of the following types: ${mediaTypes.join(', ')}. Received file of type '${file.type || 'application/octet-stream'}'.`,
  });
}

export function showMedia(state: State, media: Media, req: GraphRequest): object {
  checkNumber(media, req);
  const expiresAt = Date.now() + addressLivesMs;
  const url = new URL(attachmentsPath, requestUrl(req));
  url.searchParams.set('mid', media.id);
  url.searchParams.set('ext', String(Math.floor(expiresAt / 1_000)));
  url.searchParams.set('hash', state.media.ticketFor(media, expiresAt));
  return {
    messaging_product: 'whatsapp',
    url: url.href,
    mime_type: media.mimeType,
    sha256: media.sha256,
    file_size: String(media.bytes.length),
    id: media.id,
  };
}

export function deleteMedia(state: State, media: Media, req: GraphRequest): object {
  checkNumber(media, req);
  state.media.delete(media.id);
  return { success: true };
}

/** With a number given, only what that number uploaded is found. */
function checkNumber(media: Media, req: GraphRequest): void {
  const wanted = req.query.phone_number_id;
  if (wanted !== undefined && wanted !== media.phoneNumberId) throw noSuchObject(media.id, req.method);
}

/** The bytes, for the token that owns them and while the address lives. */
export function downloadMedia(state: State) {
  return (req: Pick<GraphRequest, 'query'>, res: GraphResponse): void => {
    const media = state.media.byTicket(String(req.query.hash ?? ''), res.locals.token);
    if (!media) throw new GraphError(100, { status: 404, message: 'The media address is unknown or has expired' });
    replyBytes(res, media.mimeType, media.bytes);
  };
}
