import { describe, expect, test } from '@jest/globals';
import { compile } from '../../../../src/campaigns/content/compile.ts';
import { render } from '../../../../src/campaigns/content/render.ts';
import { fc } from '../../../support/fast-check.ts';
import { approved, body, rendered, sampleData, variant } from './sample.ts';

const at = 'render_failed: components[0].parameters[0].text';

describe('a text becomes', () => {
  test.each([
    ['Plain text, (as) it is', 'Plain text, (as) it is'],
    ['Hi {{ contact.name }}', 'Hi Ada Lovelace'],
    ['{{ contact.name | split: " " | first | upcase }}', 'ADA'],
    ['{{ contact.email | default: "there" }}', 'there'],
    ['{{ contact.language | default: "none" }}', 'none'],
    ['{{ contact.custom_fields.nick | default: contact.name }}', 'Ada Lovelace'],
    ['{{ contact.custom_fields.missing | default: "?" }}', '?'],
    ['{{ contact["name"] }}', 'Ada Lovelace'],
    ['{{ recipient.code }} in {{ campaign.name }}', 'A-1 in Spring sale'],
    ['{{ contact.tags | join: ", " }}', 'vip, spring'],
    ['{% if contact.tags contains "vip" %}Dear{% else %}Hi{% endif %}', 'Dear'],
    ['{% if contact.custom_fields.nick %}a{% else %}b{% endif %}', 'b'],
    ['{% unless contact.email %}\n  no mail\n{% endunless %}', 'no mail'],
    ['{% case contact.custom_fields.city %}{% when "Ulm", "Bonn" %}near{% else %}far{% endcase %}', 'near'],
    ['{% assign n = contact.custom_fields.visits | plus: 1 %}{{ n }}', '4'],
    ['{{ contact.custom_fields.born | date: "%d %B %Y" }}', '10 December 1815'],
    ['{{ contact.custom_fields.long | truncate: 5 }}', 'xx...'],
  ])('%s', (text, expected) => {
    expect(compile([variant(body(text))]).faults).toEqual([]);
    expect(rendered(text)).toBe(expected);
  });
});

describe('a recipient is skipped for', () => {
  test.each([
    ['{{ contact.email }}', `${at}: contact.email is missing`],
    ['{{ recipient.empty }}', `${at}: recipient.empty is missing`],
    ['{{ recipient.other }}', `${at}: recipient.other is missing`],
    ['{{ contact.custom_fields.nick | upcase }}', `${at}: contact.custom_fields.nick is missing`],
    ['{{ contact.custom_fields[recipient.code] }}', `${at}: contact.custom_fields[recipient.code] is missing`],
    ['{% if contact.email %}x{% endif %}', `${at} is empty`],
    ['{{ " " }}', `${at} is empty`],
    ['{% assign x = contact.email %}{{ x }}', `${at}: A value is missing, line:1, col:31`],
    ['{{ contact.tags }}', `${at}: A list is not a text: use join, first or size, line:1, col:1`],
    ['{{ contact.custom_fields }}', `${at}: A value is not a text of at most 4096 characters, line:1, col:1`],
    ['{{ 1 | divided_by: 0 }}', `${at}: A value is not a text of at most 4096 characters, line:1, col:1`],
    ['{{ contact.custom_fields.long }}', `${at} has more than 1024 characters`],
  ])('%s', (text, expected) => {
    expect(rendered(text)).toBe(expected);
  });

  test('a text that was refused when saved', () => {
    expect(rendered('{{ oops }}')).toContain(`${at}: There is no variable oops`);
  });

  test('an unknown variant', () => {
    expect(render(compile([]), sampleData, { variantId: 'z', timezone: 'UTC' })).toMatchObject({ reason: 'render_failed' });
  });

  test('a result that its template does not take', () => {
    const compiled = compile([variant(body('{{ contact.name }}'))]);
    const withRow = (text: string) =>
      render(compiled, sampleData, { variantId: 'a', timezone: 'UTC', templateOf: () => approved(text) });
    expect(withRow('Hi {{1}}')).toMatchObject({ name: 'offer', language: 'en' });
    expect(withRow(`Hi {{1}}${'.'.repeat(1_015)}`)).toMatchObject({ reason: 'render_failed' });
  });
});

test('everything else of the components stays as it is', () => {
  const button = { type: 'button', sub_type: 'url', index: 0, parameters: [{ type: 'text', text: 'a?c={{ recipient.code }}' }] };
  const header = { type: 'header', parameters: [{ type: 'image', image: { link: 'https://example.com/{{ contact.id }}.png' } }] };
  const compiled = compile([variant(header, body('b'), button)]);
  expect(render(compiled, sampleData, { variantId: 'a', timezone: 'UTC' })).toEqual({
    name: 'offer',
    language: 'en',
    components: [
      { type: 'header', parameters: [{ type: 'image', image: { link: 'https://example.com/c1.png' } }] },
      body('b'),
      { ...button, parameters: [{ type: 'text', text: 'a?c=A-1' }] },
    ],
  });
});

test('what one text assigns, another does not see', () => {
  const compiled = compile([variant(body('{% assign x = 1 %}{{ x }}', '{% if 1 == 2 %}{% assign x = 2 %}{% endif %}{{ x }}'))]);
  expect(render(compiled, sampleData, { variantId: 'a', timezone: 'UTC' })).toMatchObject({ reason: 'render_failed' });
});

test('no text and no contact make it throw', () => {
  const piece = fc.constantFrom(
    ...[
      '{{',
      '}}',
      '{%',
      '%}',
      '{% if ',
      '{% endif %}',
      '{% assign x = ',
      '| append: ',
      '| default: ',
      '| date: "%B"',
      '| split: ""',
    ],
    ...[
      'contact',
      '.name',
      '.custom_fields',
      '[',
      ']',
      '(1..9)',
      '"',
      ' ',
      'x',
      '1',
      ' == ',
      ' contains ',
      '.constructor',
      'recipient.a',
    ],
  );
  const text = fc.oneof(
    fc.string(),
    fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join('')),
  );
  const data = fc.record({
    contact: fc.record({ name: fc.anything(), custom_fields: fc.anything(), tags: fc.anything() }),
    recipient: fc.dictionary(fc.string(), fc.string()),
    campaign: fc.constant({ id: 'k', name: 'n' }),
  });
  fc.assert(
    fc.property(text, data, (one, values) => {
      const result = render(compile([variant(body(one))]), values, { variantId: 'a', timezone: 'UTC' });
      expect(typeof ('reason' in result ? result.message : result.name)).toBe('string');
      expect(JSON.stringify(result)).not.toMatch(/\[native code\]|function Object/);
    }),
  );
});
