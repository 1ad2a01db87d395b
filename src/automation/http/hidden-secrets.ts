import { fallbacksOf } from '../conditions/includes.ts';

/** A secret in plain text, in a URL, and inside a JSON string. */
const spellings = (value: string) => [value, encodeURIComponent(value), JSON.stringify(value).slice(1, -1)];

type Pattern = { text: string; shown: string; backTo: Uint32Array };

/** Reports each start at which the pattern occurs (Knuth, Morris and Pratt). Its steps are at most twice the text, whatever both contain. */
function eachStart(text: string, { text: pattern, backTo }: Pattern, report: (start: number) => void): void {
  if (pattern.length > text.length) return;
  let length = 0;
  for (let index = 0; index < text.length; index += 1) {
    while (length > 0 && text.charCodeAt(index) !== pattern.charCodeAt(length)) length = backTo[length - 1]!;
    if (text.charCodeAt(index) === pattern.charCodeAt(length)) length += 1;
    if (length < pattern.length) continue;
    report(index - length + 1);
    length = backTo[length - 1]!;
  }
}

export type Hidden = { text: string; isCut: boolean };
export type Hider = {
  /** Reads the first `maxCharacters`, and as many more as a secret that begins there needs; returns at most `maxCharacters`. */
  text(text: string, maxCharacters: number): Hidden;
  /** Of a JSON value of at most `maxCharacters`, names of fields too. Its depth is bounded: `faultIn` has checked it. Undefined: it has become longer. */
  value(value: unknown, maxCharacters: number): unknown;
};

/**
 * Shows each secret that a receiver sent back as `{{ secrets.NAME }}`. The time is linear in the text for each secret: a receiver and a rule choose both.
 * What a replacement inserts is never searched again.
 */
export function hiderOf(secrets: ReadonlyMap<string, string>): Hider {
  const patterns: Pattern[] = [...secrets]
    .filter(([, value]) => value !== '')
    .flatMap(([name, value]) =>
      [...new Set(spellings(value))].map((text) => ({ text, shown: `{{ secrets.${name} }}`, backTo: fallbacksOf(text) })),
    );
  const longest = patterns.reduce((most, { text }) => Math.max(most, text.length), 0);

  function hide(whole: string, maxCharacters: number): Hidden {
    const end = Math.min(whole.length, maxCharacters);
    const isCut = whole.length > end;
    if (patterns.length === 0) return { text: whole.slice(0, end), isCut };
    const text = whole.slice(0, end + longest);
    // The longest pattern at each start: one may be a part of another.
    const found = new Map<number, Pattern>();
    for (const pattern of patterns)
      eachStart(text, pattern, (start) => {
        if (start < end && pattern.text.length > (found.get(start)?.text.length ?? 0)) found.set(start, pattern);
      });
    const parts: string[] = [];
    let length = 0;
    let read = 0;
    for (const start of [...found.keys()].sort((one, other) => one - other)) {
      if (start < read) continue;
      const { text: secret, shown } = found.get(start)!;
      parts.push(text.slice(read, start), shown);
      length += start - read + shown.length;
      read = start + secret.length;
      if (length > maxCharacters) return { text: parts.join('').slice(0, maxCharacters), isCut: true };
    }
    parts.push(text.slice(read, end));
    const hidden = parts.join('');
    return { text: hidden.slice(0, maxCharacters), isCut: isCut || hidden.length > maxCharacters };
  }

  return {
    text: hide,
    value(value, maxCharacters) {
      if (patterns.length === 0) return value;
      let left = maxCharacters;
      const change = (text: string) => {
        const hidden = hide(text, Math.max(left, 0));
        left -= hidden.isCut ? Number.POSITIVE_INFINITY : hidden.text.length;
        return hidden.text;
      };
      const changed = mapped(value, change);
      return left < 0 ? undefined : changed;
    },
  };
}

function mapped(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (typeof value === 'number') {
    const text = String(value);
    const changed = change(text);
    return changed === text ? value : changed;
  }
  if (Array.isArray(value)) return value.map((one) => mapped(one, change));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [change(name), mapped(one, change)]));
}
