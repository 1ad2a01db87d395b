/** `line` counts from 1. It never contains a value of a row. */
export class ImportFailure extends Error {
  readonly code: string;
  readonly line?: number;
  readonly column?: string;

  constructor(code: string, message: string, where: { line?: number; column?: string } = {}) {
    super(message);
    this.code = code;
    this.line = where.line;
    this.column = where.column;
  }
}
