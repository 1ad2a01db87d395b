import express, { type Request, type RequestHandler, type Response } from 'express';
import { AppError, notFound } from '../../../src/platform/errors.ts';
import { numberFault } from '../../../src/platform/kept-numbers.ts';
import { parseJson } from '../../../src/platform/parse-json.ts';
import { faultIn } from '../../../src/platform/storable.ts';
import { hasBody } from '../intake/unread.ts';

export const largestBody = 1024 * 1024;

type ReadBody = (req: Request, res: Response) => Promise<void>;

const promised =
  (parser: RequestHandler): ReadBody =>
  (req, res) =>
    new Promise((resolve, reject) => {
      parser(req, res, (error) => {
        if (error) reject(error);
        else resolve();
      });
    });
/** `values` counts every JSON value at any depth. */
export type BodyBounds = { bytes: number; values: number };

/** Without a body the result is an empty object. */
export function jsonBody({ bytes, values }: BodyBounds): ReadBody {
  const read = promised(express.raw({ limit: bytes, type: () => true }));
  return async (req, res) => {
    if (!hasBody(req.headers)) {
      req.body = {};
      return;
    }
    const [type, ...parameters] = (req.get('content-type') ?? '').split(';');
    if (type?.trim().toLowerCase() !== 'application/json')
      throw new AppError('unsupported_media_type', 'The body must be application/json');
    if (parameters.some((text) => /^\s*charset\s*=(?!\s*"?utf-?8"?\s*$)/i.test(text)))
      throw new AppError('unsupported_media_type', 'The body must be JSON in UTF-8');
    await read(req, res);
    const bytes = req.body as Buffer;
    req.body = parseJson(bytes, values);
    assertKeptNumbers(bytes, req.body);
  };
}

/** Free JSON would store another number, or null. Anything else that cannot be stored is found by `checkStorable`. */
function assertKeptNumbers(bytes: Buffer, value: unknown): void {
  const fault = numberFault(bytes);
  if (!fault || faultIn(value)) return;
  throw new AppError('invalid_request', fault.message, { details: [{ ...fault, location: 'body' }] });
}

export const rawBody = (limit: number): ReadBody => promised(express.raw({ limit, type: () => true, inflate: false }));

/** PostgreSQL's text refuses NUL and half surrogate pairs, and copying an object loses `__proto__`: a 422, in the path a 404. */
export function checkStorable(
  req: Request,
  { subject = 'Resource', isMissingFine }: { subject?: string; isMissingFine?: boolean },
): void {
  if (faultIn(req.params)) throw isMissingFine ? new AppError('invalid_request', 'The path is not valid') : notFound(subject);
  for (const location of ['query', 'body'] as const) {
    if (location === 'query' && !req.url.includes('?')) continue;
    // Express parses the query each time it is read.
    const given: unknown = req[location];
    const fault = Buffer.isBuffer(given) ? undefined : faultIn(given);
    if (fault)
      throw new AppError('invalid_request', fault.message, {
        details: [{ ...fault, field: fault.field.replaceAll('\u0000', '?').toWellFormed(), location }],
      });
  }
}
