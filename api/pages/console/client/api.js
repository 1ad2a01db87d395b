/** What the API refused, in its own words; without a status: it could not be reached. */
export class Refusal extends Error {
  constructor(message, status) {
    super(message);
    this.status = status;
  }
}

let sessionEnded = () => {};
export const whenSessionEnds = (listener) => {
  sessionEnded = listener;
};

const given = (query = {}) => Object.entries(query).filter(([, value]) => value !== undefined && value !== '');

/** With the place of what is wrong deep in what was sent, where the message does not name it. */
const detailText = ({ field = '', message }) =>
  /[.[]/.test(field) && !message.includes(field) ? `${field}: ${message}` : message;

/** Some endpoints answer with a problem document, the others with `error`. */
function messageOf(status, reply) {
  const details = reply?.error?.details?.map(detailText);
  return (
    (details?.length > 0 ? details.join('. ') : (reply?.error?.message ?? reply?.detail)) ??
    `That did not work (${status}). Please try again later.`
  );
}

/** Below the page's own address, where the session's cookie goes along by itself; browsers name the origin. */
async function call(method, path, { query, body, signal } = {}) {
  const search = new URLSearchParams(given(query)).toString();
  const response = await fetch(`v1/${path}${search && `?${search}`}`, {
    method,
    signal,
    ...(body && { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }),
  }).catch((error) => {
    throw error.name === 'AbortError' ? error : new Refusal('The server cannot be reached. Please try again.');
  });
  const reply = await response.json().catch(() => undefined);
  if (response.ok) return { reply, operationId: response.headers.get('operation-id') ?? undefined };
  if (response.status === 401 && path !== 'auth/login') sessionEnded();
  throw new Refusal(messageOf(response.status, reply), response.status);
}

export const get = async (path, query, signal) => (await call('GET', path, { query, signal })).reply;
export const remove = async (path) => (await call('DELETE', path)).reply;
export const post = async (path, body = {}) => (await call('POST', path, { body })).reply;
/** For what may go on behind the reply: `operationId`. */
export const ask = (path, body = {}) => call('POST', path, { body });

const webhooks = 'settings/developer/webhooks';
const automation = 'automation';
export const paths = {
  endpoints: `${webhooks}/endpoints`,
  endpoint: (id) => `${webhooks}/endpoints/${id}`,
  delivery: (id) => `${webhooks}/deliveries/${id}`,
  event: (id) => `events/${id}`,
  operation: (id) => `operations/${id}`,
  campaigns: 'campaigns',
  campaign: (id) => `campaigns/${id}`,
  rules: `${automation}/rules`,
  rule: (id) => `${automation}/rules/${id}`,
  runs: `${automation}/runs`,
  run: (id) => `${automation}/runs/${id}`,
  channel: (id) => `channels/${id}`,
};
