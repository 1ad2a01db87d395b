/** A spreadsheet takes a cell that begins so for a formula, and would run what a stranger once gave as his name. */
const formula = /^'*[=+\-@\t\r]/;
const quoted = /^'+[=+\-@\t\r]/;

/** A quote in front makes it text; one that has quotes gets one more, so that `restored` gives back exactly what was there. */
export const neutralised = (cell: string) => (formula.test(cell) ? `'${cell}` : cell);

export const restored = (cell: string) => (quoted.test(cell) ? cell.slice(1) : cell);
