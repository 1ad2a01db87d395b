/**
 * The first `max` UTF-16 units, which is what request bodies are limited by, without half of a character at the end. PostgreSQL refuses half a
 * surrogate pair in JSON; a half that was in the text becomes U+FFFD.
 */
export function cut(text: string, max: number): string {
  if (text.length <= max) return text.toWellFormed();
  return text.slice(0, isHigh(text, max - 1) && isLow(text, max) ? max - 1 : max).toWellFormed();
}

/** The last `max` units, as `cut`. */
export function cutStart(text: string, max: number): string {
  const from = text.length - max;
  if (from <= 0) return text.toWellFormed();
  return text.slice(isHigh(text, from - 1) && isLow(text, from) ? from + 1 : from).toWellFormed();
}

const isHigh = (text: string, at: number) => (text.charCodeAt(at) & 0xfc00) === 0xd800;
const isLow = (text: string, at: number) => (text.charCodeAt(at) & 0xfc00) === 0xdc00;
