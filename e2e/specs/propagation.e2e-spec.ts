import { describePropagation } from '../support/propagation-suite.ts';
import { sharedStack } from '../support/shared-stack.ts';

describePropagation('changes with one coordinator', sharedStack);
