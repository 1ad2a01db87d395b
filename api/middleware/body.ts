import express, { type Request, type RequestHandler, type Response } from 'express';
import { AppError, notFound } from '../../src/errors.ts';

const largestBody = 1024 * 1024;
const parse = express.json({ limit: largestBody, strict: false, type: () => true });

const hasBody = (headers: Record<string, unknown>) =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

type ReadBody = (req: Request, res: Response) => Promise<void>;

const promised =
  (parser: RequestHandler): ReadBody =>
  (req, res) =>
    new Promise((resolve, reject) => parser(req, res, (error) => (error ? reject(error) : resolve())));
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
  if (faultIn(req.params, '', 0)) throw notFound(subject);
  for (const location of ['query', 'body'] as const) {
    if (location === 'query' && !req.url.includes('?')) continue;
    const fault = Buffer.isBuffer(req[location]) ? undefined : faultIn(req[location], '', 0);
    if (fault)
      throw new AppError('invalid_request', fault.message, {
        details: [{ ...fault, field: fault.field.replaceAll('\u0000', '?').toWellFormed(), location }],
      });
  }
}

const deepest = 64;
type Fault = { field: string; code: string; message: string };

function faultOf(text: string): { code: string; message: string } | undefined {
  if (text.includes('\u0000')) return { code: 'string.nul', message: 'The NUL character is not allowed' };
  if (!text.isWellFormed()) return { code: 'string.unicode', message: 'Half a surrogate pair is not a character' };
  return undefined;
}

function faultIn(value: unknown, field: string, depth: number): Fault | undefined {
  if (typeof value === 'string') {
    const fault = faultOf(value);
    return fault && { field, ...fault };
  }
  if (value === null || typeof value !== 'object') return undefined;
  if (depth > deepest) {
    const message = `Nested deeper than ${deepest} levels`;
    return { field: field.slice(0, 200), code: 'object.depth', message };
  }
  for (const [key, entry] of Object.entries(value)) {
    const own = Array.isArray(value) ? `${field}[${key}]` : field ? `${field}.${key}` : key;
    const fault = key === '__proto__' ? { code: 'object.unknown', message: `${own} is not allowed` } : faultOf(key);
    const found = fault ? { field: own, ...fault } : faultIn(entry, own, depth + 1);
    if (found) return found;
  }
  return undefined;
}
