import { getCampaign } from '../../src/campaigns/campaign-row.ts';
import { countsOf } from '../../src/campaigns/counts.ts';
import { historyOf } from '../../src/campaigns/history.ts';
import { listRecipients, type RecipientFilter } from '../../src/campaigns/recipients/list.ts';
import { statsOf } from '../../src/campaigns/stats.ts';
import { ownRows } from '../../src/platform/database/own.ts';
import { bindingOf, positionIn } from '../../src/platform/listing/cursor.ts';
import { pageSize, type ScaleRead } from '../scale-reads.ts';
import type { Owner } from './dataset.ts';

/** `contactId`: of a recipient, another one each request. */
export type Asked = { owner: Owner; cursor: string; contactId: string };
type Read = ScaleRead<Asked>;

const aim = { ratio: 1.5 };
/** The status that fewest pages have must have it in a campaign of ten thousand too. */
const laterPage = 100;

const onePath = ({ owner }: Asked) => `/v1/campaigns/${owner.campaignId}`;

const recipients = (name: string, filter: RecipientFilter, more: Partial<Read> = {}): Read => ({
  name: `recipients${name}`,
  aim,
  path(asked, limit = pageSize) {
    const status = filter.statuses?.join(',');
    const query = { limit: String(limit), ...(status && { status }), ...(asked.cursor && { cursor: asked.cursor }) };
    return `${onePath(asked)}/recipients?${new URLSearchParams(query)}`;
  },
  run(source, { owner, cursor }) {
    const binding = bindingOf(['campaigns.recipients', owner.campaignId, filter]);
    const [after] = cursor ? positionIn(cursor, binding, ['id']) : [];
    return listRecipients(ownRows(source, owner.organizationId), owner.campaignId, filter, { limit: pageSize, after });
  },
  ...more,
});
const later = { isFar: true, farPage: laterPage };

export const reads: Read[] = [
  {
    name: 'get a campaign, with its counts',
    aim,
    isSum: true,
    path: onePath,
    async run(source, { owner }) {
      const own = ownRows(source, owner.organizationId);
      return countsOf(own, await getCampaign(own, owner.campaignId));
    },
  },
  {
    name: 'statistics',
    aim,
    isSum: true,
    path: (asked) => `${onePath(asked)}/stats`,
    run: (source, { owner }) => statsOf(ownRows(source, owner.organizationId), owner.campaignId),
  },
  recipients('', {}),
  recipients(`, page ${laterPage}`, {}, later),
  recipients(' that were delivered', { statuses: ['delivered'] }),
  recipients(` that were delivered, page ${laterPage}`, { statuses: ['delivered'] }, later),
  recipients(' that failed', { statuses: ['failed'] }),
  recipients(' that were sent or read', { statuses: ['read', 'sent'] }),
  recipients(` that were sent or read, page ${laterPage}`, { statuses: ['read', 'sent'] }, later),
  {
    name: 'history of a contact',
    aim,
    path: ({ contactId }) => `/v1/contacts/${contactId}/campaign-history?limit=${pageSize}`,
    run: (source, { owner, contactId }) =>
      historyOf(ownRows(source, owner.organizationId), contactId, { limit: pageSize, includeTotal: false }),
  },
];
