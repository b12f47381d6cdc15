import { describe, expect, it } from '@jest/globals';

import { appUrl } from './app-url.js';

const credentials = { token: 't', session_id: 's' };

describe('appUrl', () => {
  it('keeps what was asked for, in the order of the peers, and adds the credential', () => {
    const query = { protocol: 'http', redirect: '/lab?x=1', app: 'jupyter' };
    expect(appUrl('http://c:10200', query, credentials)).toBe(
      'http://c:10200/v2/proxy/auth?app=jupyter&protocol=http&redirect=%2Flab%3Fx%3D1&token=t&session_id=s',
    );
  });

  it('lets no parameter stand in for the credential', () => {
    const query = { app: 'a', protocol: 'http', token: 'other', session_id: 'other', else: 'x' };
    expect(appUrl('https://c/', query, credentials)).toBe(
      'https://c/v2/proxy/auth?app=a&protocol=http&token=t&session_id=s',
    );
  });
});
