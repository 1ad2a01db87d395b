import { AppError } from '../../../src/platform/errors.ts';
import { exampleIds } from '../../../src/platform/examples.ts';
import type { Endpoint, ErrorShape } from '../endpoint.ts';
import { errorBodies, renderError } from '../errors.ts';
import { headers } from './headers.ts';
import type { Json } from './json-schema.ts';

type Of = Pick<Endpoint<unknown, unknown>, 'scope' | 'subject'>;
/** `isRare`: described where it is used, and not among what all share. */
type Status = { description: string; example(of: Of): AppError; mayTellWhen?: boolean; tellsQuota?: boolean; isRare?: boolean };

const field = { field: 'type', location: 'body', code: 'any.required', message: 'type is required' };

/** The meaning of each status, and an example error. */
const statuses: Record<number, Status> = {
  400: { description: 'The request cannot be read', example: () => new AppError('bad_request', 'The body is not valid JSON') },
  401: { description: 'No valid credential', example: () => new AppError('unauthorized', 'The API key is not valid') },
  403: {
    description: 'Not allowed',
    example: ({ scope }) =>
      scope === 'public'
        ? new AppError('forbidden', 'The verify token is not right')
        : scope === 'session' || scope === 'user' || scope === 'account'
          ? new AppError('session_required', 'Only a person who has logged in can do this')
          : new AppError('forbidden', `The API key lacks the scope ${scope}`),
  },
  404: { description: 'Not found', example: ({ subject = 'Resource' }) => new AppError('not_found', `${subject} not found`) },
  409: {
    description: 'In conflict, or the same request is still running',
    example: () => new AppError('request_in_progress', 'A request with this Idempotency-Key is still running'),
    mayTellWhen: true,
  },
  413: { description: 'The body is too large', example: () => new AppError('payload_too_large', 'The body is too large') },
  415: {
    description: 'The body is of another type',
    example: () => new AppError('unsupported_media_type', 'The body must be JSON in UTF-8'),
  },
  416: {
    description: 'The file ends before this range',
    example: () => new AppError('range_not_satisfiable', 'The file has 33 bytes'),
  },
  421: {
    description: 'Encrypted with a key that is not known here',
    example: () => new AppError('key_unknown', 'The request cannot be decrypted: fetch the public key again'),
    isRare: true,
  },
  422: {
    description: 'Read, and not valid',
    example: () => new AppError('invalid_request', field.message, { details: [field] }),
  },
  429: {
    description: 'Too many requests',
    example: () => new AppError('rate_limited', 'Too many requests'),
    mayTellWhen: true,
    tellsQuota: true,
  },
  432: {
    description: 'The signature is wrong',
    example: () => new AppError('signature_invalid', 'The signature is not right'),
    isRare: true,
  },
  500: { description: 'A fault on our side', example: () => new AppError('internal', 'Something went wrong on our side') },
  502: {
    description: 'Who should have answered did not',
    example: () => new AppError('endpoint_failed', 'The endpoint of the flow gave no answer'),
    isRare: true,
  },
  503: {
    description: 'Cannot be done now; try again',
    example: () => new AppError('unavailable', 'The database cannot be reached; try again'),
    mayTellWhen: true,
  },
};

/** The example comes from the renderer that makes the real ones. */
function responseOf(shape: ErrorShape, { description, example, mayTellWhen, tellsQuota }: Status, of: Of): Json {
  const { body, contentType } = renderError(example(of), shape, exampleIds.request);
  return {
    description,
    ...(mayTellWhen && { headers: headers('Retry-After', tellsQuota && 'RateLimit-Policy', tellsQuota && 'RateLimit') }),
    content: { [contentType]: { schema: { $ref: `#/components/schemas/${shape}_error` }, example: body } },
  };
}

/** Texts that name the endpoint's subject, and rare ones; the others are shared. */
const isItsOwn = (status: number) => status === 403 || status === 404 || statuses[status]!.isRare === true;

export function errorResponse(shape: ErrorShape, status: number, of: Of): Json {
  return isItsOwn(status) ? responseOf(shape, statuses[status]!, of) : { $ref: `#/components/responses/${shape}_${status}` };
}

export function sharedErrorResponses(shapes: ErrorShape[]): Json {
  const shared = Object.entries(statuses).filter(([status]) => !isItsOwn(Number(status)));
  return Object.fromEntries(
    shapes.flatMap((shape) =>
      shared.map(([status, meaning]) => [`${shape}_${status}`, responseOf(shape, meaning, { scope: 'public' })]),
    ),
  );
}

export const errorSchemas = (shapes: ErrorShape[]) => shapes.map((shape) => [`${shape}_error`, errorBodies[shape]] as const);
