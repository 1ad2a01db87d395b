import { styleText } from 'node:util';
import type { Answer, Arrival } from './receiver.ts';
import { type Envelope, subjectOf } from './verify.ts';

export type Told = {
  arrival: Arrival;
  event?: Envelope;
  /** Why the delivery is not genuine. */
  fault?: string;
  answer: Answer;
  /** Why the local server gave no answer. */
  forwardFault?: string;
  tookMs: number;
  note?: 'again' | 'replay';
};

export type ReportOptions = { json?: boolean; body?: boolean };

const typeWidth = 23;
const idWidth = 36;
const subjectWidth = 22;

/** One line a delivery, or with `json` an object for programs. */
export const reportOf = (told: Told, { json, body }: ReportOptions): string => {
  if (json) return JSON.stringify(asObject(told));
  return body ? `${lineOf(told)}\n${bodyOf(told)}` : lineOf(told);
};

function lineOf({ arrival, event, fault, answer, forwardFault, tookMs, note }: Told): string {
  const good = answer.status >= 200 && answer.status < 300;
  return [
    styleText('dim', clock(arrival.at)),
    plain(event?.type ?? '?').padEnd(typeWidth),
    plain(event?.id ?? arrival.headers['webhook-id'] ?? '-')
      .slice(0, 64)
      .padEnd(idWidth),
    plain(event ? shortSubject(event) : '-').padEnd(subjectWidth),
    fault === undefined ? styleText('green', '✓ verified') : styleText('red', `✗ not verified: ${plain(fault)}`),
    styleText(good ? 'green' : 'red', String(answer.status)) + (forwardFault ? ` (${plain(forwardFault)})` : ''),
    `${Math.round(tookMs)} ms`,
    ...(note ? [styleText('yellow', note)] : []),
  ].join('  ');
}

function shortSubject(event: Envelope): string {
  const subject = subjectOf(event);
  return subject ? `${subject.type} …${subject.id.slice(-6)}` : '-';
}

/** As the envelope says it where it is genuine, else the bytes as text. */
const bodyOf = ({ event, arrival }: Told) =>
  (event ? JSON.stringify(event, null, 2) : plain(arrival.body.toString('utf8').slice(0, 2_000))).replace(/^/gm, '    ');

function asObject({ arrival, event, fault, answer, forwardFault, tookMs, note }: Told) {
  return {
    at: arrival.at.toISOString(),
    type: event?.type ?? null,
    id: event?.id ?? null,
    subject: (event && subjectOf(event)) ?? null,
    verified: fault === undefined,
    fault: fault ?? null,
    answer: answer.status,
    forward_fault: forwardFault ?? null,
    ms: Math.round(tookMs),
    note: note ?? null,
    headers: arrival.headers,
    body: event ?? arrival.body.toString('utf8'),
  };
}

/** The local time of day. */
function clock(at: Date): string {
  const two = (value: number) => String(value).padStart(2, '0');
  return `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}.${String(at.getMilliseconds()).padStart(3, '0')}`;
}

/** Whoever finds the port may send text: it must not steer the terminal. */
const plain = (text: string) => text.replace(/\p{Cc}/gu, '\ufffd');
