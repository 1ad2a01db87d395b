import { expect, test } from '@jest/globals';
import { useApp } from '../../support/app.ts';

const app = useApp();

const change = (body: object) => app.call('organization.update', { body });
const settings = async () => {
  const { frequency_cap, quiet_hours, timezone_field, business_hours } = (await app.call('organization.get')).body;
  return { frequency_cap, quiet_hours, timezone_field, business_hours };
};

const none = { frequency_cap: null, quiet_hours: null, timezone_field: null, business_hours: [] };
const all = {
  frequency_cap: { max: 1, days: 365 },
  quiet_hours: { from: '22:00', to: '08:00' },
  timezone_field: 'Home zone',
  business_hours: [
    { day: 'sunday', from: '13:00', to: '24:00' },
    { day: 'monday', from: '00:00', to: '12:00' },
    { day: 'monday', from: '12:00', to: '12:01' },
  ],
};

test('a new organization has no cap, no quiet hours, no field for zones and no business hours', async () => {
  const { key } = await app.organization();
  expect((await app.call('organization.get', { key })).body).toMatchObject(none);
});

test('each is set alone, the others stay, and each is taken away', async () => {
  let expected: object = none;
  for (const [field, value] of Object.entries(all)) {
    expected = { ...expected, [field]: value };
    const reply = await change({ [field]: value });
    expect(reply.status).toBe(200);
    expect(reply.body).toMatchObject(expected);
    expect(await settings()).toEqual(expected);
  }
  for (const [field, value] of Object.entries(none)) {
    expected = { ...expected, [field]: value };
    await change({ [field]: value });
    expect(await settings()).toEqual(expected);
  }
});

test('business hours are replaced whole, and take 21 ranges', async () => {
  const days = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];
  const business_hours = days.flatMap((day) => ['08:00', '12:00', '16:00'].map((from) => ({ day, from, to: '23:59' })));
  const apart = business_hours.map((range, index) => ({ ...range, to: ['12:00', '16:00', '24:00'][index % 3] }));
  expect((await change({ business_hours: apart })).body.business_hours).toEqual(apart);
  expect((await change({ business_hours: [] })).body.business_hours).toEqual([]);
});

const monday = { day: 'monday', from: '09:00', to: '12:00' };
const refused: [string, unknown, string, string][] = [
  ['frequency_cap', { max: 0, days: 1 }, 'frequency_cap.max', 'number.min'],
  ['frequency_cap', { max: 101, days: 1 }, 'frequency_cap.max', 'number.max'],
  ['frequency_cap', { max: 1.5, days: 1 }, 'frequency_cap.max', 'number.integer'],
  ['frequency_cap', { max: '1', days: 1 }, 'frequency_cap.max', 'number.base'],
  ['frequency_cap', { max: 1, days: 0 }, 'frequency_cap.days', 'number.min'],
  ['frequency_cap', { max: 1, days: 366 }, 'frequency_cap.days', 'number.max'],
  ['frequency_cap', { max: 1 }, 'frequency_cap.days', 'any.required'],
  ['frequency_cap', { max: 1, days: 1, hours: 1 }, 'frequency_cap.hours', 'object.unknown'],
  ['frequency_cap', 4, 'frequency_cap', 'object.base'],
  ['quiet_hours', { from: '08:00', to: '08:00' }, 'quiet_hours.to', 'hours.empty'],
  ['quiet_hours', { from: '22:00', to: '24:00' }, 'quiet_hours.to', 'string.pattern.name'],
  ['quiet_hours', { from: '8:00', to: '09:00' }, 'quiet_hours.from', 'string.pattern.name'],
  ['quiet_hours', { from: '08:60', to: '09:00' }, 'quiet_hours.from', 'string.pattern.name'],
  ['quiet_hours', { from: '08:00' }, 'quiet_hours.to', 'any.required'],
  ['quiet_hours', { from: '08:00', to: '09:00', day: 'monday' }, 'quiet_hours.day', 'object.unknown'],
  ['quiet_hours', [], 'quiet_hours', 'object.base'],
  ['timezone_field', '', 'timezone_field', 'string.empty'],
  ['timezone_field', 'zone ', 'timezone_field', 'string.pattern.base'],
  ['timezone_field', 'a\tb', 'timezone_field', 'string.pattern.base'],
  ['timezone_field', '__proto__', 'timezone_field', 'any.invalid'],
  ['timezone_field', 7, 'timezone_field', 'string.base'],
  ['business_hours', null, 'business_hours', 'array.base'],
  ['business_hours', [null], 'business_hours[0]', 'object.base'],
  ['business_hours', [{ ...monday, day: 'Monday' }], 'business_hours[0].day', 'any.only'],
  ['business_hours', [{ ...monday, from: '24:00' }], 'business_hours[0].from', 'string.pattern.name'],
  ['business_hours', [{ ...monday, to: '24:01' }], 'business_hours[0].to', 'string.pattern.name'],
  ['business_hours', [{ ...monday, to: '09:00' }], 'business_hours[0].to', 'hours.order'],
  ['business_hours', [{ ...monday, to: '08:00' }], 'business_hours[0].to', 'hours.order'],
  ['business_hours', [monday, { ...monday, from: '11:59', to: '13:00' }], 'business_hours[1]', 'hours.overlap'],
  ['business_hours', [{ ...monday, from: '10:00' }, { ...monday, day: 'friday' }, monday], 'business_hours[2]', 'hours.overlap'],
  ['business_hours', [monday, monday], 'business_hours[1]', 'hours.overlap'],
];

test.each(refused)('%s %j is refused at its place and changes nothing', async (field, value, path, code) => {
  const before = await settings();
  const reply = await change({ name: 'Half done', [field]: value });
  expect(reply.status).toBe(422);
  expect(reply.body.error.details).toEqual([expect.objectContaining({ field: path, location: 'body', code })]);
  expect(await settings()).toEqual(before);
});

test('of 22 ranges, and of thousands, the list itself is refused', async () => {
  for (const length of [22, 2_000]) {
    const reply = await change({ business_hours: Array.from({ length }, (_, index) => (index < 21 ? spread(index) : monday)) });
    expect(reply.status).toBe(422);
    expect(reply.body.error.details).toEqual([expect.objectContaining({ field: 'business_hours', code: 'array.max' })]);
  }
});

/** One range each hour of a Friday. */
const spread = (hour: number) => ({ day: 'friday', from: `${pad(hour)}:00`, to: `${pad(hour + 1)}:00` });
const pad = (hour: number) => String(hour).padStart(2, '0');
