import Joi from 'joi';
import { cut } from '../../src/platform/cut.ts';
import { databaseAway, isOurOutage, isRowLocked, RecordBusy } from '../../src/platform/database/errors.ts';
import { AppError, type ErrorDetail, errorCodes, maxDetails } from '../../src/platform/errors.ts';
import type { Endpoint, ErrorShape } from './endpoint.ts';
import { STATUS_CODES } from './node-http.ts';

/** Common to all endpoints. 400: a path parameter cannot be decoded. */
export const commonErrors = ({ isUnlimited, path }: Pick<Endpoint, 'isUnlimited' | 'path'>) => [
  ...(path.includes(':') ? [400] : []),
  ...[409, 413, 415, 429, 500, 503].filter((status) => status !== 429 || !isUnlimited),
];

const code = Joi.string().valid(...Object.keys(errorCodes));
const detail = Joi.object({
  message: Joi.string().required(),
  code: Joi.string(),
  field: Joi.string().description('Left out when the fault is in no field that has a name'),
  location: Joi.string().valid('body', 'query', 'path', 'header'),
  value: Joi.string(),
});

export const errorBodies: Record<ErrorShape, Joi.ObjectSchema> = {
  standard: Joi.object({
    error: Joi.object({
      code: code.required(),
      message: Joi.string().required(),
      details: Joi.array().items(detail).max(maxDetails).allow(null),
      request_id: Joi.string(),
    }).required(),
  }),
  lookup: Joi.object({ error: Joi.string().required(), code: code.required() }),
  problem: Joi.object({
    title: Joi.string().required(),
    status: Joi.number().integer().required(),
    detail: Joi.string().required(),
  }),
};

/** Any thrown value as an error for the client. Internal details become a bare 500. */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (isRowLocked(error)) return new RecordBusy(error);
  if (isOurOutage(error)) return databaseAway(error);
  const { type, status } = (error ?? {}) as { type?: string; status?: number };
  if (type === 'entity.too.large') return new AppError('payload_too_large', 'The body is too large');
  if (type === 'entity.parse.failed') return new AppError('bad_request', 'The body is not valid JSON');
  if (type === 'encoding.unsupported' || type === 'charset.unsupported')
    return new AppError('unsupported_media_type', 'The body must be JSON in UTF-8');
  if (type === 'request.aborted' || type === 'request.size.invalid')
    return new AppError('bad_request', 'The body did not arrive whole');
  if (error instanceof URIError) return new AppError('bad_request', 'The path cannot be decoded');
  // Other client errors of Express and its parsers, such as a body that does not decompress.
  if (status === 400 && error instanceof Error) return new AppError('bad_request', 'The body cannot be read');
  return new AppError('internal', 'Something went wrong on our side', { cause: error });
}

const longestField = 200;
const longestMessage = 1_000;
const shortened = (text: string, longest: number) => (text.length > longest ? `${cut(text, longest)}…` : text);

/** Error details repeat the client's own names and values, which may be as large as its request. */
const shownDetail = ({ field, message, ...detail }: ErrorDetail): ErrorDetail => ({
  // A field may have no name at all: {"": 1}.
  ...(field && { field: shortened(field, longestField) }),
  ...detail,
  message: shortened(message, longestMessage),
});

export function renderError(error: AppError, shape: ErrorShape, requestId: string): { body: object; contentType: string } {
  const message = shortened(error.message, longestMessage);
  const details = error.details?.slice(0, maxDetails).map(shownDetail);
  // Shapes without a list of details name the fields in their text.
  const faults = details
    ?.map(({ field, message }) => (field && !message.includes(field) ? `${field}: ${message}` : message))
    .join('; ');
  if (shape === 'lookup')
    return { body: { error: shortened(faults || message, longestMessage), code: error.code }, contentType: 'application/json' };
  if (shape === 'problem') {
    return {
      body: { title: STATUS_CODES[error.status] ?? 'Error', status: error.status, detail: faults || message },
      contentType: 'application/problem+json',
    };
  }
  return {
    body: { error: { code: error.code, message, details: details ?? null, request_id: requestId } },
    contentType: 'application/json',
  };
}
