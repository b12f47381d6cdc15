import { describe, expect, it } from '@jest/globals';
import { keyEntry, snapshot } from '../../testing/snapshots.js';
import { AdmissionService } from './admit.service.js';

const key = keyEntry({ keyId: 'k', rateLimitPerMinute: 1 });
const other = keyEntry({ keyId: 'other' });
const withKey = snapshot({ keys: [['sk-1', key]], routes: [] });
const without = snapshot({ keys: [['sk-other', other]], routes: [] });
const rotated = snapshot({ keys: [['sk-2', { ...key }]], routes: [] });

const isAdmitted = (admission: AdmissionService): boolean => {
  try {
    admission.admit(key, '127.0.0.1', 0);
    return true;
  } catch {
    return false;
  }
};

describe('what a key has used of its rate', () => {
  it('is forgotten with the key', () => {
    const admission = new AdmissionService();
    expect([isAdmitted(admission), isAdmitted(admission)]).toEqual([true, false]);
    admission.forgetRemoved(without, withKey);
    expect(isAdmitted(admission)).toBe(true);
  });

  it('stays when the key only gets another hash', () => {
    const admission = new AdmissionService();
    expect([isAdmitted(admission), isAdmitted(admission)]).toEqual([true, false]);
    admission.forgetRemoved(rotated, withKey);
    expect(isAdmitted(admission)).toBe(false);
  });
});
