import { describe, expect, it } from '@jest/globals';

import { canSee, hasRole, type Principal, projectFilter } from './principal.js';
import { includesRole, isRole } from './roles.js';

const member: Principal = {
  userId: 'u',
  name: 'member',
  domain: 'default',
  isAdmin: false,
  roles: new Map([['p1', 'member']]),
};
const admin: Principal = { ...member, isAdmin: true, roles: new Map() };

describe('roles', () => {
  it('include the weaker ones', () => {
    expect(includesRole('admin', 'viewer')).toBe(true);
    expect(includesRole('member', 'member')).toBe(true);
    expect(includesRole('viewer', 'member')).toBe(false);
    expect(includesRole(undefined, 'viewer')).toBe(false);
  });

  it('are known by name only', () => {
    expect(isRole('member')).toBe(true);
    expect(isRole('owner')).toBe(false);
  });
});

describe('a principal', () => {
  it('sees and changes its projects only', () => {
    expect(canSee(member, 'p1')).toBe(true);
    expect(canSee(member, 'p2')).toBe(false);
    expect(hasRole(member, 'p1', 'admin')).toBe(false);
    expect(projectFilter(member)).toEqual({ project_id: { in: ['p1'] } });
  });

  it('that is a global admin sees everything', () => {
    expect(canSee(admin, 'p2')).toBe(true);
    expect(hasRole(admin, 'p2', 'admin')).toBe(true);
    expect(projectFilter(admin)).toEqual({});
  });
});
