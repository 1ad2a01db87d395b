const start = /(?:^\s*|['`]\s*)((?:select|insert into|delete from)\s.*|update\s+\S+(?:\s+\w+)?\s+set\s.*)/;
const clause =
  /\b(select|from|where|values|returning|group by|order by|limit|union|on conflict|insert into|delete from|for (no key )?update|for share|update|set)\b/g;

/** Parts in parentheses: calls, lists and small queries, which may stand on one line. */
function withoutParts(line: string): string {
  const rest = line.replace(/\([^()]*\)/g, '');
  return rest === line ? line : withoutParts(rest);
}

/** The lines that hold more than two clauses of a statement; prose does not begin with one. */
export const crowdedIn = (text: string): string[] =>
  text.split('\n').filter((line) => {
    const [, statement] = start.exec(line) ?? [];
    if (!statement || /^\s*(\*|\/\*|\/\/)/.test(line)) return false;
    return (
      [
        ...withoutParts(statement)
          .replaceAll(/\bdistinct from\b/g, '')
          .matchAll(clause),
      ].length > 2
    );
  });
