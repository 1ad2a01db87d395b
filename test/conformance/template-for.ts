import type { Json } from './fixtures.ts';

const parametersOf = (sent: Json, type: string): Json[] =>
  sent.components?.find((component: Json) => component.type === type)?.parameters ?? [];
const holes = (parameters: Json[]) => parameters.map((_, index) => `{{${index + 1}}}`).join(' ');

/** The template that an example of a message fills. */
export function templateFor(sent: Json): Json {
  const [header] = parametersOf(sent, 'header');
  const buttons = (sent.components ?? []).filter(({ type }: Json) => type === 'button');
  return {
    id: '3000000000',
    name: sent.name,
    language: sent.language.code,
    status: 'APPROVED',
    category: 'UTILITY',
    components: [
      ...(header ? [{ type: 'HEADER', format: header.type.toUpperCase() }] : []),
      { type: 'BODY', text: `Hello ${holes(parametersOf(sent, 'body'))}` },
      ...(buttons.length > 0 ? [{ type: 'BUTTONS', buttons: buttons.map(buttonFor) }] : []),
    ],
  };
}

const types: Record<string, Json> = {
  url: { type: 'URL', url: 'https://example.com/{{1}}' },
  copy_code: { type: 'COPY_CODE' },
  flow: { type: 'FLOW' },
  catalog: { type: 'CATALOG' },
  mpm: { type: 'MPM' },
};

const buttonFor = ({ sub_type }: Json): Json => ({
  text: 'x',
  ...(types[String(sub_type).toLowerCase()] ?? { type: 'QUICK_REPLY' }),
});
