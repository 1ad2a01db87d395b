import type { Request } from 'express';
import { asFields, type Fields } from '../messages/checks.ts';

export const isMultipart = (contentType: string | undefined): boolean => /^multipart\/form-data\b/i.test(contentType ?? '');

/** The fields of a form; undefined when the body is none. */
export async function readForm(req: Pick<Request, 'headers'> & { body: unknown }): Promise<FormData | undefined> {
  const type = req.headers['content-type'];
  if (!isMultipart(type) || !Buffer.isBuffer(req.body)) return undefined;
  return new Response(new Uint8Array(req.body), { headers: { 'content-type': type! } }).formData().catch(() => undefined);
}

/** Of a JSON body, of a form, or of the query, all of which Graph takes alike. */
export async function readParameters(req: Pick<Request, 'headers' | 'query'> & { body: unknown }): Promise<Fields> {
  const form = await readForm(req);
  return { ...req.query, ...(form ? Object.fromEntries(form) : asFields(req.body)) };
}
