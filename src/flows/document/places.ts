/** What the parts of a document are called in the builder. */
const names: Record<string, string> = {
  name: 'id',
  'helper-text': 'helper_text',
  description: 'helper_text',
  'data-source': 'options',
};

/** Where in the builder a part of a compiled document comes from, so that a fault is shown where a person can mend it. */
export class Places {
  #of = new WeakMap<object, { at: string; parts: Record<string, string> }>();

  /** `parts`: properties that come from elsewhere. */
  add(part: object, at: string, parts: Record<string, string> = {}): void {
    this.#of.set(part, { at, parts });
  }

  /** Undefined for what was not compiled. */
  pathOf(part: object, property?: string): string | undefined {
    const place = this.#of.get(part);
    if (!place || !property) return place?.at;
    return place.parts[property] ?? `${place.at}.${names[property] ?? property}`;
  }
}
