import { numberFault } from '../kept-numbers.ts';

/** Every number keeps 15 digits. A longer cell is a number only if it survives the round trip: a 20-digit id is a text. */
const number = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;
const isExact = (cell: string, value: number) =>
  Number.isFinite(value) && (cell.replace(/[eE].*|\D/g, '').length <= 15 || JSON.stringify(value) === cell);

/** A cell is JSON if it is exactly one number, boolean, quoted text, list or object; otherwise it is a text; so is one with a number that cannot be kept. */
export function readCustomCell(cell: string): unknown {
  if (cell === 'true' || cell === 'false') return cell === 'true';
  if (number.test(cell)) return isExact(cell, Number(cell)) ? Number(cell) : cell;
  if (!/^["[{]/.test(cell) || !/["\]}]$/.test(cell)) return cell;
  try {
    const value: unknown = JSON.parse(cell);
    return numberFault(Buffer.from(cell)) ? cell : value;
  } catch {
    return cell;
  }
}

/** The inverse of `readCustomCell`: a text that would be read as JSON is quoted. */
export function toCustomCell(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value);
  return value !== '' && readCustomCell(value) === value ? value : JSON.stringify(value);
}
