import { describe, expect, test } from '@jest/globals';
import { mailText } from '../../../src/mails/texts.ts';

const link = 'https://app.example.com/invitation#token=abc';
const invitation = (data: Record<string, string> = {}) =>
  mailText({
    kind: 'invitation',
    link,
    data: { organization: 'Acme', invited_by: 'Grace', role: 'agent', expires_at: '2026-11-28T10:05:00.000Z', ...data },
  });

describe('an invitation', () => {
  test('says who invites to what, as what, and until when', () => {
    const { subject, text, html } = invitation();
    expect(subject).toBe('Your invitation to Acme');
    for (const body of [text, html]) {
      expect(body).toContain('Grace invites you to join Acme on Kanal with the role agent.');
      expect(body).toContain(link);
      expect(body).toMatch(/works once, until 28 November 2026(,| at) 10:05 UTC/);
    }
  });

  test('by nobody with a name, and without a time', () => {
    const { text } = invitation({ invited_by: '', expires_at: 'soon' });
    expect(text).toContain('An administrator invites you');
    expect(text).toContain('The link works once. If');
  });

  test('what people call themselves is text: no mark-up, no lines of its own, no end', () => {
    const { subject, text, html } = invitation({
      organization: '<b>Acme</b>\r\nBcc: eve@example.com\u2028x',
      invited_by: `"><script>alert('1')</script>&`,
      role: 'a'.repeat(5_000),
    });
    expect(subject).toBe('Your invitation to <b>Acme</b> Bcc: eve@example.com x');
    expect(text.split('\n')).toHaveLength(invitation().text.split('\n').length);
    expect(html).not.toMatch(/<script|<b>/);
    expect(html).toContain(
      '&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp; invites you to join &lt;b&gt;Acme&lt;/b&gt;',
    );
    expect(text.length).toBeLessThan(1_500);
  });
});

test('a new password: by name, or without one', () => {
  const mail = (name: string) =>
    mailText({ kind: 'password_reset', link, data: { name, expires_at: '2026-11-28T10:05:00.000Z' } });
  expect(mail('Ada')).toMatchObject({ subject: 'Set a new password', text: expect.stringContaining('Hello Ada,') });
  expect(mail('').text).toMatch(/^Hello,\n/);
  expect(mail('').text).toContain('your password stays as it is');
});
