import { errorCodes, unknownCode } from './error-codes.ts';

export interface ErrorParts {
  details?: string;
  message?: string;
  subcode?: number;
  status?: number;
  type?: string;
  /** What people are to read. */
  title?: string;
  userMessage?: string;
}

/** A refusal in the provider's words. Callers are to branch on the code; everything else may vary. */
export class GraphError extends Error {
  readonly code: number;
  readonly status: number;
  readonly #parts: ErrorParts;

  constructor(code: number, parts: ErrorParts = {}) {
    const known = errorCodes[code] ?? unknownCode;
    super(parts.message ?? `(#${code}) ${known.title}`);
    this.code = code;
    this.status = parts.status ?? known.http;
    this.#parts = parts;
  }

  toBody(traceId: string): object {
    const { details, subcode, type, title, userMessage } = this.#parts;
    return {
      error: {
        message: this.message,
        type: type ?? errorCodes[this.code]?.type ?? 'OAuthException',
        code: this.code,
        ...(details === undefined ? {} : { error_data: { messaging_product: 'whatsapp', details } }),
        ...(subcode === undefined ? {} : { error_subcode: subcode }),
        ...(title === undefined ? {} : { error_user_title: title }),
        ...(userMessage === undefined ? {} : { error_user_msg: userMessage }),
        ...(errorCodes[this.code]?.isTransient ? { is_transient: true } : {}),
        fbtrace_id: traceId,
      },
    };
  }
}

/** One answer for unknown ids and other tokens' ids, so that ids cannot be probed. */
export function noSuchObject(id: string, method: string): GraphError {
  const message =
    `Unsupported ${method.toLowerCase()} request. Object with ID '${id}' does not exist, cannot be loaded due to ` +
    'missing permissions, or does not support this operation';
  return new GraphError(100, { message, subcode: 33, type: 'GraphMethodException' });
}

/** The same catalogue as a failed status carries it. */
export function webhookErrorOf(code: number): object {
  const { title } = errorCodes[code] ?? unknownCode;
  const details = code === 131047 ? 'More than 24 hours have passed since the recipient last wrote to this number' : title;
  return {
    code,
    title,
    message: title,
    error_data: { details },
    href: 'https://developers.facebook.com/docs/whatsapp/cloud-api/support/error-codes/',
  };
}
