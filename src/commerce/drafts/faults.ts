import { AppError, type ErrorCode, type ErrorDetail, maxDetails } from '../../platform/errors.ts';

/** What keeps a draft from becoming an order. `kind`: the code of the reply that a conversion gives. */
export type Fault = { kind: ErrorCode; field: string; code: string; message: string };

export const fault = (field: string, message: string, code: string, kind: ErrorCode = 'invalid_request'): Fault => ({
  kind,
  field,
  code,
  message,
});

/** Those of the first one's kind, each at its field. */
export function assertNoFault(faults: Fault[]): void {
  const [first] = faults;
  if (!first) return;
  const details: ErrorDetail[] = faults
    .filter(({ kind }) => kind === first.kind)
    .slice(0, maxDetails)
    .map(({ field, code, message }) => ({ field, location: 'body', code, message }));
  throw new AppError(first.kind, first.message, { details });
}

/** A draft shows what a conversion would throw. */
export function faultsOf(error: unknown): Fault[] {
  if (!(error instanceof AppError) || error.status >= 500) throw error;
  const { code: kind, message, details = [] } = error;
  if (details.length === 0) return [fault('', message, kind, kind)];
  return details.map((detail) => fault(detail.field ?? '', detail.message, detail.code ?? kind, kind));
}
