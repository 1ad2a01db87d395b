/** Why a campaign paused by itself or failed, and what there is to do. docs/operations.md has the same with its commands. */
export const reasons = {
  late: ['It was found late: nothing ran at its time.', 'Resume it, or cancel it if its time is over.'],
  template_paused: [
    'The provider paused or rejected a template.',
    'Wait until it is approved again, then resume. Whoever was refused is written to then.',
  ],
  template_unknown: [
    'A template is not on every channel any more, or not approved.',
    'Have it approved on every channel, then resume. If it failed, start a copy.',
  ],
  channel_stopped: ['A channel is not connected.', 'Connect it again, then resume. If it failed, start a copy.'],
  spam_limit: [
    'The provider limits the channel: too many people blocked or reported it.',
    'Give the number some days, and write to fewer people. Then resume.',
  ],
  too_many_failures: ['Too many of the last messages failed.', 'See below why messages failed. Mend the cause, then resume.'],
  audience_empty: ['Nobody is in the audience.', 'Change the audience of a copy, and start that.'],
  audience_too_large: ['The audience is larger than a campaign may be.', 'Divide the audience between several copies.'],
  audience_unknown: ['The audience names something that was deleted.', 'Change the audience of a copy, and start that.'],
};

/** Why a person was not written to. */
export const skips = {
  suppressed: 'Opted out or suppressed',
  consent_required: 'Has not consented',
  no_address: 'Has no address on the channel',
  frequency_cap: 'Was written to often enough by campaigns',
  render_failed: 'A text could not be filled in for the person',
  template_unknown: 'No template fits the person',
  expired: 'The campaign’s end came first',
  cancelled: 'The campaign was cancelled',
  duplicate: 'Became one with another contact of the campaign',
  contact_deleted: 'Was erased',
};

/** The order in which a person goes through them, with the tone of their part of the bar. */
export const steps = [
  ['read', 'Read', 'good'],
  ['delivered', 'Delivered', 'good'],
  ['sent', 'Sent', 'good'],
  ['failed', 'Failed', 'bad'],
  ['skipped', 'Skipped', 'left'],
  ['queued', 'On their way', 'wait'],
  ['pending', 'Waiting', 'rest'],
];
