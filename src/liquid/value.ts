import { toValueSync } from 'liquidjs';
import { AppError, fieldOf, type Path } from '../platform/errors.ts';
import { plainCopy } from './copy.ts';
import { maxDepth, maxRendered, valueBounds } from './limits.ts';
import { isLiquid, type Parsed, type TextFault, textsIn } from './parse.ts';
import { parsedText } from './parsed.ts';
import { type Rendering, TextFailed, together } from './render.ts';
import { readIn } from './variables.ts';

/** Plain values by name. What is empty or null counts as missing. */
export type Scope = Record<string, unknown>;

/**
 * The value with its Liquid texts rendered, under one limit of work and time. A text without Liquid is a literal; one that is exactly one output,
 * `{{ x }}`, gives what x is: a number, a boolean, a list, an object, a text. Throws `render_failed`, which names the place (`path`: from there on)
 * and tells no value of the scope.
 */
export function renderValue(value: unknown, scope: Scope, timezone: string, path: Path = []): unknown {
  const texts = textsIn(value);
  if (texts.length === 0) return value;
  try {
    const sources = new WeakMap<object, object>();
    return together(scopeFor(texts, scope, sources), timezone, (rendering) => filled(value, path, rendering, sources));
  } catch (error) {
    throw error instanceof TextFailed ? failure(error.message, error.at) : error;
  }
}

/** A text with its outputs, always as a text. */
export function renderText(text: string, scope: Scope, timezone: string, path: Path = []): string {
  const value = renderValue(text, scope, timezone, path);
  const at = placeOf(path);
  if (typeof value === 'object') throw failure(`${at} gives a list or an object`, at);
  return String(value);
}

/** What a text reads, in its order: the first name, and the second where the text names it itself. */
export function readsOf(text: string): { root: string; field: string | undefined }[] {
  const parsed = isLiquid(text) ? parsedText(text) : undefined;
  return parsed && 'templates' in parsed ? [...readIn(parsed.templates)] : [];
}

/** What the Liquid texts of a value read: `contact`, and `contact.name` where the text names it itself. */
export function namesIn(value: unknown): Set<string> {
  const names = new Set<string>();
  for (const { root, field } of textsIn(value).flatMap(readsOf))
    names.add(root).add(field === undefined ? root : `${root}.${field}`);
  return names;
}

const placeOf = (path: Path) => fieldOf(path) || 'value';

const failure = (message: string, field: string) =>
  new AppError('render_failed', message, { details: [{ field, code: 'render_failed', message }] });

/** Copies of what the texts read: outputs of many steps may be long, and most texts read a name or two. */
function scopeFor(texts: string[], scope: Scope, sources: WeakMap<object, object>): Record<string, unknown> {
  const fieldsOf = new Map<string, Set<string> | 'all'>();
  for (const read of texts.flatMap(readsOf)) add(read);
  const roots = [...fieldsOf].flatMap(([root, fields]) =>
    Object.hasOwn(scope, root) ? [[root, only(scope[root], fields)]] : [],
  );
  return plainCopy({ scope: Object.fromEntries(roots) }, valueBounds, sources).scope as Record<string, unknown>;

  function add({ root, field }: { root: string; field: string | undefined }) {
    const fields = fieldsOf.get(root) ?? new Set();
    if (field === undefined || fields === 'all') fieldsOf.set(root, 'all');
    else fieldsOf.set(root, fields.add(field));
  }
}

function only(from: unknown, fields: Set<string> | 'all'): unknown {
  if (fields === 'all' || from === null || typeof from !== 'object' || Array.isArray(from)) return from;
  return Object.fromEntries(Object.entries(from).filter(([name]) => fields.has(name)));
}

function filled(value: unknown, path: Path, rendering: Rendering, sources: WeakMap<object, object>): unknown {
  let left = maxRendered;
  return fill(value, path, 0);

  function fill(one: unknown, at: Path, depth: number): unknown {
    if (typeof one === 'string') return isLiquid(one) ? rendered(one, placeOf(at)) : one;
    if (one === null || typeof one !== 'object') return one;
    if (depth > maxDepth) throw new TextFailed(placeOf(at), `: a value is at most ${maxDepth} deep`);
    if (Array.isArray(one)) return one.map((item, index) => fill(item, [...at, index], depth + 1));
    return Object.fromEntries(Object.entries(one).map(([name, item]) => [name, fill(item, [...at, name], depth + 1)]));
  }

  function rendered(text: string, at: string): unknown {
    const parsed = mustParse(parsedText(text), at);
    const { output } = parsed;
    const result = output
      ? rendering.read(at, (context) => given(toValueSync(output.value(context)), sources))
      : rendering.text(parsed.templates, at);
    left -= typeof result === 'string' ? result.length : JSON.stringify(result).length;
    if (left < 0) throw new TextFailed(at, `: all Liquid of a step gives at most ${maxRendered} characters`);
    return result;
  }
}

function mustParse(parsed: Parsed | TextFault, at: string): Parsed {
  if ('code' in parsed) throw new TextFailed(at, `: ${parsed.message}`);
  return parsed;
}

/** A list or an object as it is, with what is empty in it: the copy that texts read has none of it. */
function given(value: unknown, sources: WeakMap<object, object>): unknown {
  if (value === undefined || value === null) throw new Error('A value is missing');
  if (typeof value === 'string') return value.toWellFormed();
  if (typeof value === 'boolean') return value;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  const source = typeof value === 'object' ? sources.get(value) : undefined;
  if (source) return JSON.parse(JSON.stringify(source));
  // Of a filter, which makes lists of texts.
  if (Array.isArray(value)) return value.map((one) => given(one, sources));
  throw new Error('A value is no text, number, boolean, list or object');
}
