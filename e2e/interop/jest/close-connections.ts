import { afterAll } from '@jest/globals';

import { dispatcher } from '../../support/http.ts';

/** Kept-alive connections would keep the test process from ending. */
afterAll(() => dispatcher.destroy());
