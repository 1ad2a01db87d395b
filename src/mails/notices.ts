import type { NoticeKind } from './mail.entity.ts';
import { escaped, type MailText, momentOf, oneLineEach, page } from './wording.ts';

type Data = Record<string, string>;
type Parts = { subject: string; paragraphs: string[] };

/** `data` is plain text: `{organization, host, endpoint_id, failing_since}`, and `disable_at` or the `reason` of the disabling. */
export function noticeText(kind: NoticeKind, data: Data): MailText {
  const { subject, paragraphs } = partsOf[kind](oneLineEach(data));
  const all = ['Hello,', ...paragraphs];
  return { subject, text: `${all.join('\n\n')}\n`, html: page(subject, all.map(escaped)) };
}

const partsOf: Record<NoticeKind, (data: Data) => Parts> = {
  endpoint_failing: ({ organization = '', host = '', endpoint_id = '', failing_since = '', disable_at = '' }) => ({
    subject: `A webhook endpoint of ${organization} is failing`,
    paragraphs: [
      `Every delivery to the webhook endpoint at ${host} has failed${since(failing_since)}.`,
      `Kanal goes on trying. If nothing succeeds, the endpoint is disabled${after(disable_at)}; its deliveries then wait until somebody enables it.`,
      'The first answer with a status from 200 to 299 ends this.',
      `Endpoint: ${endpoint_id}`,
    ],
  }),
  endpoint_disabled: ({ organization = '', host = '', endpoint_id = '', failing_since = '', reason = '' }) => ({
    subject: `A webhook endpoint of ${organization} was disabled`,
    paragraphs: [
      `The webhook endpoint at ${host} was disabled: ${
        reason === 'gone' ? 'it answered 410 Gone' : `every delivery to it has failed${since(failing_since)}`
      }.`,
      'Its deliveries are kept and wait. When the receiver works again, enable the endpoint:',
      `POST /v1/settings/developer/webhooks/endpoints/${endpoint_id}/enable`,
    ],
  }),
};

const since = (time: string) => (momentOf(time) ? ` since ${momentOf(time)}` : '');
const after = (time: string) => (momentOf(time) ? ` after ${momentOf(time)}` : '');
