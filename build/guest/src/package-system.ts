// '@neuralis/package-system' at run time: types only, so there is nothing to run.
export {};
