/** Names with a semicolon between them; one within a name has a backslash before it. */
export const toTagsCell = (names: string[]) => names.map((name) => name.replace(/[\\;]/g, '\\$&')).join(';');

export function readTagsCell(cell: string): string[] {
  const names = cell.match(/(\\.|[^\\;]|\\$)+/gsu) ?? [];
  return [...new Set(names.map((name) => name.replace(/\\([\\;])/g, '$1').trim()).filter(Boolean))];
}
