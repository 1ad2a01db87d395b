import { readListCell, toListCell } from '../../platform/csv/list-cell.ts';
import { numberFault } from '../../platform/kept-numbers.ts';
import type { Field } from '../types/definition.ts';
import { maxRecordBytes } from '../types/values.ts';

/** Longer than any valid value: refused before it is parsed. */
const maxCellCharacters = 2 * maxRecordBytes;

export type CellFault = { code: string; message: string };
export type CellRead = { value: unknown } | CellFault;

const fault = (code: string, message: string): CellFault => ({ code, message });

/** The value as POST takes it, which checks the rest; a cell says nothing of its type. */
export function readCell({ type }: Pick<Field, 'type'>, cell: string): CellRead {
  if (cell.length > maxCellCharacters) return fault('string.max', `must not be longer than ${maxCellCharacters} characters`);
  if (type === 'number' || type === 'integer') return readNumber(cell.trim());
  if (type === 'boolean') return readBoolean(cell.trim().toLowerCase());
  if (type === 'multi_select') return { value: readListCell(cell) };
  if (type === 'currency') return readMoney(cell.trim());
  if (type === 'json') return readJson(cell);
  if (type === 'user') return { value: cell.trim().toLowerCase() };
  return { value: type === 'long_text' ? cell : cell.trim() };
}

const number = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/;

/** A double keeps 15 digits of every number, and of a longer one only what reads back the same. */
function readNumber(text: string): CellRead {
  if (!number.test(text)) return fault('number.base', 'must be a number such as -12.5');
  const value = Number(text);
  const digits = text.replace(/[eE].*|[-.]/g, '').replace(/^0+/, '');
  if (digits.length > 15 && String(value) !== text) return fault('number.unsafe', 'has more digits than a number keeps');
  return { value };
}

function readBoolean(text: string): CellRead {
  return text === 'true' || text === 'false' ? { value: text === 'true' } : fault('boolean.base', 'must be true or false');
}

/** Minor units and the code: "1250 EUR" is 12.50. */
function readMoney(text: string): CellRead {
  const [, amount_minor, currency_code] = /^(\d+) +([A-Z]{3})$/.exec(text) ?? [];
  if (amount_minor === undefined) return fault('object.base', 'must be minor units and a currency, such as 1250 EUR for 12.50');
  return { value: { amount_minor, currency_code } };
}

function readJson(cell: string): CellRead {
  try {
    const value: unknown = JSON.parse(cell);
    const lost = numberFault(Buffer.from(cell));
    return lost ? fault(lost.code, 'holds a number that cannot be kept: write it as a text') : { value };
  } catch {
    return fault('json', 'must be JSON');
  }
}

/** The inverse of `readCell`. */
export function toCell({ type }: Pick<Field, 'type'>, value: unknown): string {
  if (type === 'multi_select') return toListCell(value as string[]);
  if (type === 'json') return JSON.stringify(value);
  if (type !== 'currency') return String(value);
  const { amount_minor, currency_code } = value as { amount_minor: string; currency_code: string };
  return `${amount_minor} ${currency_code}`;
}
