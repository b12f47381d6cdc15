import { describe, expect, it } from '@jest/globals';

import { setupUrl } from './setup-url.js';

const plain = { hostname: 'w.example.com', apiPort: 10201, tlsListen: false, tlsAdvertised: false };

describe('setupUrl', () => {
  it.each([
    [plain, 'http://w.example.com:10201/setup?token=t'],
    [{ ...plain, apiPort: 80 }, 'http://w.example.com/setup?token=t'],
    [{ ...plain, apiPort: 443, tlsAdvertised: true }, 'https://w.example.com/setup?token=t'],
    [{ ...plain, tlsListen: true }, 'https://w.example.com:10201/setup?token=t'],
    [{ ...plain, hostname: 'fd00::1' }, 'http://[fd00::1]:10201/setup?token=t'],
  ])('points to %j', (worker, url) => {
    expect(setupUrl(worker, 't')).toBe(url);
  });
});
