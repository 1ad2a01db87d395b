export interface Place {
  line_start: number;
  line_end: number;
  column_start: number;
  column_end: number;
}

type Span = [start: number, end: number];

export interface PlacedJson {
  value: unknown;
  /** Of the value at a path such as `screens[0].id`, or of its name. The root is the empty path. */
  placeOf(path: string, part?: 'value' | 'name'): Place | undefined;
}

const deepest = 200;

/** Parses JSON and remembers where each thing stands. Throws a SyntaxError with its place in the text. */
export function readPlacedJson(text: string): PlacedJson {
  const values = new Map<string, Span>();
  const names = new Map<string, Span>();
  let at = 0;

  function fail(): never {
    throw new SyntaxError(`Unexpected ${at < text.length ? `token at position ${at}` : 'end of the document'}`);
  }
  function space(): void {
    while (at < text.length && ' \t\r\n'.includes(text[at]!)) at += 1;
  }
  function take(sign: string): void {
    if (text[at] !== sign) fail();
    at += 1;
  }
  function string(): string {
    const start = at;
    take('"');
    for (;;) {
      const end = text.indexOf('"', at);
      if (end < 0) {
        at = text.length;
        fail();
      }
      at = end + 1;
      let slashes = 0;
      while (text[end - 1 - slashes] === '\\') slashes += 1;
      if (slashes % 2 === 0) return JSON.parse(text.slice(start, at)) as string;
    }
  }
  function many(close: string, one: (index: number) => void): void {
    at += 1;
    space();
    if (text[at] !== close) {
      for (let index = 0; ; index += 1) {
        one(index);
        space();
        if (text[at] !== ',') break;
        at += 1;
        space();
      }
    }
    take(close);
  }
  function literal(): unknown {
    const found = /^(?:true|false|null|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)/.exec(text.slice(at, at + 400))?.[0];
    if (found === undefined) fail();
    at += found.length;
    return JSON.parse(found);
  }
  function value(path: string, depth: number): unknown {
    if (depth > deepest) fail();
    space();
    const start = at;
    const read = valueHere(path, depth);
    values.set(path, [start, at]);
    return read;
  }
  function valueHere(path: string, depth: number): unknown {
    if (text[at] === '"') return string();
    if (text[at] === '[') {
      const list: unknown[] = [];
      many(']', (index) => list.push(value(`${path}[${index}]`, depth + 1)));
      return list;
    }
    if (text[at] !== '{') return literal();
    const object: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
    many('}', () => {
      const start = at;
      const name = string();
      const inside = path === '' ? name : `${path}.${name}`;
      names.set(inside, [start, at]);
      space();
      take(':');
      object[name] = value(inside, depth + 1);
    });
    return object;
  }

  const root = value('', 0);
  space();
  if (at < text.length) fail();
  const lines = linesOf(text);
  return {
    value: root,
    placeOf(path, part = 'value') {
      const span = (part === 'name' ? names : values).get(path);
      if (!span) return undefined;
      const [first, last] = [position(lines, span[0]), position(lines, Math.max(span[0], span[1] - 1))];
      return { line_start: first.line, line_end: last.line, column_start: first.column, column_end: last.column };
    },
  };
}

function linesOf(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}

function position(starts: number[], offset: number): { line: number; column: number } {
  let [low, high] = [0, starts.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (starts[middle]! <= offset) low = middle;
    else high = middle - 1;
  }
  return { line: low + 1, column: offset - starts[low]! + 1 };
}
