import { describe, expect, it } from '@jest/globals';

import { replaceBetweenMarkers } from './replace-between-markers.js';

describe('replaceBetweenMarkers', () => {
  const page = '# Title\n\n<!-- config:begin -->\n\nold\n\n<!-- config:end -->\n\nMore.\n';

  it('replaces only what is between, and is stable', () => {
    const once = replaceBetweenMarkers(page, '| a |\n');
    expect(once).toMatch(
      /^# Title\n\n<!-- config:begin -->\n[^]*\n\| a \|\n[^]*<!-- config:end -->\n\nMore\.\n$/,
    );
    expect(once).not.toContain('old');
    expect(replaceBetweenMarkers(once, '| a |\n')).toBe(once);
  });

  it('refuses a page without the markers', () => {
    expect(() => replaceBetweenMarkers('# Title', '')).toThrow(/config:begin/);
  });
});
