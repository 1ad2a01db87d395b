/** A spreadsheet may split cells at ; or tab whatever the delimiter, and skips quotes before a formula (CSV injection). */
const formula = /(?<=^|[;\t\r\n])(?=['"]*[=+\-@\t\r])/g;
const quoted = /(?<=^|[;\t\r\n])'(?=['"]*[=+\-@\t\r])/g;

/** A leading quote makes the cell a text. A cell with quotes gets one more, so `restored` is the exact inverse. */
export const neutralised = (cell: string) => cell.replace(formula, "'");

export const restored = (cell: string) => cell.replace(quoted, '');
