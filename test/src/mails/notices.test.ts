import { describe, expect, test } from '@jest/globals';
import { noticeText } from '../../../src/mails/notices.ts';

const data = {
  organization: 'Acme',
  host: 'hooks.example.com',
  endpoint_id: '01932d5f-3a0e-7cc4-8f4e-0242ac120006',
  failing_since: '2026-11-20T10:05:00.000Z',
};

describe('an endpoint that is failing', () => {
  const { subject, text, html } = noticeText('endpoint_failing', { ...data, disable_at: '2026-11-25T10:05:00.000Z' });

  test('is named in the subject by its organization', () => {
    expect(subject).toBe('A webhook endpoint of Acme is failing');
  });

  test.each([
    ['text', text],
    ['html', html],
  ])('the %s says which, since when, and until when it may go on', (_form, body) => {
    expect(body).toMatch(/hooks\.example\.com has failed since 20 November 2026(,| at) 10:05 UTC\./);
    expect(body).toMatch(/is disabled after 25 November 2026(,| at) 10:05 UTC;/);
    expect(body).toContain(data.endpoint_id);
  });
});

describe('an endpoint that was disabled', () => {
  const disabled = (reason: string) => noticeText('endpoint_disabled', { ...data, reason });

  test('after days of failures', () => {
    expect(disabled('failing').text).toMatch(
      /was disabled: every delivery to it has failed since 20 November 2026(,| at) 10:05 UTC\./,
    );
  });

  test('after 410 Gone', () => {
    expect(disabled('gone').text).toContain('was disabled: it answered 410 Gone.');
  });

  test('how to enable it again is said in both forms', () => {
    const { text, html } = disabled('gone');
    for (const body of [text, html])
      expect(body).toContain(`POST /v1/settings/developer/webhooks/endpoints/${data.endpoint_id}/enable`);
  });
});

test('names are text: no mark-up, no lines of their own', () => {
  const { subject, text, html } = noticeText('endpoint_disabled', {
    ...data,
    organization: '<b>Acme</b>\r\nBcc: eve@example.com',
    reason: 'gone',
  });
  expect(subject).toBe('A webhook endpoint of <b>Acme</b> Bcc: eve@example.com was disabled');
  expect(html).not.toContain('<b>');
  expect(text.split('\n')).toHaveLength(noticeText('endpoint_disabled', { ...data, reason: 'gone' }).text.split('\n').length);
});
