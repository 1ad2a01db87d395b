import { compile } from '../../../../src/campaigns/content/compile.ts';
import { render } from '../../../../src/campaigns/content/render.ts';
import type { TemplateRow } from '../../../../src/campaigns/content/template-row.ts';

export const sampleData = {
  contact: {
    id: 'c1',
    name: 'Ada Lovelace',
    phone_number: '+15550100',
    email: '',
    tags: ['vip', 'spring'],
    custom_fields: { city: 'Ulm', visits: 3, nick: '', born: '1815-12-10', long: 'x'.repeat(9_000), list: ['a', 'b'] },
  },
  recipient: { code: 'A-1', empty: '' },
  campaign: { id: 'k1', name: 'Spring sale' },
};

export const body = (...texts: string[]) => ({ type: 'body', parameters: texts.map((text) => ({ type: 'text', text })) });
export const variant = (...components: object[]) => ({
  id: 'a',
  weight: 1,
  templates: [{ name: 'offer', language: 'en', components }],
});

export const approved = (text: string, ...more: object[]): TemplateRow => ({
  status: 'approved',
  category: 'marketing',
  components: [...more, { type: 'BODY', text }],
});

/** What the text gives, or why it fails. */
export function rendered(text: string, data: Parameters<typeof render>[1] = sampleData): string {
  const result = render(compile([variant(body(text))]), data, { variantId: 'a', timezone: 'UTC' });
  if ('reason' in result) return `${result.reason}: ${result.message}`;
  const [{ parameters }] = result.components as [{ parameters: { text: string }[] }];
  return parameters[0]!.text;
}
