import { expect, test } from '@jest/globals';
import { changeOf } from '../../../src/liquid/kept-whole.ts';

test.each([
  'no Liquid at all',
  '{{ contact.name | upcase }}',
  '{{ secrets.T }}',
  '{{ secrets["T"] | prepend: "Bearer " | append: "!" }}',
  '{{ "Bearer " | append: secrets.T }}',
  '{{ contact.name | upcase | append: secrets.T }}',
  '{{ contact.name | upcase }} {{ secrets.T }}',
  '{% assign t = secrets.T | default: "x" %}{{ t }}',
  '{% if secrets.T %}{{ secrets.T }}{% endif %}',
  '{% if contact.name == "a" %}{{ secrets.T }}{% endif %}',
  '{{ cannot be parsed | }}',
])('whole: %s', (text) => {
  expect(changeOf('secrets', text)).toBeUndefined();
});

test.each([
  ['{{ secrets.T | upcase }}', 'upcase'],
  ['{{ secrets["T"] | append: "x" | url_encode }}', 'url_encode'],
  ['{{ contact.name | append: secrets.T | truncate: 5 }}', 'truncate'],
  ['{{ "x" | replace: "x", secrets.T }}', 'replace'],
  ['{% if contact.name %}{{ secrets.T | size }}{% endif %}', 'size'],
  ['{% assign b = "" %}{% if contact.name %}{% assign b = secrets.T %}{% endif %}{% assign c = b %}{{ c | slice: 1 }}', 'slice'],
  ['{% if secrets.T == "a" %}x{% endif %}', 'compared'],
  ['{% unless contact.name contains secrets.T %}x{% endunless %}', 'compared'],
  ['{% case secrets.T %}{% when "a" %}x{% endcase %}', 'compared'],
])('not whole: %s', (text, word) => {
  expect(changeOf('secrets', text)).toContain(word);
});
