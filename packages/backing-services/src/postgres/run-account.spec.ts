import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isReachable } from './run-account.js';

const STRANGER = { uid: 61_234, gid: 61_234 };

describe('isReachable', () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'reachable-'));
    mkdirSync(join(root, 'inner'));
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  it('is true when everybody may pass through every directory', () => {
    chmodSync(root, 0o711);
    expect(isReachable(join(root, 'inner'), STRANGER)).toBe(true);
  });

  it('is false behind a private directory', () => {
    chmodSync(root, 0o700);
    expect(isReachable(join(root, 'inner'), STRANGER)).toBe(false);
  });

  it('ignores what is still to be made', () => {
    chmodSync(root, 0o711);
    expect(isReachable(join(root, 'inner/later/deeper'), STRANGER)).toBe(true);
  });
});
