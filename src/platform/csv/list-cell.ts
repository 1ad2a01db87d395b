/** Names are separated by semicolons; a backslash escapes one within a name. */
export const toListCell = (names: string[]) => names.map((name) => name.replace(/[\\;]/g, '\\$&')).join(';');

export function readListCell(cell: string): string[] {
  const names = cell.match(/(?:[^\\;]+|\\.|\\$)+/gsu) ?? [];
  return [...new Set(names.map((name) => name.replace(/\\([\\;])/g, '$1').trim()).filter(Boolean))];
}
