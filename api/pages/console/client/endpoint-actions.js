import { announce } from './announce.js';
import { ask, paths, post } from './api.js';
import { Asking } from './asking.js';
import { Choice, Field } from './parts.js';
import { go } from './route.js';
import { isoOfLocal, localOf } from './time.js';
import { html } from './view.js';

const onDisable = [
  ['keep', 'Keep it until the endpoint is enabled'],
  ['release', 'Deliver it all the same'],
  ['drop', 'Cancel it'],
];
const onEnable = [
  ['keep', 'Each at the time of its next attempt'],
  ['release', 'Send all of it now'],
  ['drop', 'Cancel it'],
];

/** Where deliveries have to be changed for it, an operation does so, and is shown. */
function Switch({ endpoint: { id, enabled }, changed }) {
  const label = enabled ? 'Disable' : 'Enable';
  const act = async (values) => {
    const { operationId } = await ask(`${paths.endpoint(id)}/${label.toLowerCase()}`, values);
    if (operationId) return go(`operations/${operationId}`);
    announce(enabled ? 'The endpoint is disabled.' : 'The endpoint is enabled.');
    changed();
  };
  return html`
    <${Asking} key=${label} label=${label} title=${`${label} this endpoint`} isDanger=${enabled} act=${act}>
      <${Field} label=${enabled ? 'What waits now' : 'What was kept'}>
        <${Choice} name="held" value="keep" options=${enabled ? onDisable : onEnable} />
      <//>
    <//>
  `;
}

const daysAgo = (days) => localOf(new Date(Date.now() - days * 86_400_000));

/** Bulk work is an operation: its page shows how far it is. */
const started =
  (id, kind) =>
  async ({ since, until, types }) => {
    const eventTypes = types?.split(/[\s,]+/).filter(Boolean);
    const body = {
      since: isoOfLocal(since),
      until: isoOfLocal(until),
      ...(eventTypes?.length > 0 && { event_types: eventTypes }),
    };
    const { operation_id: operationId } = await post(`${paths.endpoint(id)}/${kind}`, body);
    go(`operations/${operationId}`);
  };

const Range = ({ isNeeded = true, days = 1 }) => html`
  <${Field} label="Made since">
    <input name="since" type="datetime-local" required=${isNeeded} defaultValue=${isNeeded ? daysAgo(days) : ''} />
  <//>
  <${Field} label="Made before" hint="Empty: until now"><input name="until" type="datetime-local" /><//>
`;

/** What fails now was made three days ago or more, with Retry-After up to four and a quarter (src/webhooks/schedule.ts). */
const recoverDays = 7;

const Recover = ({ id }) => html`
  <${Asking} label="Recover…" title="Deliver again all that failed" action="Recover" isSecond=${false} act=${started(id, 'recover')}>
    <${Range} days=${recoverDays} />
  <//>
`;

const ReplayAll = ({ id }) => html`
  <${Asking} label="Replay events…" title="Deliver all events once more" action="Replay" act=${started(id, 'replay')}>
    <p>Also those that were delivered. Receivers know them by the same webhook-id.</p>
    <${Range} />
    <${Field} label="Event types" hint="With commas between them. Empty: what the endpoint listens to">
      <input name="types" autocapitalize="none" />
    <//>
  <//>
`;

const CancelAll = ({ id }) => html`
  <${Asking} label="Cancel pending…" title="Cancel what is still to be delivered" action="Cancel it" isDanger act=${started(id, 'cancel')}>
    <p>It is not tried any more, until it is replayed.</p>
    <${Range} isNeeded=${false} />
  <//>
`;

export const EndpointActions = ({ endpoint, changed }) => html`
  <div class="actions">
    <${Recover} id=${endpoint.id} />
    <${ReplayAll} id=${endpoint.id} />
    <${CancelAll} id=${endpoint.id} />
    <${Switch} endpoint=${endpoint} changed=${changed} />
  </div>
`;
