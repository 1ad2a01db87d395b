import type { Places } from './places.ts';

/** In the provider's form, whose own faults have lines and columns and ours a path. */
export type FlowFault = {
  source: 'kanal' | 'provider';
  /** Only an error keeps the flow from the provider. */
  severity: 'error' | 'warning';
  error: string;
  error_type: string;
  message: string;
  /** In the document it was found in: `builder_json.flow.screens[0].title`, `flow_json.screens[0].id`. */
  path: string;
  line_start: number | null;
  line_end: number | null;
  column_start: number | null;
  column_end: number | null;
};

/** A document of many faults would show them all; nobody mends more at a time. */
const maxFaults = 200;

/** What a text, a list or a value is; anything else is about several of them. */
const schemaErrors = /^(INVALID_PROPERTY|MISSING_REQUIRED|MIN_|MAX_CHARS|MAX_ITEMS|PATTERN|INVALID_ENUM|REQUIRED_)/;

export type Found = { error: string; message: string; severity?: FlowFault['severity'] };

/** Where in the document: the part and its path, so that a fault is shown in the builder where the part was compiled from it. */
export type Place = { part: object; path: string };

export class Faults {
  readonly #all: FlowFault[] = [];
  #more = 0;
  readonly #places?: Places;

  constructor(places?: Places) {
    this.#places = places;
  }

  /** `property` may go deeper: its first step is looked up, as in `data-source[2].title`. */
  /** More are only counted. */
  get isFull(): boolean {
    return this.#all.length >= maxFaults;
  }

  add({ part, path }: Place, property: string, found: Found): void {
    if (this.isFull) this.#more += 1;
    else this.at(this.pathOf({ part, path }, property), found);
  }

  at(path: string, { error, message, severity = 'error' }: Found): void {
    if (this.isFull) {
      this.#more += 1;
      return;
    }
    const error_type = schemaErrors.test(error) ? 'JSON_SCHEMA_ERROR' : 'FLOW_JSON_ERROR';
    const nowhere = { line_start: null, line_end: null, column_start: null, column_end: null };
    this.#all.push({ source: 'kanal', severity, error, error_type, message, path, ...nowhere });
  }

  pathOf({ part, path }: Place, property: string): string {
    const [, first = '', rest = ''] = /^([^.[]*)(.*)$/s.exec(property) ?? [];
    const inBuilder = this.#places?.pathOf(part, first);
    if (inBuilder !== undefined) return inBuilder + inBuilderAs(first, rest);
    return property === '' ? `flow_json${path}` : `flow_json${path}.${property}`;
  }

  /** Errors first, since a list that is cut must not hide them. */
  list(): FlowFault[] {
    const errors = this.#all.filter(({ severity }) => severity === 'error');
    const listed = [...errors, ...this.#all.filter(({ severity }) => severity === 'warning')];
    if (this.#more === 0) return listed;
    const { path } = listed.at(-1)!;
    const more = new Faults();
    more.at(path, { error: 'MORE_FAULTS', message: `${this.#more} more faults are not listed` });
    return [...listed, ...more.list()];
  }
}

/** The steps within an option and within an action, which are not parts of their own. */
function inBuilderAs(first: string, rest: string): string {
  if (!/^on-/.test(first)) return rest.replace(/\.title$/, '.label');
  if (rest.startsWith('.payload')) return '';
  return rest === '.next.name' ? '.target' : rest.replace(/^\.name$/, '.type');
}
