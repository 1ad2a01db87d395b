import type { Place, PlacedJson } from './json-places.ts';

export interface ValidationError extends Partial<Place> {
  error: string;
  error_type: 'JSON_SCHEMA_ERROR' | 'FLOW_JSON_ERROR';
  message: string;
  pointers?: (Place & { path: string })[];
}

export type Fields = Record<string, unknown>;

/** The faults of one document, each with its place in the text. */
export class DocumentFaults {
  readonly all: ValidationError[] = [];
  readonly #json: PlacedJson;

  constructor(json: PlacedJson) {
    this.#json = json;
  }

  /** The form of a value. */
  schema(error: string, path: string, message: string, part?: 'name'): void {
    this.#add('JSON_SCHEMA_ERROR', error, path, message, part);
  }

  /** What the parts of a document mean for each other. */
  flow(error: string, path: string, message: string): void {
    this.#add('FLOW_JSON_ERROR', error, path, message);
  }

  #add(error_type: ValidationError['error_type'], error: string, path: string, message: string, part?: 'name'): void {
    const place = this.#json.placeOf(path, part) ?? this.#json.placeOf('');
    this.all.push({ error, error_type, message, ...(place && { ...place, pointers: [{ ...place, path }] }) });
  }
}

export const rooted = (path: string): string =>
  `$root${path === '' ? '' : `/${path.replaceAll('[', '.').replaceAll(']', '').replaceAll('.', '/')}`}`;

export const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value);

/** A text that the phone fills in: `${data.name}`, or an expression in back quotes. */
export const isDynamic = (value: unknown): value is string =>
  typeof value === 'string' && (/\$\{[^}]+\}/.test(value) || /^`[\s\S]*`$/.test(value));
