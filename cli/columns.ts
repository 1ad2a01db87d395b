export type Column<Row> = [heading: string, cell: (row: Row) => string];

/** Aligned for a terminal, without control characters: a name must not steer it. */
export function columns<Row>(rows: Row[], shown: Column<Row>[]): string {
  const lines = [shown.map(([heading]) => heading), ...rows.map((row) => shown.map(([, cell]) => plain(cell(row))))];
  const widths = shown.map((_, index) => Math.max(...lines.map((line) => line[index]!.length)));
  return lines
    .map((line) =>
      line
        .map((cell, index) => cell.padEnd(widths[index]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** What a provider or a tenant wrote, on one line. */
export const plain = (text: string) => text.replace(/\p{Cc}/gu, '\ufffd');
