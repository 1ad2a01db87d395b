import express, { type RequestHandler } from 'express';
import { AppError } from '../../src/errors.ts';

const largestBody = 1024 * 1024;
const parse = express.json({ limit: largestBody, strict: false, type: () => true });

const hasBody = (headers: Record<string, unknown>) =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/** JSON up to 1 MiB. A JSON content type with no body is an empty object, which is right where nothing is needed. */
export const jsonBody: RequestHandler = (req, res, next) => {
  if (!hasBody(req.headers)) {
    req.body = {};
    return next();
  }
  const [type] = (req.get('content-type') ?? '').split(';');
  if (type?.trim().toLowerCase() !== 'application/json')
    throw new AppError('unsupported_media_type', 'The body must be application/json');
  parse(req, res, next);
};

/** The bytes as they came. */
export const rawBody = (limit: number): RequestHandler => express.raw({ limit, type: () => true, inflate: false });

/** PostgreSQL's text cannot hold NUL; refused here, with its place, instead of a fault of the database. */
export const withoutNul: RequestHandler = (req, _res, next) => {
  for (const [location, value] of [
    ['body', req.body],
    ['query', req.query],
    ['path', req.params],
  ] as const) {
    if (Buffer.isBuffer(value)) continue;
    const field = nulIn(value, '', 0);
    if (field === undefined) continue;
    if (location === 'path') throw new AppError('bad_request', 'The path holds a NUL character');
    const message = 'The NUL character is not allowed';
    throw new AppError('invalid_request', message, {
      details: [{ field: field.replaceAll('\u0000', '?'), location, code: 'string.nul', message }],
    });
  }
  next();
};

const deepest = 64;

function nulIn(value: unknown, path: string, depth: number): string | undefined {
  if (typeof value === 'string') return value.includes('\u0000') ? path : undefined;
  if (value === null || typeof value !== 'object') return undefined;
  if (depth > deepest) throw new AppError('invalid_request', `The body is nested deeper than ${deepest} levels`);
  for (const [key, entry] of Object.entries(value)) {
    const own = Array.isArray(value) ? `${path}[${key}]` : path ? `${path}.${key}` : key;
    const found = key.includes('\u0000') ? own : nulIn(entry, own, depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}
