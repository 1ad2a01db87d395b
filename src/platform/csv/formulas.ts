/** A formula begins so. Spreadsheets also take the full-width, small, superscript and subscript forms for these signs. */
const signs = String.raw`=+\-@\t\r\uff1d\ufe66\u207c\u208c\uff0b\ufe62\u207a\u208a\uff0d\ufe63\u2212\u207b\u208b\uff20\ufe6b`;
/** Skipped before a formula: quotes, blanks, and what nobody sees. None of them ends a cell, so that each is read once. */
const skipped = String.raw`'"\p{Zs}\p{Zl}\p{Zp}\p{Cf}\v\f\u0085\0-\x08\x0e-\x1f`;
const begins = `(?=[${skipped}]*[${signs}])`;

/** A spreadsheet may split cells at ; or tab whatever the delimiter (CSV injection). */
const formula = new RegExp(String.raw`(?<=^|[;\t\r\n])${begins}`, 'gu');
const quoted = new RegExp(String.raw`(?<=^|[;\t\r\n])'${begins}`, 'gu');

/** A leading quote makes the cell a text. A cell with quotes gets one more, so `restored` is the exact inverse. */
export const neutralised = (cell: string) => cell.replace(formula, "'");

export const restored = (cell: string) => cell.replace(quoted, '');
