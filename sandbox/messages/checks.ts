import { GraphError } from '../graph/errors.ts';

export type Fields = Record<string, unknown>;

export function asFields(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
}

export function missing(param: string): GraphError {
  return new GraphError(131008, { details: `Parameter '${param}' is missing` });
}

export function invalid(details: string): GraphError {
  return new GraphError(131009, { details });
}

export function requiredFields(parent: Fields, key: string, param: string): Fields {
  if (parent[key] === undefined || parent[key] === null) throw missing(param);
  const fields = asFields(parent[key]);
  if (!fields) throw new GraphError(100, { message: `(#100) Param ${param} must be a JSON object.` });
  return fields;
}

export function requiredList(parent: Fields, key: string, param: string, max: number): Fields[] {
  const list = parent[key];
  if (list === undefined || list === null) throw missing(param);
  if (!Array.isArray(list)) throw new GraphError(100, { message: `(#100) Param ${param} must be an array.` });
  if (list.length < 1 || list.length > max) throw invalid(`${param}: expected 1 to ${max} entries, got ${list.length}`);
  return list.map((entry, index) => {
    const fields = asFields(entry);
    if (!fields) throw new GraphError(100, { message: `(#100) Param ${param}[${index}] must be a JSON object.` });
    return fields;
  });
}

export function requiredText(parent: Fields, key: string, param: string, max = Number.POSITIVE_INFINITY): string {
  const text = optionalText(parent, key, param, max);
  if (text === undefined || text === '') throw missing(param);
  return text;
}

export function optionalText(parent: Fields, key: string, param: string, max = Number.POSITIVE_INFINITY): string | undefined {
  const text = parent[key];
  if (text === undefined || text === null) return undefined;
  if (typeof text !== 'string') throw new GraphError(100, { message: `(#100) Param ${param} must be a string.` });
  // Characters, not UTF-16 units: an emoji counts once.
  if (text.length > max && [...text].length > max) {
    throw new GraphError(100, { message: `(#100) Param ${param} must be at most ${max} characters long.` });
  }
  return text;
}

export function requiredUrl(parent: Fields, key: string, param: string): string {
  const url = requiredText(parent, key, param, 2_000);
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? '')) throw invalid(`${param} is not a valid http or https URL`);
  return url;
}

export function distinct(values: string[], param: string): void {
  if (new Set(values).size !== values.length) throw invalid(`${param} must be unique`);
}
