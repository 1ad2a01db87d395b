/**
 * Where a spreadsheet may take what follows for a formula, and run what a stranger once gave as a name: at the beginning of a cell, and, since
 * many open a file as one of semicolons or tabs whatever its cells are parted by, after one of these or a line break within the cell. Quotes
 * before the formula do not stop it there.
 */
const formula = /(?<=^|[;\t\r\n])(?=['"]*[=+\-@\t\r])/g;
const quoted = /(?<=^|[;\t\r\n])'(?=['"]*[=+\-@\t\r])/g;

/** A quote in front makes it text; one that has quotes gets one more, so that `restored` gives back exactly what was there. */
export const neutralised = (cell: string) => cell.replace(formula, "'");

export const restored = (cell: string) => cell.replace(quoted, '');
