import { expect, test } from '@jest/globals';
import { isNamed } from '../../../../src/automation/runs/changes.ts';

test.each([
  ['{{ contact.tags | join }}', true],
  ['{{contact.tags}}', true],
  ['{{ contact["tags"] }}', true],
  ["{{ contact['name'] }}", true],
  ['{% if contact %}', true],
  ['{"field":"contact.tags","operator":"contains"}', true],
  ['{{ contact.name }}', false],
  ['{{ contact.custom_fields.tags }}', false],
  ['{{ contact.tags_of_old }}', false],
  ['{{ contact.name }} {{ contact.tags }}', true],
  ['{{ contacts.tags }}', false],
])('whether %s reads the tags of the contact: %p', (text, expected) => {
  expect(isNamed('contact.tags', text)).toBe(expected);
});

test('a root is read by whatever is behind it', () => {
  expect(isNamed('deal', '{{ deal.title }}')).toBe(true);
  expect(isNamed('deal', '{{ dealer.title }}')).toBe(false);
});
