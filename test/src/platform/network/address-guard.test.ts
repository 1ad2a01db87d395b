import { describe, expect, test } from '@jest/globals';
import { checkUrl, ForbiddenAddress, LookupFailed, resolvePublic } from '../../../../src/platform/network/address-guard.ts';
import { closedRange, parseNetworks } from '../../../../src/platform/network/address-ranges.ts';
import { fc } from '../../../support/fast-check.ts';

const strict = { allowHttp: false, allowNetworks: [] };

const closed: [string, string][] = [
  // this network, unspecified
  ['0.0.0.0', 'unspecified'],
  ['0.1.2.3', 'unspecified'],
  ['::', 'unspecified'],
  // loopback
  ['127.0.0.1', 'loopback'],
  ['127.255.255.254', 'loopback'],
  ['::1', 'loopback'],
  // private and unique local
  ['10.0.0.0', 'private'],
  ['10.255.255.255', 'private'],
  ['172.16.0.1', 'private'],
  ['172.31.255.255', 'private'],
  ['192.168.0.1', 'private'],
  ['fc00::1', 'unique local'],
  ['fdff:ffff::1', 'unique local'],
  // link-local and site-local
  ['169.254.0.1', 'link-local'],
  ['fe80::1', 'link-local'],
  ['febf::1', 'link-local'],
  ['fec0::1', 'deprecatedSiteLocal'],
  // carrier-grade NAT
  ['100.64.0.0', 'carrier-grade NAT'],
  ['100.127.255.255', 'carrier-grade NAT'],
  // cloud metadata
  ['169.254.169.254', 'cloud metadata'],
  ['168.63.129.16', 'cloud metadata'],
  ['100.100.100.200', 'cloud metadata'],
  ['192.0.0.192', 'cloud metadata'],
  ['fd00:ec2::254', 'cloud metadata'],
  // multicast, broadcast, reserved
  ['224.0.0.1', 'multicast'],
  ['239.255.255.255', 'multicast'],
  ['ff02::1', 'multicast'],
  ['255.255.255.255', 'broadcast'],
  ['240.0.0.1', 'reserved'],
  ['254.255.255.255', 'reserved'],
  ['192.0.0.1', 'reserved'],
  // documentation and benchmarks
  ['192.0.2.1', 'reserved'],
  ['198.51.100.1', 'reserved'],
  ['203.0.113.255', 'reserved'],
  ['198.18.0.1', 'reserved'],
  ['198.19.255.255', 'reserved'],
  ['2001:db8::1', 'reserved'],
  ['3fff::1', 'reserved'],
  ['2001:2::1', 'benchmarking'],
  // relays and sinks of the network itself
  ['192.88.99.1', 'reserved'],
  ['192.175.48.1', 'as112'],
  ['192.31.196.1', 'as112'],
  ['192.52.193.1', 'amt'],
  ['2620:4f:8000::1', 'as112v6'],
  ['100::1', 'discard'],
  ['5f00::1', 'segmentRouting'],
  ['3ffe::1', 'reserved'],
  // identifiers that are no locations
  ['2001:10::1', 'deprecatedOrchid'],
  ['2001:20::1', 'orchid2'],
  ['2001:30::1', 'droneRemoteIdProtocolEntityTags'],
  // IPv6 that carries IPv4: mapped is the address itself, the others are closed even around a public one
  ['::ffff:127.0.0.1', 'loopback'],
  ['::ffff:a9fe:a9fe', 'cloud metadata'],
  ['::ffff:10.0.0.1', 'private'],
  ['0:0:0:0:0:ffff:7f00:1', 'loopback'],
  ['::127.0.0.1', 'not global unicast'],
  ['::8.8.8.8', 'not global unicast'],
  ['::ffff:0:127.0.0.1', 'IPv4-translated'],
  ['::ffff:0:8.8.8.8', 'IPv4-translated'],
  ['64:ff9b::7f00:1', 'NAT64'],
  ['64:ff9b::8.8.8.8', 'NAT64'],
  ['64:ff9b:1::a9fe:a9fe', 'NAT64'],
  ['64:ff9b:1:ffff::8.8.8.8', 'NAT64'],
  ['2002:7f00:1::', '6to4'],
  ['2002:808:808::1', '6to4'],
  ['2001:0:4136:e378:8000:63bf:3fff:fdd2', 'teredo'],
  ['2001::1', 'teredo'],
  // never handed out
  ['4000::1', 'not global unicast'],
  ['1::1', 'not global unicast'],
  ['64:ff9b:2::1', 'not global unicast'],
];

const open = [
  '1.1.1.1',
  '8.8.8.8',
  '9.255.255.255',
  '11.0.0.0',
  '100.63.255.255',
  '100.128.0.0',
  '126.255.255.255',
  '128.0.0.1',
  '168.63.129.15',
  '169.253.255.255',
  '169.255.0.0',
  '172.15.255.255',
  '172.32.0.0',
  '192.0.1.1',
  '192.167.255.255',
  '192.169.0.0',
  '198.17.255.255',
  '198.20.0.0',
  '223.255.255.255',
  '::ffff:8.8.8.8',
  '2001:4860:4860::8888',
  '2606:4700:4700::1111',
  '2a00:1450:4001::1',
  '2003::1',
];

describe('closedRange', () => {
  test.each(closed)('%s is closed: %s', (address, range) => {
    expect(closedRange(address, [])).toBe(range);
  });

  test.each(open)('%s is open', (address) => {
    expect(closedRange(address, [])).toBeUndefined();
  });

  test.each([
    '',
    'localhost',
    '127.1',
    '0x7f000001',
    '2130706433',
    '0177.0.0.1',
    '8.8.8.8 ',
    '[::1]',
    '8.8.8',
    '8.8.8.8/32',
    'g::1',
  ])('what is no address in plain notation is closed: %p', (text) => {
    expect(closedRange(text, parseNetworks(['0.0.0.0/0', '::/0']))).toBe('not an address');
  });

  test.each(['fe80::1%eth0', '2606:4700::1111%1', '::ffff:8.8.8.8%1'])('a zone is closed: %s', (address) => {
    expect(closedRange(address, parseNetworks(['::/0']))).toBe('zone id');
  });

  test('any IPv4 address mapped into IPv6 is judged as itself', () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        expect(closedRange(`::ffff:${address}`, [])).toBe(closedRange(address, []));
      }),
    );
  });

  test('no IPv4 address gets through inside NAT64, 6to4 or the compatible form', () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number);
        const hex = `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
        for (const wrapped of [`64:ff9b::${address}`, `64:ff9b:1::${address}`, `2002:${hex}::1`, `::${address}`]) {
          expect(closedRange(wrapped, [])).toBeDefined();
        }
      }),
    );
  });

  test('allowed networks open what they hold and nothing else', () => {
    const networks = parseNetworks(['127.0.0.0/8', '::1/128', '10.1.2.0/24']);
    for (const address of ['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1', '10.1.2.3']) {
      expect(closedRange(address, networks)).toBeUndefined();
    }
    for (const address of ['10.1.3.1', '::2', '::127.0.0.1', '64:ff9b::7f00:1', '169.254.169.254']) {
      expect(closedRange(address, networks)).toBeDefined();
    }
  });
});

describe('parseNetworks', () => {
  test.each([
    '10/8',
    '10.0.0.0',
    '10.0.0.0/33',
    '10.0.0.0/',
    '::1/129',
    '::1',
    'localhost/8',
    '0x7f.0.0.0/8',
    '10.0.0.0/-1',
    '',
    '*',
  ])('refuses %p', (cidr) => {
    expect(() => parseNetworks([cidr])).toThrow(TypeError);
  });
});

describe('checkUrl', () => {
  test.each([
    ['https://hooks.example.com/a?b=c#d'],
    ['https://hooks.example.com:8443/'],
    ['https://8.8.8.8/'],
    ['https://[2606:4700:4700::1111]:22/'],
    ['https://bücher.example/'],
    // A name is judged when it is resolved, whatever it looks like.
    ['https://localhost/'],
  ])('accepts %s', (url) => {
    expect(checkUrl(url, strict)).toBeInstanceOf(URL);
  });

  test.each([
    ['not a url', /valid absolute URL/],
    ['', /valid absolute URL/],
    ['/relative', /valid absolute URL/],
    ['//hooks.example.com/', /valid absolute URL/],
    ['https://', /valid absolute URL/],
    ['https://?a=b', /valid absolute URL/],
    ['https://user@/', /valid absolute URL/],
    ['https://hooks.example.com:99999/', /valid absolute URL/],
    ['http://hooks.example.com/', /https/],
    ['ftp://hooks.example.com/', /https/],
    ['file:///etc/passwd', /https/],
    ['javascript:alert(1)', /https/],
    ['data:text/plain,a', /https/],
    ['https://user:pass@hooks.example.com/', /user name or password/],
    ['https://user@hooks.example.com/', /user name or password/],
    ['https://:pass@hooks.example.com/', /user name or password/],
    ['https://hooks.example.com@127.0.0.1/', /user name or password/],
  ])('refuses %p', (url, reason) => {
    expect(() => checkUrl(url, strict)).toThrow(ForbiddenAddress);
    expect(() => checkUrl(url, strict)).toThrow(reason);
  });

  test.each([
    '127.0.0.1',
    '127.0.0.1.',
    '127.1',
    '127.0.1',
    '2130706433',
    '017700000001',
    '0177.0.0.1',
    '0177.0.0.01',
    '0x7f.0.0.1',
    '0x7f000001',
    '0x7F.1',
    '0x7f.0x0.0x0.0x1',
    '0177.0x0.1',
    '%31%32%37.0.0.1',
    '127%2e0%2e0%2e1',
    '127。0。0。1',
    '\uff11\uff12\uff17.0.0.1',
    '①②⑦.⓪.⓪.①',
    '0',
    '0.0',
    '00000000',
    '10.1',
    '3232235777',
    '2852039166',
    '0xa9fea9fe',
    '0251.0376.0251.0376',
    '168.63.129.16',
    '[::1]',
    '[0:0:0:0:0:0:0:1]',
    '[0000:0000::0001]',
    '[::]',
    '[::ffff:127.0.0.1]',
    '[::FFFF:7f00:1]',
    '[::127.0.0.1]',
    '[64:ff9b::169.254.169.254]',
    '[64:ff9b:1::10.0.0.1]',
    '[2002:a9fe:a9fe::]',
    '[2001:0:0:1::1]',
    '[fe80::1]',
    '[fd00:ec2::254]',
    '[ff02::1]',
  ])('refuses the literal %s', (host) => {
    expect(() => checkUrl(`https://${host}/`, strict)).toThrow(/not a public address/);
    expect(() => checkUrl(`https://${host}:8443/`, strict)).toThrow(ForbiddenAddress);
  });

  test.each([
    '[fe80::1%25eth0]',
    '[fe80::1%eth0]',
    '[::1%25lo]',
    '[2606:4700::1111%251]',
    '256.256.256.256',
    '1.2.3.4.5',
    '0x100000000',
  ])('refuses the broken literal %s', (host) => {
    expect(() => checkUrl(`https://${host}/`, strict)).toThrow(ForbiddenAddress);
  });

  test('http and networks only as allowed', () => {
    const rules = { allowHttp: true, allowNetworks: ['127.0.0.0/8', '::1/128'] };
    expect(checkUrl('http://127.0.0.1:3000/', rules).port).toBe('3000');
    expect(checkUrl('http://[::1]/', rules).hostname).toBe('[::1]');
    expect(() => checkUrl('http://10.0.0.1/', rules)).toThrow(/private/);
    expect(() => checkUrl('ftp://127.0.0.1/', rules)).toThrow(/http:/);
  });
});

describe('resolvePublic', () => {
  const rules = { allowNetworks: [], timeoutMs: 1_000 };
  const answer =
    (...addresses: string[]) =>
    async () =>
      addresses.map((address) => ({ address }));

  test('gives every address of a public name', async () => {
    const found = await resolvePublic('a.example', { ...rules, lookup: answer('8.8.8.8', '2606:4700:4700::1111') });
    expect(found).toEqual([
      { address: '8.8.8.8', family: 4 },
      { address: '2606:4700:4700::1111', family: 6 },
    ]);
  });

  test('looks up once, and literals never', async () => {
    let lookups = 0;
    const lookup = async () => {
      lookups += 1;
      return [{ address: '8.8.8.8' }];
    };
    await resolvePublic('a.example', { ...rules, lookup });
    expect(lookups).toBe(1);
    expect(await resolvePublic('[2606:4700:4700::1111]', { ...rules, lookup })).toEqual([
      { address: '2606:4700:4700::1111', family: 6 },
    ]);
    await expect(resolvePublic('127.0.0.1', { ...rules, lookup })).rejects.toThrow(ForbiddenAddress);
    expect(lookups).toBe(1);
  });

  test.each(closed)('refuses a name with %s among public addresses', async (address) => {
    const lookup = answer('8.8.8.8', address, '1.1.1.1');
    await expect(resolvePublic('a.example', { ...rules, lookup })).rejects.toThrow(ForbiddenAddress);
  });

  test('does not tell the inner address of a name', async () => {
    const refusal = resolvePublic('a.example', { ...rules, lookup: answer('10.11.12.13') });
    await expect(refusal).rejects.toThrow(/^(?!.*10\.11\.12\.13)/);
  });

  test.each(['', 'nonsense', '0x7f.1', 'fe80::1%eth0'])('refuses a resolver that answers %p', async (address) => {
    const lookup = answer('8.8.8.8', address);
    await expect(resolvePublic('a.example', { ...rules, lookup })).rejects.toThrow(ForbiddenAddress);
  });

  test('allowed networks count for names too', async () => {
    const lookup = answer('127.0.0.1');
    const found = await resolvePublic('a.example', { ...rules, allowNetworks: ['127.0.0.0/8'], lookup });
    expect(found).toEqual([{ address: '127.0.0.1', family: 4 }]);
  });

  test('no answer, an empty one and a late one are failed lookups', async () => {
    const notFound = async () => {
      throw Object.assign(new Error('getaddrinfo ENOTFOUND a.example'), { code: 'ENOTFOUND' });
    };
    await expect(resolvePublic('a.example', { ...rules, lookup: notFound })).rejects.toThrow('name lookup failed: ENOTFOUND');
    await expect(resolvePublic('a.example', { ...rules, lookup: answer() })).rejects.toThrow(LookupFailed);
    const never = () => new Promise<never>(() => {});
    await expect(resolvePublic('a.example', { ...rules, timeoutMs: 20, lookup: never })).rejects.toThrow(/longer than 20 ms/);
  });
});
