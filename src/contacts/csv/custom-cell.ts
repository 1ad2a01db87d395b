/** 15 digits are what every number holds; a longer one only when it comes back as it was: an id of 20 digits is a text. */
const number = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;
const isExact = (cell: string, value: number) =>
  Number.isFinite(value) && (cell.replace(/[eE].*|\D/g, '').length <= 15 || JSON.stringify(value) === cell);

/** A cell of a custom field: JSON where it is exactly one number, true, false, text in quotes, list or object; else the text it is. */
export function readCustomCell(cell: string): unknown {
  if (cell === 'true' || cell === 'false') return cell === 'true';
  if (number.test(cell)) return isExact(cell, Number(cell)) ? Number(cell) : cell;
  if (!/^["[{]/.test(cell) || !/["\]}]$/.test(cell)) return cell;
  try {
    return JSON.parse(cell);
  } catch {
    return cell;
  }
}

/** What `readCustomCell` reads as this value; a text that it would take for something else stands in quotes. */
export function toCustomCell(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value);
  return value !== '' && readCustomCell(value) === value ? value : JSON.stringify(value);
}
