export { default } from '@penstock/eslint-config';
