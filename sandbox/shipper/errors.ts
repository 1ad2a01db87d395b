import type { ServiceResponse } from '../services/intake.ts';
import { answer } from '../services/intake.ts';

export class ShipperError extends Error {
  readonly status: number;
  readonly code: number;
  readonly details: object | undefined;
  constructor(status: number, code: number, message: string, details?: object) {
    super(message);
    this.status = status;
    this.code = code;
    this.details = details;
  }
}

const words: Record<number, [code: number, message: string]> = {
  401: [40_100_001, 'Authorization failed'],
  403: [40_300_001, "Key doesn't have access to request API calls"],
  404: [40_400_001, 'The request is not exist'],
  429: [42_900_001, 'Too many requests'],
};

/** Codes of the orders are those of its page of errors; of other answers only the shape is documented. */
export function errorBody(status: number, given?: number): object {
  const [code, error] = words[status] ?? [status * 100_000 + 1, status >= 500 ? 'Internal server error' : 'Bad request'];
  return { success: false, error, code: given ?? code };
}

export function refuse(res: ServiceResponse, { status, code, message, details }: ShipperError): void {
  answer(res, status, { success: false, error: message, code, ...(details && { details }) });
}
