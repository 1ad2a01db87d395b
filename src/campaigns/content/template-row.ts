/** A template of a channel, as far as the check of a content needs it. */
export type TemplateRow = { status: string; category: string; components: unknown[] };
export type TemplateOf = (name: string, language: string) => TemplateRow | undefined;
