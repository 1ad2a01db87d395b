import { cut } from '../cut.ts';
import { ImportFailure } from './failure.ts';
import { restored } from './formulas.ts';

/** The same for exports and imports: an export can be imported again. */
export const maxColumns = 500;

export type Heading<Column> = {
  /** Undefined: no column has this name. */
  columnOf(name: string): Column | undefined;
  /** Without a header the first line is somebody's data: never quote it. */
  missing(names: string[]): string;
};

/** Throws ImportFailure before any row is read. */
export function readHeader<Column extends { name: string }>(
  cells: string[],
  line: number,
  { columnOf, missing }: Heading<Column>,
): Column[] {
  if (cells.length > maxColumns) {
    const message = `The first line has ${cells.length} columns; a file has at most ${maxColumns}`;
    throw new ImportFailure('header.columns', message, { line });
  }
  const names = cells.map((cell) => restored(cell).trim());
  const columns = names.map(columnOf);
  if (!columns.some((column) => column)) throw new ImportFailure('header.missing', missing(names), { line });
  const unknown = columns.indexOf(undefined);
  if (unknown >= 0) {
    const column = cut(names[unknown]!, 200);
    const place = column === '' ? `Column ${unknown + 1} has no name` : `There is no column ${column}`;
    throw new ImportFailure('header.unknown', place, { line, column });
  }
  const seen = new Set<string>();
  const twice = columns.map((column) => column!.name).find((name) => seen.size === seen.add(name).size);
  if (twice) throw new ImportFailure('header.duplicate', `The column ${twice} stands there twice`, { line, column: twice });
  return columns as Column[];
}

/** A row with fewer or more cells than the header. */
export const cellsFault = (cells: string[], columns: unknown[]) =>
  cells.length === columns.length
    ? undefined
    : { column: '', code: 'row.cells', message: `The row has ${cells.length} cells, the header ${columns.length}` };

const customPrefix = 'custom_fields.';
export const customColumn = (key: string) => `${customPrefix}${key}`;
export const customKeyOf = (column: string) => (column.startsWith(customPrefix) ? column.slice(customPrefix.length) : undefined);
