import express, { type Request, type RequestHandler, type Response } from 'express';
import { AppError, notFound } from '../../src/errors.ts';
import { faultIn } from '../../src/storable.ts';
import { hasBody } from '../intake/unread.ts';

const largestBody = 1024 * 1024;
const parse = express.json({ limit: largestBody, strict: false, type: () => true });

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
const readJson = promised(parse);

/** JSON up to 1 MiB. A JSON content type with no body is an empty object, which is right where nothing is needed. */
export const jsonBody: ReadBody = async (req, res) => {
  if (!hasBody(req.headers)) {
    req.body = {};
    return;
  }
  const [type] = (req.get('content-type') ?? '').split(';');
  if (type?.trim().toLowerCase() !== 'application/json')
    throw new AppError('unsupported_media_type', 'The body must be application/json');
  await readJson(req, res);
};

/** The bytes as they came. */
export const rawBody = (limit: number): ReadBody => promised(express.raw({ limit, type: () => true, inflate: false }));

/**
 * PostgreSQL's text holds neither NUL nor half a surrogate pair, and a key `__proto__` is lost where an object is copied: refused here,
 * with its place, instead of a fault of the database or a silence. In a path it is nobody's id.
 */
export function checkStorable(req: Request, subject = 'Resource'): void {
  if (faultIn(req.params)) throw notFound(subject);
  for (const location of ['query', 'body'] as const) {
    if (location === 'query' && !req.url.includes('?')) continue;
    const fault = Buffer.isBuffer(req[location]) ? undefined : faultIn(req[location]);
    if (fault)
      throw new AppError('invalid_request', fault.message, {
        details: [{ ...fault, field: fault.field.replaceAll('\u0000', '?').toWellFormed(), location }],
      });
  }
}
