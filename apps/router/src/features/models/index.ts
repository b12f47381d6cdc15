export { listModels, modelObject } from './list-models.js';
export { readModelNames } from './read-model-name.js';
