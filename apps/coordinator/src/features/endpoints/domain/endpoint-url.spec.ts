import { describe, expect, it } from '@jest/globals';

import { routerUrl } from './endpoint-url.js';

const base = { hostname: 'router.example.com', tlsAdvertised: true, apiPort: 8080, trafficPort: 443 };

describe('routerUrl', () => {
  it.each([
    ['leaves out the default port', base, 'https://router.example.com/'],
    ['keeps another port', { ...base, trafficPort: 8443 }, 'https://router.example.com:8443/'],
    ['falls back to the API port', { ...base, trafficPort: null }, 'https://router.example.com:8080/'],
    [
      'takes the scheme from what is advertised',
      { ...base, tlsAdvertised: false, trafficPort: 80 },
      'http://router.example.com/',
    ],
    ['puts IPv6 into brackets', { ...base, hostname: '::1', trafficPort: 10400 }, 'https://[::1]:10400/'],
  ])('%s', (_what, address, url) => {
    expect(routerUrl(address)).toBe(url);
  });
});
