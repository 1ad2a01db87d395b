/** Of a message whose campaign was cancelled before it went out. */
export const cancelled = {
  code: 'campaign_cancelled',
  provider_code: null,
  message: 'The campaign was cancelled before the message went out',
};
