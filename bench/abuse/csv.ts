/** A file whose rows all name one person. */
export const onePersonFile = (phone: string, rows: number) =>
  `phone_number,name\r\n${Array.from({ length: rows }, (_, row) => `+${phone},n${row}\r\n`).join('')}`;

/** A header of that many custom fields, and one row. Short names: a row has at most 1 MiB. */
export const manyColumnsFile = (phone: string, columns: number) =>
  `phone_number,${Array.from({ length: columns }, (_, column) => `custom_fields.${column.toString(36)}`).join(',')}\r\n+${phone}${','.repeat(columns)}\r\n`;
