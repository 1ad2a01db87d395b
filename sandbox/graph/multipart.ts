import type { Request } from 'express';

export const isMultipart = (contentType: string | undefined): boolean => /^multipart\/form-data\b/i.test(contentType ?? '');

/** The fields of a form; undefined when the body is none. */
export async function readForm(req: Pick<Request, 'headers'> & { body: unknown }): Promise<FormData | undefined> {
  const type = req.headers['content-type'];
  if (!isMultipart(type) || !Buffer.isBuffer(req.body)) return undefined;
  return new Response(new Uint8Array(req.body), { headers: { 'content-type': type! } }).formData().catch(() => undefined);
}
